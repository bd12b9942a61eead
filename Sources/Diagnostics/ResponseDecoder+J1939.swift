import OBDCore

/// SAE J1939: diagnostic messages, and parameter groups from the table.
extension ResponseDecoder {
    func decodeParameterGroup(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        guard let group = answer.message.parameterGroup, answer.asks(for: group) else {
            out.append(.message(answer.message))
            return
        }
        let id = DataID(DataID.parameterGroups, group)
        let record = table.record(id, from: answer.ecu)
        if let kind = Self.listKind(of: group) {
            decodeDiagnosticMessage(answer, kind, isActive: Self.isActive(group), &out)
            if let record, record.isNamed { decodeGroup(answer, record, &out) }
            return
        }
        guard let record else {
            out.append(.message(answer.message))
            return
        }
        if record.isNamed { return decodeGroup(answer, record, &out) }
        switch group {
        case Self.calibrations: decodeCalibrations(answer, record, &out)
        case Self.freezeFrames: decodeFreezeFrames(answer, record, &out)
        default:
            decodeGroup(answer, record, &out)
            if group == Self.software { appendFurtherParts(answer, record, &out) }
            if let scope = Self.readinessScope(of: group) { appendReadiness(answer, scope, &out) }
        }
    }

    /// Appends the parameters of a group.
    ///
    /// A short answer to a request is an error. In a broadcast message, a parameter that is not wholly inside
    /// has no value.
    private func decodeGroup(
        _ answer: Answer, _ record: PIDTable.Record, _ out: inout [DiagnosticItem]
    ) {
        let length = answer.payload.count
        if length < record.length.lowerBound {
            // Single frames of a longer group on the second page are fast packets of NMEA 2000.
            if record.dataID.id > 0xFFFF {
                out.append(.message(answer.message))
                return
            }
            guard answer.request == nil else {
                let fault = DecodeError.Fault.tooShort(
                    record.dataID, expected: record.length.lowerBound, received: length)
                out.append(answer.error(fault))
                return
            }
        }
        let end = min(length, record.length.upperBound)
        let origin = RecordDecoder.Origin(
            ecu: answer.ecu, dataID: record.dataID, line: answer.line)
        records.decode(answer.payload, 0..<end, signals: record.signals, origin) {
            out.append(.reading($0))
        }
        if end < length { answer.checkRest(from: end, &out) }
    }

    /// Software identification: any number of texts that each end with an asterisk.
    private static let software: UInt32 = 0xFEDA

    /// Appends one reading for each text after the first.
    private func appendFurtherParts(
        _ answer: Answer, _ record: PIDTable.Record, _ out: inout [DiagnosticItem]
    ) {
        guard let index = record.signals.last else { return }
        let signal = SignalIndex(rawValue: index)
        let texts = answer.payload.dropFirst().split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        for text in texts.dropFirst() {
            let bytes = InfoText.trimmed(text)
            guard !bytes.isEmpty else { continue }
            out.append(
                .reading(
                    Reading(
                        ecu: answer.ecu, dataID: record.dataID, signal: signal,
                        value: InfoText.value(of: bytes), raw: InlineBytes(text),
                        line: answer.line)))
        }
    }

    /// The status of the codes in a diagnostic message of SAE J1939-73; nil for any other group.
    static func listKind(of group: UInt32) -> CodeReport.Kind? {
        switch group {
        // DM1 active, DM2 previously active, DM12 emission-related active, DM23 emission-related previously
        // active.
        case 0xFECA, 0xFECB, 0xFED4, 0xFDB5: .stored
        // DM6 emission-related pending, DM27 all pending.
        case 0xFECF, 0xFD82: .pending
        // DM28 permanent.
        case 0xFD80: .permanent
        default: nil
        }
    }

    private static func isActive(_ group: UInt32) -> Bool? {
        switch group {
        case 0xFECA, 0xFED4: true
        case 0xFECB, 0xFDB5: false
        default: nil
        }
    }

    /// Two bytes of lamps, then four bytes per code.
    private func decodeDiagnosticMessage(
        _ answer: Answer, _ kind: CodeReport.Kind, isActive: Bool?, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        guard payload.count >= 6 else {
            out.append(
                answer.error(
                    .malformed(
                        "diagnostic message of \(counted(payload.count, "byte")), at least 6 expected"
                    ))
            )
            return
        }
        let lamps = CodeReport.Lamps(byte: payload[0])
        let begin = out.count
        var place = 2
        while place + 4 <= payload.count {
            defer { place += 4 }
            guard let code = Self.parameterCode(payload, at: place) else { continue }
            var report = CodeReport(
                ecu: answer.ecu, kind: kind, code: .j1939(code), line: answer.line)
            report.lamps = lamps
            report.isActive = isActive
            out.append(.code(report))
        }
        // A lamp that is on without a code belongs to no code, but must be kept.
        if out.count == begin, lamps.isAnyOn { out.append(.message(answer.message)) }
        answer.checkRest(from: place, &out)
    }
}

extension CodeReport.Lamps {
    /// The lamps of a diagnostic message's first byte, two bits each: malfunction, red stop, amber warning,
    /// protect.
    init(byte: UInt8) {
        // 00 off, 01 on; 10 and 11 mean nothing.
        func lamp(_ shift: UInt8) -> Bool? {
            switch byte >> shift & 0x03 {
            case 0x00: false
            case 0x01: true
            default: nil
            }
        }
        self.init(
            malfunction: lamp(6), redStop: lamp(4), amberWarning: lamp(2), protect: lamp(0))
    }
}

extension Answer {
    /// Whether the request, if it is for a parameter group, is for `group`.
    ///
    /// Some adapters expect the number with the most, others with the least significant byte first.
    func asks(for group: UInt32) -> Bool {
        guard let request, (2...3).contains(request.count) else { return true }
        let forward = request.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let backward = request.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return forward == group || backward == group
    }
}
