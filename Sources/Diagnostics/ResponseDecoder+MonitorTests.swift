import OBDCore

/// Services 05 and 06: the results of on-board tests.
extension ResponseDecoder {
    mutating func decodeMonitorTests(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count > 2 else {
            out.append(answer.error(.malformed("answer without data")))
            return
        }
        let asked = answer.request?.dropFirst() ?? []
        guard asked.isEmpty || asked.contains(payload[1]) else {
            out.append(.message(answer.message))
            return
        }
        // If the protocol is unknown, the length shows it: CAN has 5 bytes per map and 9 per result.
        let isCAN = answer.isCAN ?? !(payload.count == 7 && Self.looksLegacy(payload))
        if !isCAN {
            decodeLegacyTest(answer, &out)
        } else if SupportMap.isMap(UInt32(payload[1])) {
            decodeMaps(answer, .monitorTests, &out)
        } else {
            decodeResults(answer, asked: asked, &out)
        }
    }

    /// Whether seven bytes are a result before CAN, or a map with its padding FF; otherwise they are a padded
    /// map on CAN.
    private static func looksLegacy(_ payload: [UInt8]) -> Bool {
        !SupportMap.isMap(UInt32(payload[1])) || payload[2] == 0xFF
    }

    // MARK: CAN

    /// `46 {MID TID UASID value min max}`.
    private mutating func decodeResults(
        _ answer: Answer, asked: ArraySlice<UInt8>, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let begin = out.count
        var place = 1
        while place < payload.count {
            let rest = payload.count - place
            if place > 1, !rest.isMultiple(of: 9), RecordSplitter.isFiller(payload, from: place) {
                return
            }
            let mid = payload[place]
            // Neither whole tests nor a requested test: a byte before it was lost.
            if place > 1, !rest.isMultiple(of: 9), !asked.isEmpty, !asked.contains(mid) {
                giveUp(answer.leftOver(from: place), from: begin, memory, &out)
                return
            }
            guard rest >= 9 else {
                out.append(
                    answer.error(
                        .tooShort(
                            DataID(.monitorTests, UInt32(mid)), expected: 8, received: rest - 1)))
                return
            }
            guard asked.isEmpty || asked.contains(mid), !SupportMap.isMap(UInt32(mid)) else {
                out.append(.message(answer.message))
                return
            }
            out.append(.monitorTest(result(answer, mid: mid, place + 1, place..<place + 9)))
            place += 9
        }
    }

    /// Results at a data identifier: `{TID UASID value min max}`, optionally with the monitor ID before each.
    ///
    /// Nothing before a result shows where the result begins, so that only whole results are read.
    func decodeTestRecords(
        _ answer: Answer, mid: UInt8, _ data: Range<Int>, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let withMonitor = stride(from: data.lowerBound, to: data.upperBound, by: 9)
        let repeatsMonitor =
            data.count.isMultiple(of: 9) && withMonitor.allSatisfy { payload[$0] == mid }
        let length = repeatsMonitor ? 9 : 8
        guard data.count.isMultiple(of: length) else {
            let id = DataID(.readData, 0xF600 | UInt32(mid))
            out.append(
                answer.error(
                    data.count < length
                        ? .tooShort(id, expected: length, received: data.count)
                        : .malformed("\(id) has \(data.count) bytes, which are not whole results")))
            return
        }
        for place in stride(from: data.lowerBound, to: data.upperBound, by: length) {
            let start = repeatsMonitor ? place + 1 : place
            out.append(
                .monitorTest(result(answer, mid: mid, start, place..<place + length)))
        }
    }

    /// A result whose `TID UASID value min max` begin at `place`.
    private func result(
        _ answer: Answer, mid: UInt8, _ place: Int, _ record: Range<Int>
    ) -> MonitorTestResult {
        let payload = answer.payload
        let tid = payload[place]
        let uas = payload[place + 1]
        var result = MonitorTestResult(
            ecu: answer.ecu, tid: tid, raw: InlineBytes(payload[record]), line: answer.line)
        result.mid = mid
        result.monitor = monitors.monitorName(mid, tid: tid, uas: uas)
        result.test = monitors.tests[tid]?.name
        result.uas = uas
        let raw = (0..<3).map { index -> Int in
            let high = UInt16(payload[place + 2 + index * 2])
            let bits = high << 8 | UInt16(payload[place + 3 + index * 2])
            // IDs from 80 on are signed, even unknown ones.
            return uas >= 0x80 ? Int(Int16(bitPattern: bits)) : Int(bits)
        }
        let scaling = monitors.scalings[uas]
        let scaled = raw.map { scaling?.number(raw: $0) ?? Double($0) }
        result.value = scaled[0]
        result.min = scaled[1]
        result.max = scaled[2]
        result.unit = scaling.flatMap { $0.unit.isEmpty ? nil : $0.unit }
        if raw != [0, 0, 0] { result.passed = raw[1] <= raw[0] && raw[0] <= raw[2] }
        return result
    }

    // MARK: Protocols before CAN

    /// `46 TID component value limit`, and `46 00 FF map`.
    private func decodeLegacyTest(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        let tid = payload[1]
        guard payload.count >= 7 else {
            out.append(
                answer.error(
                    .tooShort(
                        DataID(.monitorTests, UInt32(tid)), expected: 5,
                        received: payload.count - 2)))
            return
        }
        if tid == 0x00 || (SupportMap.isMap(UInt32(tid)) && payload[2] == 0xFF) {
            appendSupportMap(answer, DataID(.monitorTests, UInt32(tid)), at: 3, row: 1, &out)
        } else {
            let value = UInt16(payload[3]) << 8 | UInt16(payload[4])
            let limit = UInt16(payload[5]) << 8 | UInt16(payload[6])
            var result = MonitorTestResult(
                ecu: answer.ecu, tid: tid, raw: InlineBytes(payload[1..<7]), line: answer.line)
            result.component = payload[2] & 0x7F
            result.value = Double(value)
            if payload[2] & 0x80 == 0 {
                result.max = Double(limit)
                result.passed = value <= limit
            } else {
                result.min = Double(limit)
                result.passed = value >= limit
            }
            if value == 0 && limit == 0 { result.passed = nil }
            out.append(.monitorTest(result))
        }
        answer.checkRest(from: 7, &out)
    }

    /// Service 05, only before CAN: `45 TID sensor value`, with both limits for measured values.
    func decodeOxygenSensorTest(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard answer.isCAN != true, payload.count > 2, answer.echoes(1), answer.echoes(2),
            let test = monitors.tests[payload[1]], let scaling = test.scaling
        else {
            out.append(.message(answer.message))
            return
        }
        let length = test.hasLimits ? 6 : 4
        guard payload.count >= length else {
            out.append(
                answer.error(
                    .tooShort(
                        DataID(.oxygenSensorTests, UInt32(payload[1])), expected: length - 2,
                        received: payload.count - 2)))
            return
        }
        var result = MonitorTestResult(
            ecu: answer.ecu, tid: payload[1], raw: InlineBytes(payload[1..<length]),
            line: answer.line)
        result.test = test.name
        result.component = payload[2]
        result.value = scaling.number(raw: Int(payload[3]))
        result.unit = scaling.unit
        if test.hasLimits {
            result.min = scaling.number(raw: Int(payload[4]))
            result.max = scaling.number(raw: Int(payload[5]))
            if payload[3..<6] != [0, 0, 0] {
                result.passed = payload[4] <= payload[3] && payload[3] <= payload[5]
            }
        }
        out.append(.monitorTest(result))
        answer.checkRest(from: length, &out)
    }
}
