// Finds out which request a message answers, from its own bytes.
extension ECUMessage {
    /// Whether the message answers `request`, including with a refusal.
    ///
    /// The comparison uses the service, the PID, identifier or sub-function after it if both have one, and in
    /// SAE J1939 the parameter group. A message that does not match belongs to another request: the adapter
    /// is out of step, or another tester is connected to the vehicle.
    public func answers(_ request: [UInt8]) -> Bool {
        guard let service = request.first else { return true }
        if let parameterGroup {
            return parameterGroup == Self.group(request) || acknowledges(request)
        }
        // Headers are off in SAE J1939, so the payload has no service.
        if service == 0x00 { return true }
        guard let first = payload.first else { return false }
        return Self.answers(
            request, count: payload.count, first: first, second: payload.count > 1 ? payload[1] : 0,
            third: payload.count > 2 ? payload[2] : 0)
    }

    /// Whether a payload of `count` bytes that begins with these three answers a request for a service.
    ///
    /// A byte after the end of the payload has no meaning.
    package static func answers(
        _ request: [UInt8], count: Int, first: UInt8, second: UInt8, third: UInt8
    ) -> Bool {
        guard let service = request.first else { return true }
        if first == Service.negativeResponse.rawValue { return count > 1 && second == service }
        guard first == Service(service).positiveResponse else { return false }
        guard request.count > 1, count > 1, let shape = ServiceShape.of(service) else {
            return true
        }
        let match = shape.compare(request, count: count, second: second, third: third)
        guard match != .different else { return false }
        // A report of ReadDTCInformation is for the requested functional group, if there is one.
        guard Service(service) == .readCodeInformation, request.count > 2, count > 2,
            second == 0x42 || second == 0x55 || second == 0x56
        else { return true }
        return request[2] == third
    }

    /// Whether the message has the data of `request`; a refusal does not.
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

    /// Whether the message is an acknowledgement of `request`, which repeats the parameter group in bytes 6
    /// to 8, lowest byte first.
    private func acknowledges(_ request: [UInt8]) -> Bool {
        guard parameterGroup == Self.acknowledgement, let group = Self.group(request) else {
            return false
        }
        guard payload.count >= 8 else { return true }
        return UInt32(payload[5]) | UInt32(payload[6]) << 8 | UInt32(payload[7]) << 16 == group
    }
}
