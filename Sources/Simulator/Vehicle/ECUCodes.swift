import OBDCore

/// Services 03, 04, 07, 0A and their UDS equivalents 14 and 19.
extension SimulatedECU {
    /// A list of codes: with a count on CAN; before CAN three per message, with padding.
    func codes(_ list: [DTC], response: UInt8, _ data: [UInt8], _ request: ECURequest) -> ECUAnswer
    {
        guard data.isEmpty else { return .refusal(0x13) }
        if request.isCAN {
            let count = UInt8(min(255, list.count))
            return .messages([[response, count] + list.prefix(255).flatMap { Self.bytes($0.code) }])
        }
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: max(1, list.count), by: 3) {
            var message = [response]
            for slot in start..<(start + 3) {
                message += Self.bytes(slot < list.count ? list[slot].code : 0)
            }
            messages.append(message)
        }
        return .messages(messages)
    }

    /// Clears the codes, unless the engine is running.
    mutating func clear(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard data.isEmpty else { return .refusal(0x13) }
        guard !request.state.engineRuns, request.state.speed == 0 else { return .refusal(0x22) }
        forget(request)
        return .messages([[0x44]])
    }

    /// Clears codes by UDS: all groups, or the emissions-related group.
    mutating func clearByUDS(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        if request.family == .iso14230, data.count == 2 { return clearByKWP(data, request) }
        guard data.count == 3 else { return .refusal(0x13) }
        guard data == [0xFF, 0xFF, 0xFF] || data == [0xFF, 0xFF, 0x33] else {
            return .refusal(0x31)
        }
        guard !request.state.engineRuns, request.state.speed == 0 else { return .refusal(0x22) }
        forget(request)
        return .messages([[0x54]])
    }

    /// KWP 2000: `14 FF 00` clears every group.
    private mutating func clearByKWP(_ group: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard group == [0xFF, 0x00] else { return .refusal(0x31) }
        guard !request.state.engineRuns, request.state.speed == 0 else { return .refusal(0x22) }
        forget(request)
        return .messages([[0x54] + group])
    }

    private mutating func forget(_ request: ECURequest) {
        faults.clear(at: request.state.elapsed)
        distanceAtClear = request.state.distance
    }

    /// UDS codes by status: number (01), list (02) and all supported codes (0A).
    func codeInformation(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard let function = data.first else { return .refusal(0x13) }
        switch function & 0x7F {
        case 0x01, 0x02:
            guard data.count == 2 else { return .refusal(0x13) }
            let matching = udsCodes.filter { $0.status & data[1] != 0 }
            if function & 0x7F == 0x01 {
                let count = UInt16(truncatingIfNeeded: matching.count)
                return .messages([[0x59, 0x01, 0xFF, 0x01] + Self.bytes(count)])
            }
            return .messages([[0x59, 0x02, 0xFF] + matching.flatMap(Self.record)])
        case 0x0A:
            guard data.count == 1 else { return .refusal(0x13) }
            return .messages([[0x59, 0x0A, 0xFF] + udsCodes.flatMap(Self.record)])
        case 0x04: return snapshot(data, request)
        case 0x06: return extendedData(data)
        default: return .refusal(0x12)
        }
    }

    /// `59 06 code status 01 number`: how often a code was set; FF requests all records.
    private func extendedData(_ data: [UInt8]) -> ECUAnswer {
        guard data.count == 5 else { return .refusal(0x13) }
        guard let known = udsCodes.first(where: { Self.record($0).prefix(3) == data[1...3] }),
            data[4] == 0x01 || data[4] == 0xFF
        else { return .refusal(0x31) }
        return .messages([[0x59, 0x06] + Self.record(known) + [0x01, 0x03]])
    }

    /// All codes with the status byte of ISO 14229-1.
    var udsCodes: [(dtc: DTC, status: UInt8)] {
        var list: [(dtc: DTC, status: UInt8)] = []
        for dtc in faults.stored {
            // Failed since clear, confirmed, failing now; turns on the check engine light.
            list.append((dtc, 0x2F | (faults.lamp ? 0x80 : 0)))
        }
        for dtc in faults.pending where !faults.stored.contains(dtc) {
            // Failed since clear and pending, not yet confirmed.
            list.append((dtc, 0x27))
        }
        return list + faults.detailed.map { ($0.dtc, $0.status) }
    }

    /// Code, failure type and status.
    static func record(_ code: (dtc: DTC, status: UInt8)) -> [UInt8] {
        bytes(code.dtc.code) + [code.dtc.failureType ?? 0, code.status]
    }
}
