import OBDCore

/// SAE J1939-73: DM4, the values at the time when a code became active.
extension ResponseDecoder {
    /// DM4.
    static let freezeFrames: UInt32 = 0xFECD

    /// `length, code, torque mode, boost, speed, load, coolant, vehicle speed, …`, one frame after another.
    ///
    /// The length counts the bytes after the length byte. Data after the vehicle speed are
    /// manufacturer-specific and stay a message, as does an answer without a frame.
    func decodeFreezeFrames(
        _ answer: Answer, _ record: PIDTable.Record, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let id = record.dataID
        // Length and code are always present, regardless of a user's table.
        let fixed = max(5, record.length.lowerBound)
        var place = 0
        var number: UInt8 = 0
        var hasMore = false
        while place < payload.count {
            let length = Int(payload[place])
            guard length != 0, !payload[place...].allSatisfy({ $0 == 0xFF }) else {
                hasMore = hasMore || place == 0
                break
            }
            let available = payload.count - place
            guard length + 1 >= fixed, length < available else {
                out.append(
                    answer.error(
                        .tooShort(id, expected: max(fixed, length + 1), received: available)))
                return
            }
            if let code = Self.parameterCode(payload, at: place + 1) {
                var origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
                origin.frame = number
                origin.parameterCode = code
                records.decode(
                    payload, place..<place + fixed, signals: record.signals, origin
                ) {
                    out.append(.reading($0))
                }
            }
            hasMore = hasMore || length + 1 > fixed
            number &+= 1
            place += length + 1
        }
        if hasMore { out.append(.message(answer.message)) }
    }

    /// The code in four bytes, `SPN SPN SPN:3|FMI:5 CM:1|OC:7`.
    ///
    /// Nil if there is none: all zeros mean no code, and all ones mean not available.
    static func parameterCode(_ payload: [UInt8], at place: Int) -> J1939Code? {
        let third = payload[place + 2]
        let fourth = payload[place + 3]
        let spn =
            UInt32(payload[place]) | UInt32(payload[place + 1]) << 8 | UInt32(third >> 5) << 16
        let fmi = third & 0x1F
        if (spn == 0 && fmi == 0) || (spn == 0x7FFFF && fmi == 0x1F) { return nil }
        return J1939Code(
            spn: spn, fmi: fmi, occurrenceCount: fourth & 0x7F,
            conversionMethod: fourth & 0x80 != 0)
    }
}
