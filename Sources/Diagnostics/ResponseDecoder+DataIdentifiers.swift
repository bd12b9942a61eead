import OBDCore

/// UDS ReadDataByIdentifier; in SAE J1979-2 the classic services are at DIDs F4xx–F8xx.
extension ResponseDecoder {
    /// The record of a DID: its own, or that of the PID for F4xx.
    func record(ofDataIdentifier did: UInt32, from ecu: ECUAddress?) -> PIDTable.Record? {
        if let own = table.record(DataID(.readData, did), from: ecu) { return own }
        guard did & 0xFF00 == 0xF400 else { return nil }
        return table.record(DataID(.currentData, did & 0xFF), from: ecu)
    }

    /// Whether a DID is a support map: F400, F420, … to F8E0.
    static func isSupportMap(_ did: UInt32) -> Bool {
        (0xF400...0xF8FF).contains(did) && SupportMap.isMap(did)
    }

    mutating func decodeDataIdentifiers(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count > 3 else {
            out.append(answer.error(.malformed("answer without data")))
            return
        }
        if let items = texts(in: answer) {
            for (did, data) in items { appendText(answer, did, data, &out) }
            return
        }
        let did = UInt32(payload[1]) << 8 | UInt32(payload[2])
        if table.record(DataID(.readData, did), from: answer.ecu) == nil, !Self.isSupportMap(did),
            (0xF600...0xF8FF).contains(did)
        {
            decodeSoleIdentifier(answer, did, &out)
            return
        }
        if answer.request.map({ $0.count <= 3 }) ?? true,
            let record = identification(did, from: answer.ecu)
        {
            decodeIdentification(answer, did, record, 3..<payload.count, &out)
            return
        }
        let begin = out.count
        let before = memory.revision
        walkIdentifiers(answer, &out)
        if memory.revision != before {
            out.removeSubrange(begin...)
            walkIdentifiers(answer, &out)
        }
    }

    private mutating func walkIdentifiers(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        var splitter = RecordSplitter(
            answer.payload, layout: .dataIdentifier, request: answer.request)
        var isForeign = false
        var isFirst = true
        let begin = out.count
        let known = memory
        var start = 1
        // The start of a record that was not requested and follows one that was.
        var unasked: Int?
        walk: while true {
            let step = splitter.next { did in
                // The end of a text is not marked.
                if identification(did, from: answer.ecu) != nil { return nil }
                if let record = record(ofDataIdentifier: did, from: answer.ecu) {
                    return record.length
                }
                if did == Self.readinessOnUDS {
                    return Self.readinessOnUDSLength...Self.readinessOnUDSLength
                }
                return Self.isSupportMap(did) ? 4...4 : nil
            }
            switch step {
            case .record(let did, _, let data):
                decodeIdentifier(answer, did, data, &out)
                start = data.upperBound
            case .foreign:
                if !isFirst, !isForeign, answer.request != nil { unasked = start }
                isForeign = true
            case .unknown(let start, let wasAsked):
                if isFirst || (wasAsked && answer.request != nil) { isForeign = true }
                if isForeign, unasked == nil { break walk }
                giveUp(answer.leftOver(from: unasked ?? start), from: begin, known, &out)
                return
            case .tooShort(let did, let expected, let received):
                giveUp(
                    answer.error(
                        .tooShort(
                            DataID(.readData, did), expected: expected, received: received)),
                    from: begin, known, &out)
                return
            case .leftOver(let rest):
                if isForeign, unasked == nil { break walk }
                giveUp(
                    answer.leftOver(from: unasked ?? rest.lowerBound), from: begin, known, &out)
                return
            case .end:
                // One record too many and another missing means that a byte was lost.
                guard let unasked, !splitter.awaitsNothing else { break walk }
                giveUp(answer.leftOver(from: unasked), from: begin, known, &out)
                return
            }
            isFirst = false
        }
        if isForeign { out.append(.message(answer.message)) }
    }

