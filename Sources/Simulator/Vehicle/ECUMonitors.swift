/// Services 05 and 06.
extension SimulatedECU {
    /// Oxygen sensor tests, which only exist before CAN.
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
        let results = model.monitorTests.filter { $0.mid == first }
        return .messages([[0x46] + results.flatMap(resultBytes)])
    }

    /// Monitor, test, unit, value and both limits; all zero if the test has not run since codes were cleared.
    func resultBytes(_ test: ECUModel.MonitorTest) -> [UInt8] {
        let values = faults.cleared == nil ? [test.value, test.low, test.high] : [0, 0, 0]
        return [test.mid, test.tid, test.uas] + values.flatMap { Self.bytes($0) }
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
