import OBDCore
public import Simulator

/// Checks the traffic on a simulated vehicle's bus with its own lists of what is allowed without
/// consent.
///
/// It checks frames and not commands, in every way in which an ECU may interpret them.
public enum WireWatch {
    /// SAE J1979, ISO 14229-1 and ISO 14230-3: services that read.
    static let services: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x18, 0x19, 0x1A, 0x21, 0x22, 0x3E,
    ]

    /// SAE J1939-73: a request for DM3, DM11 or DM22 clears codes.
    static let clearingGroups: Set<UInt32> = [0xFECC, 0xFED3, 0xC300]

    /// The frames of an adapter that must not be sent without consent.
    public static func violations(of adapter: SimulatedAdapter) -> [String] {
        let spoken = adapter.vehicle.vehicleProtocol
        return adapter.requests.compactMap { violation(of: $0, spoken) }
            + adapter.flowControls.compactMap { violation(ofFlowControl: $0, spoken) }
    }

    private static func violation(
        of request: SimulatedAdapter.ReceivedRequest, _ vehicleProtocol: VehicleProtocol
    ) -> String? {
        let text = "\(Hex.string(request.frame)) under \(request.header)"
        guard let header = UInt32(request.header, radix: 16) else { return text }
        // The adapter may be set to another protocol than the vehicle's.
        switch request.header.utf8.count {
        case 3:
            return isAddress11(header) && readsOnCAN(request.frame, header) ? nil : text
        case 6: return isLegacy(header) && reads(request.payload[...]) ? nil : text
        default:
            if header & 0x1FFF_00FF | 0x0F == 0x18EA_00FF {
                return isGroupRequest(request.payload) ? nil : text
            }
            return isAddress29(header) && readsOnCAN(request.frame, header) ? nil : text
        }
    }

    private static func violation(
        ofFlowControl frame: SimulatedAdapter.ReceivedRequest, _ vehicleProtocol: VehicleProtocol
    ) -> String? {
        let text = "flow control \(Hex.string(frame.frame)) to \(frame.header)"
        guard let header = UInt32(frame.header, radix: 16), frame.frame.count == 3,
            (0x30...0x32).contains(frame.frame[0])
        else { return text }
        return (frame.header.utf8.count == 3 ? isAddress11(header) : isAddress29(header))
            ? nil : text
    }

    // MARK: Addresses

    private static func isAddress11(_ id: UInt32) -> Bool {
        (0x700...0x7FF).contains(id) && !(0x7E8...0x7EF).contains(id) || id == 0x6F1
    }

    private static func isAddress29(_ id: UInt32) -> Bool {
        [0x18DA_00F1, 0x18DA_00F9, 0x18DB_00F1, 0x18DB_00F9, 0x14DA_00F1]
            .contains(id & 0xFFFF_00FF)
            || id & 0xFFFF_FF00 == 0x17FC_0000 || id & 0xFFFF_0000 == 0x1DD0_0000
    }

    /// ISO 14230-2: with address information; SAE J2178-1: requests of testers.
    private static func isLegacy(_ header: UInt32) -> Bool {
        let first = header >> 16 & 0xFF
        return first & 0x80 != 0 || [0x68, 0x61, 0x6C].contains(first)
    }

    // MARK: Contents

    private static func reads(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let first = payload.first else { return false }
        // Service 00 does not exist; in SAE J1939, 00 begins a parameter group.
        return services.contains(first) || first == 0x00 || Array(payload) == [0x10, 0x01]
    }

    /// Three bytes, least significant first, are a parameter group of 17 bits; other lengths
    /// request nothing (SAE J1939-21).
    private static func isGroupRequest(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 3 else { return true }
        let group = UInt32(bytes[2]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[0])
        if group > 0x1FFFF { return true }
        return group >= 0x9E00 && group <= 0xFFFF && !clearingGroups.contains(group)
    }

    /// ISO 15765-2: the length is in the first byte, or after the address byte.
    private static func readsOnCAN(_ frame: [UInt8], _ header: UInt32) -> Bool {
        guard let first = frame.first else { return false }
        let isAddressed = header == 0x6F1 || header == 0x750
        if isAddressed, let second = frame.dropFirst().first, (1...7).contains(second) {
            return reads(frame.dropFirst(2).prefix(Int(second)))
        }
        if isAddressed { return true }
        guard first >> 4 == 0 else {
            // A long request begins with its service; it has no effect without its other frames.
            return first >> 4 != 1 || reads(frame.dropFirst(2))
        }
        return (1...7).contains(first) && reads(frame.dropFirst().prefix(Int(first)))
    }
}
