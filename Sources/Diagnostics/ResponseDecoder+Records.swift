import OBDCore

/// Services 01 and 02, and the KWP services 1A and 21: identifiers followed by data.
extension ResponseDecoder {
    mutating func decodeRecords(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        guard answer.payload.count > 1 else {
            out.append(answer.error(.malformed("answer without data")))
            return
        }
        if isExactly(answer) {
            decodeExactly(answer, &out)
            return
        }
        let begin = out.count
        let before = memory.revision
        if !walkRecords(answer, &out), let merged = withoutRepeatedService(answer) {
            out.removeSubrange(begin...)
            decodeRecords(merged, &out)
            return
        }
        // A record that affects others also affects those before it.
        if memory.revision != before {
            out.removeSubrange(begin...)
            walkRecords(answer, &out)
        }
    }

    /// The answer without the service that some adapters repeat before each record; nil if this is not such
    /// an answer: `41 0C 1A F8 41 0D 20`.
    private func withoutRepeatedService(_ answer: Answer) -> Answer? {
        let payload = answer.payload
        guard let request = answer.request, request.count > 2, payload[0] == 0x41 else {
            return nil
        }
        var merged: [UInt8] = [0x41]
        var records = 0
        var place = 0
        while place < payload.count {
            if place > 0, RecordSplitter.isFiller(payload, from: place) { break }
            guard place + 1 < payload.count, payload[place] == 0x41,
                request.dropFirst().contains(payload[place + 1]),
                let record = table.recordPlace(
                    DataID(.currentData, UInt32(payload[place + 1])), from: answer.ecu)
            else { return nil }
            let length = table.records[record].length
            let end = place + 2 + length.lowerBound
            guard length.lowerBound == length.upperBound, end <= payload.count else { return nil }
            merged += payload[place + 1..<end]
            place = end
            records += 1
        }
        return records > 1 ? Answer(answer, payload: merged) : nil
    }

    /// Ends an answer that is longer or shorter than its records.
    ///
    /// The lost or extra byte may be before any of them, so none of their values can be trusted.
    mutating func giveUp(
        _ error: DiagnosticItem, from begin: Int, _ known: ECUMemory,
        _ out: inout [DiagnosticItem]
    ) {
        out.removeSubrange(begin...)
        memory = known
        out.append(error)
    }

    /// Whether an answer of service 01 has exactly the requested records in their order, each with its only
    /// possible length, and none that affects others.
    ///
    /// This is true for nearly all answers of a poll, which need no further analysis.
    private func isExactly(_ answer: Answer) -> Bool {
        let payload = answer.payload
        guard let request = answer.request, request.count > 1, payload[0] == 0x41,
            memory.overrides(of: answer.speaker) == nil
        else { return false }
        var place = 1
        for index in 1..<request.count {
            let id = request[index]
            guard place < payload.count, payload[place] == id, !Self.tellsOfOthers(id),
                let record = table.recordPlace(DataID(.currentData, UInt32(id)), from: answer.ecu)
            else { return false }
            let length = table.records[record].length
            guard length.lowerBound == length.upperBound else { return false }
            place += 1 + length.lowerBound
        }
        return place == payload.count
    }

    /// Whether a PID's data affect how other records are decoded.
    private static func tellsOfOthers(_ pid: UInt8) -> Bool {
        switch pid {
        case 0x01, 0x41, 0x4F, 0x50: true
        default: false
        }
    }

    private func decodeExactly(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        var place = 1
        while place < answer.payload.count {
            let id = DataID(.currentData, UInt32(answer.payload[place]))
            guard let record = table.recordPlace(id, from: answer.ecu) else { return }
            let data = place + 1..<place + 1 + table.records[record].length.lowerBound
            let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
            records.decode(answer.payload, data, signals: table.records[record].signals, origin) {
                out.append(.reading($0))
            }
            place = data.upperBound
        }
    }

