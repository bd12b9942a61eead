import OBDCore

/// UDS ReadDTCInformation (ISO 14229-1), which SAE J1979-2 also uses.
extension ResponseDecoder {
    /// The layout of a report: its header and its records.
    private struct Form {
        /// The start of the first record.
        var start: Int
        /// The number of bytes in a record.
        var recordLength = 4
        /// The position of the code in a record; the status follows it.
        var codeOffset = 0
        /// The position of the severity in a record.
        var severityOffset: Int?
        /// The position of the status availability mask; nil if there is none.
        var maskAt: Int? = 2
        /// The position of the severity availability mask.
        var severityMaskAt: Int?
        /// The position of the DTC format identifier; nil for codes of SAE J2012.
        var formatAt: Int?
        /// The status of all codes in the report; nil if their status bytes determine it.
        var kind: CodeReport.Kind?
        /// Whether the report has codes with and without a fault.
        var listsHealthy = false
    }

    private static func form(of report: UInt8) -> Form? {
        switch report {
        // By status mask, first and most recent failures, in the mirror memory, emission codes:
        // `59 xx mask {DTC status}`.
        case 0x02, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x13: Form(start: 3)
        // In a memory that the manufacturer defines: `59 17 memory mask {DTC status}`.
        case 0x17: Form(start: 4, maskAt: 3)
        // All codes that have a record of extended data: `59 1A mask record {DTC status}`.
        case 0x1A: Form(start: 4, listsHealthy: true)
        // All codes that the ECU supports.
        case 0x0A: Form(start: 3, listsHealthy: true)
        // Permanent codes.
        case 0x15: Form(start: 3, kind: .permanent)
        // By severity: `59 xx mask {severity, functional unit, DTC, status}`.
        case 0x08, 0x09:
            Form(start: 3, recordLength: 6, codeOffset: 2, severityOffset: 0)
        // WWH-OBD: `59 42 group mask severityMask format {severity, DTC, status}`.
        case 0x42:
            Form(
                start: 6, recordLength: 5, codeOffset: 1, severityOffset: 0, maskAt: 3,
                severityMaskAt: 4, formatAt: 5)
        // WWH-OBD permanent codes: `59 55 group mask format {DTC, status}`.
        case 0x55: Form(start: 5, maskAt: 3, formatAt: 4, kind: .permanent)
        // Codes of a readiness group: `59 56 group mask format RGID {DTC, status}`.
        case 0x56: Form(start: 6, maskAt: 3, formatAt: 4, listsHealthy: true)
        default: nil
        }
    }

    mutating func decodeCodeInformation(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count > 1 else {
            out.append(answer.error(.malformed("report on codes without its kind")))
            return
        }
        if let request = answer.request, request.count > 1, request[1] & 0x7F != payload[1] {
            out.append(.message(answer.message))
            return
        }
        // Another memory than the one that was requested, or another record.
        if let place = Self.placeInRequest(of: payload[1]), let request = answer.request,
            request.count > place, payload.count > 2, request[place] != payload[2]
        {
            out.append(.message(answer.message))
            return
        }
        // A functional group or readiness group that was not requested.
        if [0x42, 0x55, 0x56].contains(payload[1]), payload.count > 2,
            !answer.echoes(2)
                || payload[1] == 0x56 && !isOfReadinessGroupAsked(answer)
        {
            out.append(.message(answer.message))
            return
        }
        switch payload[1] {
        case 0x04, 0x05, 0x18: decodeSnapshot(answer, &out)
        case 0x06, 0x10, 0x19: decodeExtendedData(answer, &out)
        case 0x01, 0x07, 0x11, 0x12: decodeCodeCount(answer, &out)
        case 0x03: decodeSnapshotList(answer, &out)
        default:
            guard let form = Self.form(of: payload[1]) else {
                out.append(.message(answer.message))
                return
            }
            decodeReport(answer, form, &out)
        }
    }

    /// The position in the request of the memory or record that is the third byte of the answer.
    private static func placeInRequest(of report: UInt8) -> Int? {
        switch report {
        case 0x05: 2
        case 0x17: 3
        case 0x18, 0x19: 6
        default: nil
        }
    }

    private func isOfReadinessGroupAsked(_ answer: Answer) -> Bool {
        guard let request = answer.request, request.count > 3, answer.payload.count > 5 else {
            return true
        }
        return request[3] == answer.payload[5]
    }