    mutating func decodeIdentifier(
        _ answer: Answer, _ did: UInt32, _ data: Range<Int>, _ out: inout [DiagnosticItem]
    ) {
        let dataID = DataID(.readData, did)
        if let own = table.record(dataID, from: answer.ecu) {
            let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: dataID, line: answer.line)
            records.decode(answer.payload, data, signals: own.signals, origin) {
                out.append(.reading($0))
            }
        } else if did & 0xFF00 == 0xF400 {
            decodeCurrentData(answer, dataID, pid: did & 0xFF, data, &out)
        } else if did == Self.readinessOnUDS {
            appendReadings(answer, dataID, 0x01, data, only: ["MIL", "DTC_CNT"], &out)
            appendReadinessOnUDS(answer, data, &out)
        } else {
            appendSupportMap(answer, dataID, at: data.lowerBound, &out)
        }
    }

    /// The record of an identification (ISO 14229-1: F180 to F19F) that is a single text of any length.
    func identification(_ did: UInt32, from ecu: ECUAddress?) -> PIDTable.Record? {
        guard (0xF180...0xF19F).contains(did),
            let record = table.record(DataID(.readData, did), from: ecu),
            record.length.lowerBound < record.length.upperBound, record.signals.count == 1,
            record.signals.allSatisfy({
                [.text, .bytes].contains(table[SignalIndex(rawValue: $0)].kind)
            })
        else { return nil }
        return record
    }

    /// `62 F1 90` and text up to the end of the answer.
    ///
    /// The standard leaves the format to the manufacturer. Data that are not printable text, with or without
    /// padding, stay a message.
    func decodeIdentification(
        _ answer: Answer, _ did: UInt32, _ record: PIDTable.Record, _ range: Range<Int>,
        _ out: inout [DiagnosticItem]
    ) {
        let data = answer.payload[range]
        let text = InfoText.trimmed(data)
        let index = SignalIndex(rawValue: record.signals.lowerBound)
        let isText = table[index].kind == .text
        let isReadable =
            isText
            ? text.allSatisfy { (0x20..<0x7F).contains($0) }
            : data.count >= record.length.lowerBound
        let isAsked = range.lowerBound > 3 || answer.echoes(1) && answer.echoes(2)
        guard isAsked, data.count <= record.length.upperBound, isReadable,
            did != Self.vin || text.count <= VIN.length
        else {
            out.append(.message(answer.message))
            return
        }
        let id = DataID(.readData, did)
        if did == Self.vin {
            appendVIN(text, answer, id, index, raw: data, &out)
            return
        }
        let value: Reading.Value =
            isText || text.isEmpty ? InfoText.value(of: text) : .text(Hex.string(data))
        out.append(
            .reading(
                Reading(
                    ecu: answer.ecu, dataID: id, signal: index, value: value,
                    raw: InlineBytes(data), line: answer.line)))
    }

    static let vin: UInt32 = 0xF190

    /// F6xx and F8xx: their data extend to the end of the answer.
    private func decodeSoleIdentifier(
        _ answer: Answer, _ did: UInt32, _ out: inout [DiagnosticItem]
    ) {
        guard answer.echoes(1), answer.echoes(2) else {
            out.append(.message(answer.message))
            return
        }
        let payload = answer.payload
        switch did {
        case 0xF600...0xF6FF:
            // Records without the monitor ID, which is in the DID. Unverified: it only follows from the
            // ranges of ISO 14229-1.
            decodeTestRecords(
                answer, mid: UInt8(truncatingIfNeeded: did), 3..<payload.count, &out)
        case 0xF800...0xF8FF where answer.request.map({ $0.count <= 3 }) ?? true:
            appendInfoType(
                answer, infoType: did & 0xFF, DataID(.readData, did), 3..<payload.count,
                count: .maybe, &out)
        default: out.append(.message(answer.message))
        }
    }

    /// Appends the reading of a support map of four bytes at `place`.
    ///
    /// `row` is the signal of the map's record; before CAN it is the second one of service 06.
    func appendSupportMap(
        _ answer: Answer, _ dataID: DataID, at place: Int, row: Int = 0,
        _ out: inout [DiagnosticItem]
    ) {
        let bytes = answer.payload[place..<place + 4]
        guard let signal = supportMapSignal(for: dataID, row: row) else {
            out.append(.message(answer.message))
            return
        }
        let raw = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        out.append(
            .reading(
                Reading(
                    ecu: answer.ecu, dataID: dataID, signal: signal, value: .supportMap(raw: raw),
                    raw: InlineBytes(bytes), line: answer.line)))
    }

    /// The table's signal for a support map: the signal of its own service, or else that of service
    /// 01.
    private func supportMapSignal(for dataID: DataID, row: Int) -> SignalIndex? {
        var services = [dataID]
        if dataID.service == .readData {
            let classic: Service =
                switch dataID.id & 0xFF00 {
                case 0xF600: .monitorTests
                case 0xF800: .vehicleInformation
                default: .currentData
                }
            services.append(DataID(classic, dataID.id & 0xFF))
        }
        services += [DataID(.currentData, dataID.id & 0xFF), DataID(.currentData, 0x00)]
        for candidate in services {
            guard let record = table.record(candidate) else { continue }
            let maps = record.signals.filter {
                table[SignalIndex(rawValue: $0)].kind == .supportMap
            }
            if let index = maps.dropFirst(row).first ?? maps.first {
                return SignalIndex(rawValue: index)
            }
        }
        return nil
    }
}
