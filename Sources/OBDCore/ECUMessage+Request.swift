// Which request a message answers, as far as its own bytes tell.
extension ECUMessage {
    /// Whether it answers `request`, positively or with a refusal.
    ///
    /// Compared are the service, the PID, identifier or sub-function after it where both have one,
    /// and in SAE J1939 the parameter group. What answers something else belongs to another request:
    /// the adapter is out of step, or somebody else talks to the vehicle as well.
    public func answers(_ request: [UInt8]) -> Bool {
        guard let service = request.first else { return true }
        if let parameterGroup {
            return parameterGroup == Self.group(request) || acknowledges(request)
        }
        // Headers are off in SAE J1939: the payload is data alone.
        if service == 0x00 { return true }
        guard let first = payload.first else { return false }
        if first == Service.negativeResponse.rawValue {
            return payload.count > 1 && payload[1] == service
        }
        return first == Service(service).positiveResponse && echoesSelection(of: request)
    }

    /// Whether it brings what `request` asks for; a refusal does not.
    public func isPositiveAnswer(to request: [UInt8]) -> Bool {
        guard answers(request) else { return false }
        return parameterGroup.map { $0 != Self.acknowledgement }
            ?? (payload.first != Service.negativeResponse.rawValue)
    }

    /// The acknowledgement of SAE J1939-21, which also carries refusals.
    private static let acknowledgement: UInt32 = 0xE800

    /// The parameter group that `request` asks for: `00 FE CA`; no service is 00.
    private static func group(_ request: [UInt8]) -> UInt32? {
        guard request.count == 3 else { return nil }
        return UInt32(request[0]) << 16 | UInt32(request[1]) << 8 | UInt32(request[2])
    }

    /// Whether it is an acknowledgement of `request`: bytes 6 to 8 repeat the parameter group, lowest
    /// byte first.
    private func acknowledges(_ request: [UInt8]) -> Bool {
        guard parameterGroup == Self.acknowledgement, let group = Self.group(request) else {
            return false
        }
        guard payload.count >= 8 else { return true }
        return UInt32(payload[5]) | UInt32(payload[6]) << 8 | UInt32(payload[7]) << 16 == group
    }

    /// Whether what stands after the service is what was asked for.
    private func echoesSelection(of request: [UInt8]) -> Bool {
        guard request.count > 1, payload.count > 1 else { return true }
        switch payload[0] {
        // Several PIDs may be asked at once; an ECU leaves out what it does not know.
        case 0x41, 0x46, 0x49: return request.dropFirst().contains(payload[1])
        case 0x42:
            return stride(from: 1, to: request.count, by: 2).contains {
                request[$0] == payload[1]
            }
        case 0x45, 0x5A, 0x61: return request[1] == payload[1]
        case 0x59: return echoesReport(of: request)
        case 0x62:
            guard request.count > 2, payload.count > 2 else { return true }
            return stride(from: 1, to: request.count - 1, by: 2).contains {
                request[$0] == payload[1] && request[$0 + 1] == payload[2]
            }
        default: return true
        }
    }

    /// The same for ReadDTCInformation: the report, and the functional group where it has one.
    private func echoesReport(of request: [UInt8]) -> Bool {
        guard request[1] & 0x7F == payload[1] else { return false }
        switch payload[1] {
        case 0x42, 0x55, 0x56:
            return request.count < 3 || payload.count < 3 || request[2] == payload[2]
        default: return true
        }
    }
}
