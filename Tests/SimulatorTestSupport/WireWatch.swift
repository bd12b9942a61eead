import Adapters
import OBDCore
public import Simulator

/// Checks the traffic on a simulated vehicle's bus with its own lists of requests that need no consent.
///
/// The watch checks frames and not commands, in every way in which an ECU may interpret them.
public enum WireWatch {
    /// SAE J1979, ISO 14229-1 and ISO 14230-3: services that read.
    static let services: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x09, 0x0A, 0x18, 0x19, 0x1A, 0x21, 0x22, 0x3E,
    ]

    /// SAE J1939-73: a request for DM3, DM11 or DM22 clears codes.
    static let clearingGroups: Set<UInt32> = [0xFECC, 0xFED3, 0xC300]

    /// The frames and messages to a device's vehicle that must not be sent without consent.
    public static func violations(of device: any SimulatedDevice) -> [String] {
        switch device {
        case let adapter as SimulatedAdapter:
            adapter.requests.compactMap { violation(of: $0) }
                + adapter.flowControls.compactMap { violation(ofFlowControl: $0) }
        case let bus as SimulatedCANDevice: bus.heard.compactMap { violation(of: $0) }
        // A message has no frame, and its address is always for diagnostics.
        default:
            device.requests.filter { !reads($0.payload[...]) }.map {
                "\(Hex.string($0.payload)) to \($0.header)"
            }
        }
    }

    /// Whether a request that only has service and data reads.
    public static func reads(_ payload: [UInt8]) -> Bool { reads(payload[...]) }

    private static func violation(of frame: CANFrame) -> String? {
        let text = "\(Hex.string(frame.data)) under \(frame.id.digits)"
        if frame.isRemote || frame.data.isEmpty { return text }
        let id = frame.id.value
        if frame.id.form == .can11 {
            return isAddress11(id) && readsOnCAN(Array(frame.data), id) ? nil : text
        }
        switch id & 0x1FFF_00FF {
        // SAE J1939: a request, or a frame that allows an ECU to send packets.
        case 0x18EA_00F9: return isGroupRequest(Array(frame.data)) ? nil : text
        case 0x1CEC_00F9: return [0x11, 0x13].contains(frame.data[0]) ? nil : text
        default: return isAddress29(id) && readsOnCAN(Array(frame.data), id) ? nil : text
        }
    }

    private static func violation(of request: SimulatedAdapter.ReceivedRequest) -> String? {
        let shown = request.frames.map { Hex.string($0) }.joined(separator: " ")
        let text = "\(shown) under \(request.header)"
        guard let header = UInt32(request.header, radix: 16) else { return text }
        let isHarmless = request.frames.allSatisfy { frame in
            // The adapter may be set to another protocol than the vehicle's.
            switch request.header.utf8.count {
            case 3: isAddress11(header) && readsOnCAN(frame, header)
            case 6: isLegacy(header) && reads(request.payload[...])
            case _ where header & 0x1FFF_00FF | 0x0F == 0x18EA_00FF:
                isGroupRequest(request.payload)
            default: isAddress29(header) && readsOnCAN(frame, header)
            }
        }
        return isHarmless ? nil : text
    }

    private static func violation(
        ofFlowControl frame: SimulatedAdapter.ReceivedRequest
    ) -> String? {
        let data = frame.payload
        let text = "flow control \(Hex.string(data)) to \(frame.header)"
        // With extended addressing, the ECU's address comes first.
        guard let header = UInt32(frame.header, radix: 16), data.count == 3 || data.count == 4,
            (0x30...0x32).contains(data[data.count - 3])
        else { return text }
        let isAddress = frame.header.utf8.count == 3 ? isAddress11(header) : isAddress29(header)
        return isAddress && readsOnCAN(data, header) ? nil : text
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
    ///
    /// Toyota's ECUs at 750 expect the second form, and others there the first; at 6F1 all expect the second.
    private static func readsOnCAN(_ frame: [UInt8], _ header: UInt32) -> Bool {
        let plain = header == 0x6F1 || reads(from: frame[...])
        let addressed = header != 0x6F1 && header != 0x750 || reads(from: frame.dropFirst())
        return plain && addressed
    }

    /// Whether an ECU that finds the protocol control byte first only reads.
    ///
    /// A long request begins with its service; it has no effect without its other frames.
    private static func reads(from frame: ArraySlice<UInt8>) -> Bool {
        guard let control = frame.first else { return true }
        let rest = frame.dropFirst()
        switch control {
        case 0x01...0x07: return reads(rest.prefix(Int(control)))
        case 0x10...0x17: return rest.dropFirst().first.map { reads([$0][...]) } ?? true
        default: return true
        }
    }
}