    private func decodeReport(_ answer: Answer, _ form: Form, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count >= form.start else {
            out.append(
                answer.error(
                    .malformed(
                        "report \(Hex.string([payload[1]])) has \(counted(payload.count, "byte")), at least "
                            + "\(form.start) expected")))
            return
        }
        let format =
            form.formatAt.map { payload[$0] } ?? memory.codeFormat(of: answer.speaker) ?? 0x01
        guard Self.isKnown(format: format) else {
            out.append(.message(answer.message))
            return
        }
        if payload[1] == 0x56 { appendReadinessGroup(answer, &out) }
        var place = form.start
        var leftOut = false
        scan: while place + form.recordLength <= payload.count {
            switch padding(of: answer, from: place, form) {
            case .padding: break scan
            case .unsettled:
                out.append(unsettledRecord(answer, place + form.codeOffset, format))
                place = payload.count
                break scan
            case .record: break
            }
            defer { place += form.recordLength }
            var status = payload[place + form.codeOffset + 3]
            // ECUs with WWH-OBD may repeat the masks of the request, which would clear all status bits.
            if let mask = form.maskAt, form.formatAt == nil || status & payload[mask] != 0 {
                status &= payload[mask]
            }
            if form.listsHealthy && status & Self.faultBits == 0 {
                leftOut = true
                continue
            }
            guard let code = Self.code(payload, place + form.codeOffset, format: format) else {
                continue
            }
            if Self.neverFailed(status, payload, form) {
                leftOut = true
                continue
            }
            var report = CodeReport(
                ecu: answer.ecu,
                kind: form.kind ?? Self.kind(of: status, form.maskAt.map { payload[$0] } ?? 0xFF),
                code: code, line: answer.line)
            report.statusByte = status
            if let offset = form.severityOffset {
                let severity = payload[place + offset]
                let mask = form.severityMaskAt.map { payload[$0] } ?? 0xFF
                report.severity = severity & mask == 0 && mask != 0 ? severity : severity & mask
            }
            out.append(.code(report))
        }
        // Codes without a fault are not reported as faults, but the message is kept.
        if leftOut { out.append(.message(answer.message)) }
        answer.checkRest(from: place, &out)
    }

    /// The kind of the bytes after a record.
    private enum Rest {
        case record, padding
        /// A record of one repeated byte, or padding.
        case unsettled
    }

    /// The kind of the bytes from `place` on, at which a record may begin.
    ///
    /// Where a frame shows its length, there is no padding in a message.
    private func padding(of answer: Answer, from place: Int, _ form: Form) -> Rest {
        let payload = answer.payload
        guard RecordSplitter.isFiller(payload, from: place) else { return .record }
        if !(payload.count - place).isMultiple(of: form.recordLength) { return .padding }
        let filler = payload[place]
        // Entries of 00 and FF are empty.
        guard answer.ecu == nil, answer.message.frames <= 1, answer.isCAN != false,
            filler != 0x00, filler != 0xFF
        else { return .record }
        if let known = evidence.filler { return known == filler ? .padding : .record }
        return evidence.isUnpadded ? .record : .unsettled
    }

    /// Whether a report consists of its header and whole records.
    func isWholeReport(_ payload: [UInt8]) -> Bool {
        switch payload[1] {
        case 0x01, 0x07, 0x11, 0x12: return payload.count == 6
        default:
            guard let form = Self.form(of: payload[1]), payload.count >= form.start else {
                return false
            }
            return (payload.count - form.start).isMultiple(of: form.recordLength)
        }
    }

    /// Whether `answer` has a record that may be padding.
    func hasUnsettledRecord(_ answer: Answer) -> Bool {
        guard answer.payload.count > 1, let form = Self.form(of: answer.payload[1]) else {
            return false
        }
        let places = stride(
            from: form.start, through: answer.payload.count - form.recordLength,
            by: form.recordLength)
        return places.contains { padding(of: answer, from: $0, form) == .unsettled }
    }

    private func unsettledRecord(_ answer: Answer, _ place: Int, _ format: UInt8) -> DiagnosticItem
    {
        let filler = Hex.string([answer.payload[place]])
        let code: String
        switch Self.code(answer.payload, place, format: format) {
        case .dtc(let dtc)?: code = dtc.description
        case .j1939(let parameter)?: code = parameter.text
        case nil: code = "no code"
        }
        return answer.error(.unsettled(["padding with \(filler)", code]))
    }