    /// Decodes record by record; false if the records do not match the length of the answer.
    @discardableResult
    private mutating func walkRecords(
        _ answer: Answer, _ out: inout [DiagnosticItem]
    ) -> Bool {
        let service = Service(answer.payload[0] & ~0x40)
        let layout: RecordSplitter.Layout = service == .freezeFrame ? .pidAndFrame : .pid
        // A freeze frame has the records of service 01.
        let tableService = service == .freezeFrame ? .currentData : service
        let records = table.records
        let ecu = answer.ecu
        var splitter = RecordSplitter(answer.payload, layout: layout, request: answer.request)
        var isForeign = false
        var isFirst = true
        let begin = out.count
        let known = memory
        // The start of the next record.
        var start = 1
        // The start of a record that was not requested and follows one that was.
        var unasked: Int?
        walk: while true {
            let step = splitter.next { id in
                table.recordPlace(DataID(tableService, id), from: ecu).map {
                    records[$0].length
                }
            }
            switch step {
            case .record(let id, let frame, let data):
                decodeRecord(answer, DataID(service, id), frame, data, &out)
                start = data.upperBound
            case .foreign:
                if !isFirst, !isForeign, answer.request != nil { unasked = start }
                isForeign = true
            case .unknown(let start, let wasAsked):
                if isFirst || (wasAsked && answer.request != nil) { isForeign = true }
                if isForeign, unasked == nil { break walk }
                giveUp(answer.leftOver(from: unasked ?? start), from: begin, known, &out)
                return false
            case .tooShort(let id, let expected, let received):
                giveUp(
                    tooShort(answer, DataID(service, id), expected, received), from: begin, known,
                    &out)
                return false
            case .leftOver(let rest):
                if isForeign, unasked == nil { break walk }
                giveUp(
                    answer.leftOver(from: unasked ?? rest.lowerBound), from: begin, known, &out)
                return false
            case .end:
                // One record too many and another missing means that a byte was lost.
                guard let unasked, !splitter.awaitsNothing else { break walk }
                giveUp(answer.leftOver(from: unasked), from: begin, known, &out)
                return false
            }
            isFirst = false
        }
        if isForeign { out.append(.message(answer.message)) }
        return true
    }

    private func tooShort(
        _ answer: Answer, _ id: DataID, _ expected: Int, _ received: Int
    ) -> DiagnosticItem {
        if id.service == .freezeFrame && received + 1 == expected {
            return answer.error(
                .malformed("\(id) has a byte too few: frame number missing or data cut short"))
        }
        return answer.error(.tooShort(id, expected: expected, received: received))
    }

    private static let vinOfKWP = DataID(Service(0x1A), 0x90)

    private mutating func decodeRecord(
        _ answer: Answer, _ dataID: DataID, _ frame: UInt8?, _ data: Range<Int>,
        _ out: inout [DiagnosticItem]
    ) {
        if dataID.service == .freezeFrame {
            decodeFrozenRecord(answer, dataID, frame ?? 0, data, &out)
        } else if dataID.service == .currentData {
            decodeCurrentData(answer, dataID, pid: dataID.id, data, &out)
        } else if let place = table.recordPlace(dataID, from: answer.ecu) {
            if let first = table.records[place].signals.first, dataID == Self.vinOfKWP {
                appendVIN(answer, dataID, data, SignalIndex(rawValue: first), .never, &out)
                return
            }
            let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: dataID, line: answer.line)
            records.decode(answer.payload, data, signals: table.records[place].signals, origin) {
                out.append(.reading($0))
            }
        }
    }

    /// A record of PID `pid`, requested by service 01 or as a data identifier F4xx.
    mutating func decodeCurrentData(
        _ answer: Answer, _ dataID: DataID, pid: UInt32, _ data: Range<Int>,
        _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        switch pid {
        case 0x01 where data.count == 4:
            appendReadings(answer, dataID, pid, data, only: ["MIL", "DTC_CNT"], &out)
            memory.remember(isCompression: payload[data.lowerBound + 1] & 0x08 != 0, answer.speaker)
            MonitorStatus.append(payload[data], .sinceClear, answer.ecu, answer.line, &out)
            return
        case 0x41 where data.count == 4:
            // Old ECUs do not set the bit for compression ignition here, but their PID 01 has the bit.
            MonitorStatus.append(
                payload[data], .thisCycle, answer.ecu, answer.line,
                isCompression: memory.isCompression(answer.speaker), &out)
            return
        case 0x4F, 0x50: memory.updateOverrides(of: answer.speaker, pid: pid, payload[data])
        default: break
        }
        appendReadings(answer, dataID, pid, data, only: nil, &out)
    }

    /// Appends the readings of PID `pid`, or only those of the signals in `only`.
    @inline(__always)
    func appendReadings(
        _ answer: Answer, _ dataID: DataID, _ pid: UInt32, _ data: Range<Int>, only ids: [String]?,
        _ out: inout [DiagnosticItem]
    ) {
        guard let place = table.recordPlace(DataID(.currentData, pid), from: answer.ecu) else {
            return
        }
        let overrides = memory.overrides(of: answer.speaker)
        if overrides?.hidesRange(ofPID: pid) == true {
            appendOnce(answer.message, &out)
            return
        }
        let origin = RecordDecoder.Origin(
            ecu: answer.ecu, dataID: dataID, line: answer.line, overrides: overrides, pid: pid)
        records.decode(answer.payload, data, signals: table.records[place].signals, origin) {
            reading in
            if let ids, !ids.contains(table[reading.signal].id) { return }
            out.append(.reading(reading))
        }
    }

    /// Appends a message once for all of its records with unknown ranges.
    private func appendOnce(_ message: ECUMessage, _ out: inout [DiagnosticItem]) {
        if !out.contains(.message(message)) { out.append(.message(message)) }
    }

    private mutating func decodeFrozenRecord(
        _ answer: Answer, _ dataID: DataID, _ frame: UInt8, _ data: Range<Int>,
        _ out: inout [DiagnosticItem]
    ) {
        let pid = dataID.id
        guard let place = table.recordPlace(DataID(.currentData, pid), from: answer.ecu) else {
            return
        }
        let payload = answer.payload
        if pid == 0x02, data.count == 2 {
            let code = UInt16(payload[data.lowerBound]) << 8 | UInt16(payload[data.lowerBound + 1])
            // 0000 means that no code froze a frame, and testers are to ignore the other data (SAE J1979). decode
            // shows what was sent: these readings name no code, and an ECU may have answered 02 02 before the
            // fault. The live scan of freeze frames stops at the code.
            memory.remember(code == 0 ? nil : DTC(code), of: answer.speaker, frame: frame)
        }
        let overrides = memory.overrides(of: answer.speaker)
        if overrides?.hidesRange(ofPID: pid) == true {
            appendOnce(answer.message, &out)
            return
        }
        let origin = RecordDecoder.Origin(
            ecu: answer.ecu, dataID: dataID, line: answer.line, frame: frame,
            dtc: pid == 0x02 ? nil : memory.code(of: answer.speaker, frame: frame),
            overrides: overrides, pid: pid)
        records.decode(payload, data, signals: table.records[place].signals, origin) {
            out.append(.reading($0))
        }
    }
}

