import OBDCore

/// UDS snapshots (ISO 14229-1), which are the freeze frames of SAE J1979-2.
extension ResponseDecoder {
    /// A data identifier in a snapshot record and the position of its data.
    private struct SnapshotItem {
        var frame: UInt8
        var did: UInt32
        var record: PIDTable.Record
        var data: Range<Int>
    }

    /// The ways to split the bytes of a snapshot.
    private enum Cutting {
        /// The record can be split to its end in exactly one way.
        case one([SnapshotItem])
        /// The record can be split in several ways, and nothing shows which is right.
        case several
        /// An identifier with an unknown length, so that the rest cannot be split.
        case unknownIdentifier
        /// The record cannot be split.
        case none
    }

    /// `59 04 DTC status {record, count, {DID data}}`; with the memory before the code `59 18`.
    ///
    /// `59 05 record DTC status count {DID data}` has a single record, and its number before the code.
    ///
    /// The lengths of the data are not transmitted. If an identifier's data can have several lengths, the one
    /// is used with which the rest can be split completely.
    func decodeSnapshot(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let start = Self.placeOfCode(in: answer.payload[1]) + 4
        guard let code = appendCode(answer, &out), answer.payload.count > start else { return }
        switch cut(answer) {
        case .one(let items):
            for item in items {
                let origin = RecordDecoder.Origin(
                    ecu: answer.ecu, dataID: DataID(.readData, item.did), line: answer.line,
                    frame: item.frame, dtc: code, overrides: memory.overrides(of: answer.speaker),
                    pid: item.did & 0xFF00 == 0xF400 ? item.did & 0xFF : nil)
                records.decode(answer.payload, item.data, signals: item.record.signals, origin) {
                    out.append(.reading($0))
                }
            }
        case .several, .unknownIdentifier: out.append(.message(answer.message))
        case .none:
            out.append(answer.error(.malformed("snapshot whose records have no known length")))
        }
    }

    /// `59 01 mask format count`, and the same of reports 07, 11 and 12: the number of matching codes.
    ///
    /// 11 counts in the mirror memory, 12 the codes of emissions; the answers have the parts of report 01.
    mutating func decodeCodeCount(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let id = DataID(.readCodeInformation, UInt32(answer.payload[1]))
        let byStatus = DataID(.readCodeInformation, 0x01)
        guard let record = table.record(id) ?? table.record(byStatus) else {
            out.append(.message(answer.message))
            return
        }
        let end = 2 + record.length.upperBound
        guard answer.payload.count >= end else {
            out.append(
                answer.error(
                    .tooShort(
                        id, expected: record.length.upperBound, received: answer.payload.count - 2))
            )
            return
        }
        let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
        records.decode(answer.payload, 2..<end, signals: record.signals, origin) {
            out.append(.reading($0))
        }
        memory.remember(codeFormat: answer.payload[3], of: answer.speaker)
        answer.checkRest(from: end, &out)
    }

    /// `59 03 {DTC record}`: the codes that have snapshots, and which.
    func decodeSnapshotList(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        let id = DataID(.readCodeInformation, 0x03)
        guard let record = table.record(id) else {
            out.append(.message(answer.message))
            return
        }
        var place = 2
        while place + 4 <= payload.count, !RecordSplitter.isFiller(payload, from: place) {
            var origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
            origin.dtc = DTC(
                UInt16(payload[place]) << 8 | UInt16(payload[place + 1]),
                failureType: payload[place + 2])
            records.decode(payload, place..<place + 4, signals: record.signals, origin) {
                out.append(.reading($0))
            }
            place += 4
        }
        answer.checkRest(from: place, &out)
    }

    private func cut(_ answer: Answer) -> Cutting {
        let payload = answer.payload
        let start = Self.placeOfCode(in: payload[1]) + 4
        var search = SnapshotSearch(decoder: self, answer: answer)
        if payload[1] == 0x05 {
            search.readItems(Int(payload[start]), frame: payload[2], from: start + 1, [])
        } else {
            search.readFrames(from: start, [])
        }
        // A search that was given up may have found others.
        if search.found.count > 1 || search.budget <= 0 { return .several }
        if search.found.count == 1 { return .one(search.found[0]) }
        return search.metUnknown ? .unknownIdentifier : .none
    }

    /// A search through the possible lengths of each identifier's data.
    private struct SnapshotSearch {
        let decoder: ResponseDecoder
        let answer: Answer
        var found: [[SnapshotItem]] = []
        var metUnknown = false
        /// The remaining steps; far more than a real snapshot needs, so that the search ends for a forged
        /// one.
        var budget = 4096

        mutating func readFrames(from place: Int, _ items: [SnapshotItem]) {
            let payload = answer.payload
            if place == payload.count
                || !items.isEmpty && RecordSplitter.isFiller(payload, from: place)
            {
                found.append(items)
                return
            }
            guard place + 2 <= payload.count else { return }
            readItems(
                Int(payload[place + 1]), frame: payload[place], from: place + 2, items)
        }

        mutating func readItems(
            _ count: Int, frame: UInt8, from place: Int, _ items: [SnapshotItem]
        ) {
            budget -= 1
            guard budget > 0, found.count < 2 else { return }
            guard count > 0 else {
                readFrames(from: place, items)
                return
            }
            let payload = answer.payload
            guard place + 2 <= payload.count else { return }
            let did = UInt32(payload[place]) << 8 | UInt32(payload[place + 1])
            guard let record = decoder.record(ofDataIdentifier: did, from: answer.ecu) else {
                metUnknown = true
                return
            }
            for length in record.length where place + 2 + length <= payload.count {
                let data = place + 2..<place + 2 + length
                let item = SnapshotItem(frame: frame, did: did, record: record, data: data)
                readItems(count - 1, frame: frame, from: data.upperBound, items + [item])
            }
        }
    }
}
