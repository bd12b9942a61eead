import OBDCore

/// Lists of codes: services 03, 07 and 0A, and KWP's service 18.
extension ResponseDecoder {
    /// On CAN `43 n` and n codes; before CAN `43` and three codes, with 0000 for empty entries.
    func decodeCodes(_ answer: Answer, _ kind: CodeReport.Kind, _ out: inout [DiagnosticItem]) {
        let length = answer.payload.count - 1
        guard length > 0 else {
            out.append(answer.error(.malformed("list of codes without data")))
            return
        }
        guard let isCounted = isCounted(answer, kind) else {
            let list = CodeListForm(answer.payload)
            out.append(
                answer.error(
                    .unsettled([
                        Self.text(of: list.codesOnCAN) + " on CAN",
                        Self.text(of: list.codesBefore) + " before CAN",
                    ])))
            return
        }
        if isCounted, CodeListForm(answer.payload).mayLackItsCount(answer, evidence) {
            let list = CodeListForm(answer.payload)
            out.append(
                answer.error(
                    .unsettled([
                        Self.text(of: list.codesOnCAN) + " after a count",
                        Self.text(of: list.codesBefore) + " without a count",
                    ])))
        } else if isCounted {
            decodeCountedCodes(answer, kind, recordLength: 2, &out)
        } else if length == 6 {
            appendCodes(answer, kind, places: [1, 3, 5], &out)
        } else {
            // With a header the frame's checksum was valid, so complete codes count even if others are
            // missing. Without one, bytes may be missing anywhere.
            if answer.isCAN == false, answer.ecu != nil, length.isMultiple(of: 2) {
                appendCodes(
                    answer, kind, places: stride(from: 1, to: answer.payload.count, by: 2), &out)
            }
            out.append(
                answer.error(.malformed("list of codes has \(counted(length, "byte")), 6 expected"))
            )
        }
    }

    /// Whether a list begins with its count; nil if nothing settles that.
    ///
    /// If the family is unknown, the parity shows it: the length is even for codes only and odd with a count.
    /// Permanent codes only exist on CAN.
    private func isCounted(_ answer: Answer, _ kind: CodeReport.Kind) -> Bool? {
        if let isCAN = answer.isCAN { return isCAN }
        if kind == .permanent { return true }
        let list = CodeListForm(answer.payload)
        if let form = list.settled(by: evidence) { return form == .counted }
        return list.isEither ? nil : answer.payload.count.isMultiple(of: 2)
    }

    private static func text(of codes: [DTC]) -> String {
        codes.isEmpty ? "no codes" : codes.map(\.description).joined(separator: " ")
    }

    /// KWP: `53 n` and n codes; `57 n` or `58 n` and n pairs of a code and its status (ISO 14230-3).
    func decodeCodesOfKWP(
        _ answer: Answer, recordLength: Int, _ out: inout [DiagnosticItem]
    ) {
        guard answer.payload.count > 1 else {
            out.append(answer.error(.malformed("list of codes without data")))
            return
        }
        // SAE J2190 has the same services with other answers.
        let end = 2 + Int(answer.payload[1]) * recordLength
        let fits =
            answer.payload.count == end || RecordSplitter.isFiller(answer.payload, from: end)
        let isOfKWP = answer.family == .iso14230 || answer.family == .can
        guard answer.payload[0] == 0x58 || isOfKWP || fits && answer.family != .j1850 else {
            out.append(.message(answer.message))
            return
        }
        decodeCountedCodes(answer, .stored, recordLength: recordLength, &out)
    }

    private func decodeCountedCodes(
        _ answer: Answer, _ kind: CodeReport.Kind, recordLength: Int, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let announced = Int(payload[1])
        let end = 2 + announced * recordLength
        guard payload.count >= end,
            payload.count == end || RecordSplitter.isFiller(payload, from: end)
        else {
            let received = (payload.count - 2) / recordLength
            // A wrong count does not invalidate the codes of a bus that has counts. Six bytes may also be the
            // three entries of ECUs before CAN, which have no count.
            if recordLength != 2 || payload.count != 7 && answer.family != nil {
                appendCodes(
                    answer, kind,
                    places: stride(from: 2, to: 2 + received * recordLength, by: recordLength)
                        .prefix { !RecordSplitter.isUsualFiller(payload, from: $0) },
                    hasStatus: recordLength == 3, &out)
            }
            out.append(
                announced == received
                    ? answer.error(.leftOver(InlineBytes(payload[end...])))
                    : answer.error(.count(announced: announced, received: received)))
            return
        }
        // The count announces codes, but all places are empty: that is an error, and not the answer "no codes".
        if announced > 0, payload[2..<end].allSatisfy({ $0 == 0 }) {
            out.append(answer.error(.count(announced: announced, received: 0)))
            return
        }
        appendCodes(
            answer, kind, places: stride(from: 2, to: end, by: recordLength),
            hasStatus: recordLength == 3, &out)
    }

    private func appendCodes(
        _ answer: Answer, _ kind: CodeReport.Kind, places: some Sequence<Int>,
        hasStatus: Bool = false, _ out: inout [DiagnosticItem]
    ) {
        // 18 01 and 18 03 list every code that the ECU supports, and 17 the code that it is asked about.
        let listsHealthy =
            answer.payload[0] == 0x57
            || hasStatus && [0x01, 0x03].contains(answer.request?.dropFirst().first)
        var leftOut = false
        for place in places {
            let code = UInt16(answer.payload[place]) << 8 | UInt16(answer.payload[place + 1])
            guard code != 0 else { continue }
            var report = CodeReport(
                ecu: answer.ecu, kind: kind, code: .dtc(DTC(code)), line: answer.line)
            if hasStatus {
                let status = answer.payload[place + 2]
                report.statusByte = status
                // Bits 6 and 5 (ISO 14230-3): 01 stored, 10 maturing and not stored yet, 11 present
                // and stored, 00 no state.
                switch status >> 5 & 0x03 {
                case 0x02: report.kind = .pending
                case 0x00 where listsHealthy:
                    leftOut = true
                    continue
                default: break
                }
            }
            out.append(.code(report))
        }
        // Codes without a fault are not reported as faults, but the message is kept.
        if leftOut { out.append(.message(answer.message)) }
    }
}