    /// Test failed, pending, confirmed, warning indicator.
    private static let faultBits: UInt8 = 0x8D

    /// Whether the status says that the test of this code never failed.
    ///
    /// An ECU that is asked with the mask FF also lists codes whose test was not completed. Where an ECU
    /// supports no status bit, the list itself is the statement.
    private static func neverFailed(_ status: UInt8, _ payload: [UInt8], _ form: Form) -> Bool {
        guard form.kind == nil, form.formatAt == nil, let mask = form.maskAt else { return false }
        return payload[mask] != 0 && status & Self.failureBits == 0
    }

    /// Test failed, failed this cycle, pending, confirmed, failed since cleared, warning indicator.
    private static let failureBits: UInt8 = 0xAF

    /// `pending` for a code that failed and is not confirmed; else `stored`.
    ///
    /// A code for which the warning light is on counts as stored. So does each code of an ECU that does not
    /// support the bit of confirmed codes in its status.
    private static func kind(of status: UInt8, _ supported: UInt8 = 0xFF) -> CodeReport.Kind {
        if status & 0x0C == 0x04 { return .pending }
        // Failed now, failed in this cycle, failed since cleared.
        let isUnconfirmed = status & 0x88 == 0 && status & 0x23 != 0
        return supported & 0x08 != 0 && isUnconfirmed ? .pending : .stored
    }

    /// Formats of SAE J2012, ISO 14229-1 and SAE J1939-73; ISO 11992-4 (03) is not decoded.
    private static func isKnown(format: UInt8) -> Bool {
        switch format {
        case 0x00, 0x01, 0x02, 0x04: true
        default: false
        }
    }

    /// A code of three bytes; nil for an empty entry.
    static func code(_ payload: [UInt8], _ place: Int, format: UInt8) -> CodeReport.Code? {
        let high = payload[place]
        let middle = payload[place + 1]
        let low = payload[place + 2]
        if format == 0x02 {
            let spn = UInt32(high) | UInt32(middle) << 8 | UInt32(low >> 5) << 16
            guard spn != 0 || low != 0 else { return nil }
            return .j1939(
                J1939Code(
                    spn: spn, fmi: low & 0x1F, occurrenceCount: 127, conversionMethod: false))
        }
        let code = UInt16(high) << 8 | UInt16(middle)
        // FFFFFF means all codes and is never a single code.
        guard code != 0, code != 0xFFFF || low != 0xFF else { return nil }
        return .dtc(DTC(code, failureType: low))
    }

    // MARK: Data kept with a code

    /// The position of the code in an answer with the data of one code: the memory or record may come before it.
    static func placeOfCode(in report: UInt8) -> Int {
        switch report {
        case 0x05, 0x18, 0x19: 3
        default: 2
        }
    }

    /// The code before snapshot and extended data: `59 04 DTC status …`; nil if it is incomplete.
    func appendCode(_ answer: Answer, _ out: inout [DiagnosticItem]) -> DTC? {
        let payload = answer.payload
        let place = Self.placeOfCode(in: payload[1])
        // Without a code, the record is empty.
        if payload[1] == 0x05, payload.count == place {
            out.append(.message(answer.message))
            return nil
        }
        guard payload.count >= place + 4 else {
            out.append(
                answer.error(
                    .malformed(
                        "code with data has \(counted(payload.count, "byte")), \(place + 4) expected"
                    )))
            return nil
        }
        // A record is requested by its number.
        let asked = payload[1] == 0x05 ? [] : answer.request.map { $0.dropFirst(2).prefix(3) } ?? []
        if asked.count == 3, !payload[place..<place + 3].elementsEqual(asked) {
            out.append(.message(answer.message))
            return nil
        }
        guard case .dtc(let code)? = Self.code(payload, place, format: 0x01) else {
            out.append(.message(answer.message))
            return nil
        }
        let status = payload[place + 3]
        var report = CodeReport(
            ecu: answer.ecu, kind: Self.kind(of: status), code: .dtc(code), line: answer.line)
        report.statusByte = status
        out.append(.code(report))
        return code
    }

    /// `59 06 DTC status {record, data}`; the message does not show the meaning of the data or where they
    /// end.
    private func decodeExtendedData(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        guard appendCode(answer, &out) != nil,
            answer.payload.count > Self.placeOfCode(in: answer.payload[1]) + 4
        else { return }
        out.append(.message(answer.message))
    }
}
