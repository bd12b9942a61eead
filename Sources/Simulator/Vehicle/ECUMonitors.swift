/// Services 05 and 06.
extension SimulatedECU {
    /// Oxygen sensor tests, which exist before CAN only.
    func oxygenTests(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard !request.isCAN, !model.oxygenTests.isEmpty else { return .refusal(0x11) }
        guard data.count == 2 else { return .refusal(0x13) }
        let tests = model.oxygenTests.filter { $0.sensor == data[1] }
        guard !tests.isEmpty else { return .refusal(0x12) }
        if data[0] & 0x1F == 0 {
            guard let map = map(tests.map(\.tid), above: data[0]) else { return .refusal(0x12) }
            return .messages([[0x45, data[0], data[1]] + map])
        }
        guard let test = tests.first(where: { $0.tid == data[0] }) else { return .refusal(0x12) }
        return .messages([[0x45, test.tid, test.sensor] + test.data])
    }

    /// On-board monitoring test results.
    func monitorTests(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        request.isCAN ? monitorTestsOnCAN(data) : monitorTestsBeforeCAN(data)
    }

    private func monitorTestsOnCAN(_ data: [UInt8]) -> ECUAnswer {
        guard let first = data.first, data.count <= 6 else { return .refusal(0x13) }
        let monitors = model.monitorTests.map(\.mid)
        guard !monitors.isEmpty else { return .refusal(0x11) }
        if data.allSatisfy({ $0 & 0x1F == 0 }) {
            let answer = data.reduce(into: [0x46] as [UInt8]) { answer, base in
                if let map = map(monitors, above: base) { answer += [base] + map }
            }
            return answer.count > 1 ? .messages([answer]) : .refusal(0x12)
        }
        guard data.count == 1, monitors.contains(first) else { return .refusal(0x12) }
        var answer: [UInt8] = [0x46]
        for test in model.monitorTests where test.mid == first {
            answer += [test.mid, test.tid, test.uas]
            // Not run since the clear: value and both limits are zero.
            answer +=
                faults.cleared != nil
                ? [UInt8](repeating: 0, count: 6)
                : Self.bytes(test.value) + Self.bytes(test.low) + Self.bytes(test.high)
        }
        return .messages([answer])
    }

    private func monitorTestsBeforeCAN(_ data: [UInt8]) -> ECUAnswer {
        guard data.count == 1 else { return .refusal(0x13) }
        guard !model.legacyTests.isEmpty else { return .refusal(0x11) }
        if data[0] & 0x1F == 0 {
            guard let map = map(model.legacyTests.map(\.tid), above: data[0]) else {
                return .refusal(0x12)
            }
            return .messages([[0x46, data[0], 0xFF] + map])
        }
        let tests = model.legacyTests.filter { $0.tid == data[0] }
        guard !tests.isEmpty else { return .refusal(0x12) }
        return .messages(
            tests.map { test in
                [0x46, test.tid, test.component]
                    + Self.bytes(faults.cleared == nil ? test.value : 0)
                    + Self.bytes(faults.cleared == nil ? test.limit : 0)
            })
    }
}
