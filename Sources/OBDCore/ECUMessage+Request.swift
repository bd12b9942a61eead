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
        guard request.count > 1, payload.count > 1, let shape = ServiceShape.of(request[0]) else {
            return true
        }
        let match = shape.compare(
            request, count: payload.count, second: payload[1],
            third: payload.count > 2 ? payload[2] : 0)
        return match != .different && echoesGroup(of: request)
    }

    /// Whether a report of ReadDTCInformation is of the functional group that was asked, where it has
    /// one.
    private func echoesGroup(of request: [UInt8]) -> Bool {
        guard Service(request[0]) == .readCodeInformation, request.count > 2, payload.count > 2
        else {
            return true
        }
        return ![0x42, 0x55, 0x56].contains(payload[1]) || request[2] == payload[2]
    }
}