extension MonitorStatus {
    /// The monitors of a spark ignition engine in bytes C and D, from bit 0 on.
    private static let spark: [Monitor?] = [
        .catalyst, .heatedCatalyst, .evaporative, .secondaryAir, .gpfOrACRefrigerant,
        .oxygenSensor, .oxygenSensorHeater, .egrVvt,
    ]
    /// The monitors of a compression ignition engine; two bits are reserved.
    private static let compression: [Monitor?] = [
        .nmhcCatalyst, .noxSCR, nil, .boostPressure, nil, .exhaustGasSensor, .pmFilter, .egrVvt,
    ]

    /// Appends the monitors in bytes A–D of PID 01 or 41.
    ///
    /// Byte B: bits 0–2 supported, 4–6 not complete, bit 3 set for compression ignition. Byte C: supported,
    /// byte D: not complete (SAE J1979-DA). `isCompression` takes precedence over bit 3.
    static func append(
        _ bytes: ArraySlice<UInt8>, _ scope: Scope, _ ecu: ECUAddress?, _ line: Int,
        isCompression: Bool? = nil, _ out: inout [DiagnosticItem]
    ) {
        guard bytes.count == 4 else { return }
        let b = bytes[bytes.startIndex + 1]
        let c = bytes[bytes.startIndex + 2]
        let d = bytes[bytes.startIndex + 3]
        func append(_ monitor: Monitor, _ isSupported: Bool, _ isIncomplete: Bool) {
            out.append(
                .monitor(
                    MonitorStatus(
                        ecu: ecu, scope: scope, monitor: monitor, supported: isSupported,
                        complete: isSupported ? !isIncomplete : nil, line: line)))
        }
        for (bit, monitor) in [Monitor.misfire, .fuelSystem, .components].enumerated() {
            append(monitor, b & (0x01 << UInt8(bit)) != 0, b & (0x10 << UInt8(bit)) != 0)
        }
        for (bit, monitor) in (isCompression ?? (b & 0x08 != 0) ? compression : spark).enumerated()
        {
            guard let monitor else { continue }
            append(monitor, c & (1 << UInt8(bit)) != 0, d & (1 << UInt8(bit)) != 0)
        }
    }
}
