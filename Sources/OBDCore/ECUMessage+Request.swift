// Finds out which request a message answers, from its own bytes.
extension ECUMessage {
    /// Whether it answers `request`, including with a refusal.
    ///
    /// It compares the service, the PID, identifier or sub-function after it if both have one, and in SAE
    /// J1939 the parameter group. A message that does not match belongs to another request: the adapter is
    /// out of step, or another tester is connected to the vehicle.
    public func answers(_ request: [UInt8]) -> Bool {
        guard let service = request.first else { return true }
        if let parameterGroup {
            return parameterGroup == Self.group(request) || acknowledges(request)
        }
        // Headers are off in SAE J1939, so the payload has no service.
        if service == 0x00 { return true }
        guard let first = payload.first else { return false }
        if first == Service.negativeResponse.rawValue {
            return payload.count > 1 && payload[1] == service
        }
        return first == Service(service).positiveResponse && echoesSelection(of: request)
    }

    /// Whether it has the data that `request` asks for; a refusal does not.
    public func isPositiveAnswer(to request: [UInt8]) -> Bool {
        guard answers(request) else { return false }
        return parameterGroup.map { $0 != Self.acknowledgement }
            ?? (payload.first != Service.negativeResponse.rawValue)
    }

    /// The acknowledgement of SAE J1939-21, which also carries refusals.
    private static let acknowledgement: UInt32 = 0xE800

    /// The parameter group in `request`: `00 FE CA`; there is no service 00.
    private static func group(_ request: [UInt8]) -> UInt32? {
        guard request.count == 3 else { return nil }
        return UInt32(request[0]) << 16 | UInt32(request[1]) << 8 | UInt32(request[2])
    }

    /// Whether it is an acknowledgement of `request`, which repeats the parameter group in bytes 6 to 8,
    /// lowest byte first.
    private func acknowledges(_ request: [UInt8]) -> Bool {
        guard parameterGroup == Self.acknowledgement, let group = Self.group(request) else {
            return false
        }
        guard payload.count >= 8 else { return true }
        return UInt32(payload[5]) | UInt32(payload[6]) << 8 | UInt32(payload[7]) << 16 == group
    }

    /// Whether the bytes after the service match the request.
    private func echoesSelection(of request: [UInt8]) -> Bool {
        guard request.count > 1, payload.count > 1, let shape = ServiceShape.of(request[0]) else {
            return true
        }
        let match = shape.compare(
            request, count: payload.count, second: payload[1],
            third: payload.count > 2 ? payload[2] : 0)
        return match != .different && echoesGroup(of: request)
    }

    /// Whether a report of ReadDTCInformation is for the requested functional group, if there is one.
    private func echoesGroup(of request: [UInt8]) -> Bool {
        guard Service(request[0]) == .readCodeInformation, request.count > 2, payload.count > 2
        else {
            return true
        }
        return ![0x42, 0x55, 0x56].contains(payload[1]) || request[2] == payload[2]
    }
}
