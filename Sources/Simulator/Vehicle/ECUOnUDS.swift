import OBDCore

/// SAE J1979-2 (OBDonUDS): the classic services as data identifiers and service 19.
extension SimulatedECU {
    /// Service 22 with up to six identifiers; F4xx are PIDs, F6xx monitors, F8xx info types.
    func identifiersOnUDS(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard !data.isEmpty, data.count.isMultiple(of: 2), data.count <= 12 else {
            return .refusal(0x13)
        }
        var answer: [UInt8] = [0x62]
        for start in stride(from: 0, to: data.count, by: 2) {
            guard let bytes = onUDS(data[start], data[start + 1], request.state) else { continue }
            answer += [data[start], data[start + 1]] + bytes
        }
        if answer.count > 1 { return .messages([answer]) }
        return dataByIdentifier(data, request)
    }

    private func onUDS(_ page: UInt8, _ id: UInt8, _ state: VehicleState) -> [UInt8]? {
        switch page {
        case 0xF4: return record(id, state)
        case 0xF5: return id == 0x01 ? readinessOnUDS(state) : nil
        case 0xF6:
            let monitors = model.monitorTests.map(\.mid)
            if id & 0x1F == 0 { return monitors.isEmpty ? nil : map(monitors, above: id) }
            let tests = model.monitorTests.filter { $0.mid == id }
            return tests.isEmpty ? nil : tests.flatMap { resultBytes($0).dropFirst() }
        case 0xF8:
            if id == 0x10 { return [0x01] }
            if id & 0x1F == 0 { return map(infoTypes + [0x10], above: id) }
            // Without the number of data items, which SAE J1979-2 removed.
            return information(id).map { $0.flatMap { $0 } }
        default: return nil
        }
    }

    /// Service 19: codes of the emissions group by status (42), permanent codes (55), codes of a readiness
    /// group (56), snapshots (04).
    func codesOnUDS(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        switch data.first.map({ $0 & 0x7F }) {
        case 0x42:
            guard data.count == 4 else { return .refusal(0x13) }
            guard data[1] == 0x33 else { return .refusal(0x31) }
            let matching = udsCodes.filter {
                $0.status & data[2] != 0 && Self.severity & data[3] != 0
            }
            return .messages([
                [0x59, 0x42, 0x33, 0xFF, 0xFF, 0x04]
                    + matching.flatMap { [Self.severity] + Self.record($0) }
            ])
        case 0x55:
            guard data.count == 2 else { return .refusal(0x13) }
            guard data[1] == 0x33 else { return .refusal(0x31) }
            let permanent = faults.permanent.map { (dtc: $0, status: UInt8(0x08)) }
            return .messages([[0x59, 0x55, 0x33, 0xFF, 0x04] + permanent.flatMap(Self.record)])
        case 0x56: return codesOfReadinessGroup(data)
        default: return codeInformation(data, request)
        }
    }

    /// Maintenance only, class A.
    private static let severity: UInt8 = 0x22

    /// `59 04 DTC status record number-of-DIDs {DID data}`; record 00 or F0 is the first one.
    func snapshot(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard data.count == 5 else { return .refusal(0x13) }
        let code = UInt16(data[1]) << 8 | UInt16(data[2])
        guard let frame = faults.freezeFrames.first(where: { $0.dtc.code == code }),
            let known = udsCodes.first(where: { $0.dtc.code == code }),
            data[4] == 0x00 || data[4] == 0xF0
        else { return .refusal(0x31) }
        let state = request.past(frame.elapsed)
        let records = model.freezePIDs.compactMap { pid in
            record(UInt8(truncatingIfNeeded: pid), state).map { bytes in
                [0xF4, UInt8(truncatingIfNeeded: pid)] + bytes
            }
        }
        return .messages([
            [0x59, 0x04] + Self.record(known) + [data[4], UInt8(records.count)]
                + records.flatMap { $0 }
        ])
    }
}
