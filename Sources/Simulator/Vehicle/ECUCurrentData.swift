import OBDCore

/// Services 01 and 02.
extension SimulatedECU {
    /// Current data: up to six PIDs per request on CAN, one before CAN.
    func currentData(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard !data.isEmpty, data.count <= (request.isCAN ? 6 : 1) else { return .refusal(0x13) }
        var answer: [UInt8] = [0x41]
        for pid in data {
            guard let bytes = record(pid, request.state) else { continue }
            answer.append(pid)
            answer += bytes
        }
        return answer.count > 1 ? .messages([answer]) : .refusal(0x12)
    }

    /// Freeze frame data: PID and frame number, up to three pairs on CAN.
    func freezeFrame(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard !data.isEmpty, data.count.isMultiple(of: 2), data.count <= (request.isCAN ? 6 : 2)
        else { return .refusal(0x13) }
        var answer: [UInt8] = [0x42]
        for pair in stride(from: 0, to: data.count, by: 2) {
            let pid = data[pair]
            let number = data[pair + 1]
            guard let bytes = frozen(pid, number: number, request) else { continue }
            answer += [pid, number] + bytes
        }
        return answer.count > 1 ? .messages([answer]) : .refusal(0x12)
    }

    /// The data bytes of a PID; nil if it is not supported.
    func record(_ pid: UInt8, _ state: VehicleState) -> [UInt8]? {
        if pid & 0x1F == 0 { return map(supportedPIDs, above: pid) }
        switch pid {
        case 0x01: return status()
        case 0x41: return supportedPIDs.contains(0x41) ? statusThisCycle() : nil
        default: return model.records.first { $0.id == UInt32(pid) }?.bytes(state)
        }
    }

    var supportedPIDs: [UInt8] {
        let own = model.records.map { UInt8(truncatingIfNeeded: $0.id) }
        return [0x01] + own + (own.contains { $0 > 0x40 } ? [0x41] : [])
    }

    /// The map of the 32 identifiers above `base`; nil if there is none above it.
    ///
    /// The last bit of a map shows whether the next map exists.
    func map(_ identifiers: [UInt8], above base: UInt8) -> [UInt8]? {
        guard base == 0 || identifiers.contains(where: { $0 > base }) else { return nil }
        var bits: UInt32 = 0
        for identifier in identifiers where identifier > base && identifier - base <= 0x20 {
            bits |= 1 << (0x20 - UInt32(identifier - base))
        }
        if identifiers.contains(where: { Int($0) > Int(base) + 0x20 }) { bits |= 1 }
        return Self.bytes(bits)
    }

    private func status() -> [UInt8] {
        let readiness = model.readiness
        let count = UInt8(min(127, faults.stored.count))
        let untested = faults.cleared != nil
        let continuous =
            readiness.continuous | (readiness.compression ? 0x08 : 0)
            | (untested ? readiness.continuous << 4 : 0)
        return [
            (faults.lamp ? 0x80 : 0) | count, continuous, readiness.supported,
            untested ? readiness.supported : readiness.incomplete & readiness.supported,
        ]
    }

    private func statusThisCycle() -> [UInt8] {
        let readiness = model.readiness
        return [
            0, readiness.continuous | (readiness.compression ? 0x08 : 0), readiness.supported,
            readiness.incompleteThisCycle & readiness.supported,
        ]
    }

    private func frozen(_ pid: UInt8, number: UInt8, _ request: ECURequest) -> [UInt8]? {
        let frame = Int(number) < faults.freezeFrames.count ? faults.freezeFrames[Int(number)] : nil
        if pid == 0x02 {
            // Frame 0 must always be answered: no code = 0000.
            if frame == nil && number != 0 { return nil }
            return Self.bytes(frame?.dtc.code ?? 0)
        }
        guard !model.freezePIDs.isEmpty else { return nil }
        if pid & 0x1F == 0 {
            guard frame != nil || number == 0 else { return nil }
            let kept = frame == nil ? [] : model.freezePIDs.map { UInt8(truncatingIfNeeded: $0) }
            return map([0x02] + kept, above: pid)
        }
        guard let frame, model.freezePIDs.contains(UInt32(pid)) else { return nil }
        return record(pid, request.past(frame.elapsed))
    }

    /// Four bytes, most significant first.
    static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Two bytes, most significant first.
    static func bytes(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
