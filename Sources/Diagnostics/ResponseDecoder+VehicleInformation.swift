import OBDCore

/// Service 09: identification, calibration, in-use counters.
extension ResponseDecoder {
    /// Whether the number of data items comes before the data.
    enum ItemCount {
        /// Service 09 on CAN.
        case always
        /// The DIDs F8xx of SAE J1979-2; some ECUs send this identification with them.
        case maybe
        /// Messages joined from numbered parts.
        case never
    }

    /// Info types whose data ECUs before CAN send in numbered parts.
    private static let inParts: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0B]
    /// Info types with the number of those parts.
    private static let partCounts: Set<UInt8> = [0x01, 0x03, 0x05, 0x07, 0x09]

    mutating func decodeVehicleInformation(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count > 2 else {
            out.append(answer.error(.malformed("answer without data")))
            return
        }
        let infoType = payload[1]
        let asked = answer.request?.dropFirst() ?? []
        guard asked.isEmpty || asked.contains(infoType) else {
            out.append(.message(answer.message))
            return
        }
        if SupportMap.isMap(UInt32(infoType)) {
            decodeInfoTypeMaps(answer, &out)
        } else if Self.partCounts.contains(infoType) {
            decodePartCount(answer, &out)
        } else if answer.isCAN != true, payload.count <= 7, Self.inParts.contains(infoType) {
            decodePart(answer, &out)
        } else if answer.isCAN == false, payload.count <= 7 {
            out.append(.message(answer.message))
        } else {
            appendInfoType(
                answer, infoType: UInt32(infoType), DataID(.vehicleInformation, UInt32(infoType)),
                2..<payload.count, count: .always, &out)
        }
    }

    /// On CAN `49 00 map`, possibly several; before CAN `49 00 01 map`.
    private func decodeInfoTypeMaps(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        let id = DataID(.vehicleInformation, UInt32(payload[1]))
        let isNumbered = answer.isCAN.map { !$0 } ?? (payload.count == 7 && payload[2] == 0x01)
        guard isNumbered else {
            decodeMaps(answer, .vehicleInformation, &out)
            return
        }
        guard payload.count >= 7 else {
            out.append(answer.error(.tooShort(id, expected: 5, received: payload.count - 2)))
            return
        }
        appendSupportMap(answer, id, at: 3, &out)
        answer.checkRest(from: 7, &out)
    }

    /// Maps of five bytes each, beginning with the identifier, up to the end of the answer.
    func decodeMaps(_ answer: Answer, _ service: Service, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        var place = 1
        while place < payload.count {
            let id = DataID(service, UInt32(payload[place]))
            let isWhole = place + 5 <= payload.count && SupportMap.isMap(id.id)
            if place > 1 && !isWhole {
                answer.checkRest(from: place, &out)
                return
            }
            guard isWhole else {
                out.append(
                    answer.error(.tooShort(id, expected: 4, received: payload.count - place - 1)))
                return
            }
            appendSupportMap(answer, id, at: place + 1, &out)
            place += 5
        }
    }

    /// `49 01 05`: the VIN has five messages.
    private mutating func decodePartCount(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        let id = DataID(.vehicleInformation, UInt32(payload[1]))
        parts.announce(payload[2], infoType: payload[1] + 1, ecu: answer.ecu)
        if let record = table.record(id), record.length == 1...1 {
            let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: id, line: answer.line)
            records.decode(payload, 2..<3, signals: record.signals, origin) {
                out.append(.reading($0))
            }
        } else {
            out.append(.message(answer.message))
        }
        answer.checkRest(from: 3, &out)
    }

    // MARK: Numbered parts

    private mutating func decodePart(_ answer: Answer, _ out: inout [DiagnosticItem]) {
        let payload = answer.payload
        guard payload.count == 7 else {
            out.append(
                answer.error(
                    .tooShort(
                        DataID(.vehicleInformation, UInt32(payload[1])), expected: 5,
                        received: payload.count - 2)))
            return
        }
        let hasRoom = parts.add(
            number: payload[2], data: payload[3...], infoType: payload[1], ecu: answer.ecu,
            line: answer.line)
        if !hasRoom { out.append(answer.error(.malformed("too many unfinished answers"))) }
    }

    mutating func joinParts(_ out: inout [DiagnosticItem]) {
        guard !parts.isEmpty else { return }
        for (key, found) in parts.takeAll() {
            join(found, key, announced: parts.announcedCount(key), &out)
        }
    }

    private func join(
        _ found: LegacyMultipart.Parts, _ key: LegacyMultipart.Key, announced: UInt8?,
        _ out: inout [DiagnosticItem]
    ) {
        let message = ECUMessage(
            ecu: key.ecu, payload: [0x49, key.infoType], line: found.line,
            frames: found.data.count)
        func fail(_ fault: DecodeError.Fault) {
            out.append(.error(DecodeError(fault, ecu: key.ecu, line: found.line)))
        }
        if let number = found.contradiction {
            fail(.malformed("part \(number) came twice with different data"))
            return
        }
        var joined: [UInt8] = []
        var expected: UInt8 = 1
        for (number, data) in found.data.sorted(by: { $0.key < $1.key }) {
            guard number == expected else {
                fail(.messageCount(expected: expected, received: number))
                return
            }
            joined += data
            expected &+= 1
        }
        if let announced, announced > found.data.count {
            fail(
                .malformed(
                    "\(found.data.count) parts of \(announced), as info type "
                        + "\(Hex.string([key.infoType - 1])) announced"))
            return
        }
        var whole = message
        whole.payload += joined
        let answer = Answer(whole, in: Exchange(family: .iso9141), evidence)
        appendInfoType(
            answer, infoType: UInt32(key.infoType),
            DataID(.vehicleInformation, UInt32(key.infoType)), 2..<whole.payload.count,
            count: .never, &out)
    }

    // MARK: Items

    /// Appends the readings of an info type in `payload[data]`; `dataID` is the requested identifier.
    func appendInfoType(
        _ answer: Answer, infoType: UInt32, _ dataID: DataID, _ data: Range<Int>,
        count: ItemCount, _ out: inout [DiagnosticItem]
    ) {
        guard let record = table.record(DataID(.vehicleInformation, infoType)),
            let first = record.signals.first
        else {
            out.append(.message(answer.message))
            return
        }
        switch infoType {
        case 0x02: appendVIN(answer, dataID, data, SignalIndex(rawValue: first), count, &out)
        case 0x08:
            appendCounters(answer, dataID, data, record.signals, count, allowed: [16, 20], &out)
        case 0x0B:
            // The edition of 2007 has sixteen; without a count, a part may be missing.
            appendCounters(
                answer, dataID, data, record.signals, count,
                allowed: count == .never ? [18] : [16, 18], &out)
        default:
            appendItems(answer, dataID, data, record, count, &out)
        }
    }

    func appendVIN(
        _ answer: Answer, _ dataID: DataID, _ data: Range<Int>, _ signal: SignalIndex,
        _ count: ItemCount, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        var text = data
        switch count {
        case .always:
            guard payload[data.lowerBound] == 1 else {
                out.append(
                    answer.error(.malformed("\(payload[data.lowerBound]) VINs announced")))
                return
            }
            text = data.lowerBound + 1..<data.upperBound
        case .maybe:
            if data.count == 18 && payload[data.lowerBound] == 1 {
                text = data.lowerBound + 1..<data.upperBound
            }
        case .never: break
        }
        guard text.count >= 17 else {
            out.append(answer.error(.tooShort(dataID, expected: 17, received: text.count)))
            return
        }
        let characters = InfoText.trimmed(payload[text])
        guard characters.count <= 17 else {
            out.append(answer.error(.leftOver(InlineBytes(characters.dropFirst(17)))))
            return
        }
        appendVIN(characters, answer, dataID, signal, raw: payload[text], &out)
    }

    /// Appends the VIN in `characters`, at most 17 of them; a shorter one is reported as too short.
    func appendVIN(
        _ characters: ArraySlice<UInt8>, _ answer: Answer, _ dataID: DataID, _ signal: SignalIndex,
        raw: ArraySlice<UInt8>, _ out: inout [DiagnosticItem]
    ) {
        let isShort = !characters.isEmpty && characters.count < VIN.length
        var reading = Reading(
            ecu: answer.ecu, dataID: dataID, signal: signal,
            value: isShort ? .missing(.tooShort, code: nil) : InfoText.value(of: characters),
            raw: InlineBytes(characters.count == VIN.length ? characters : raw), line: answer.line)
        if case .text(let found) = reading.value {
            reading.checkDigit = VIN(found)?.hasValidCheckDigit ?? false
        }
        out.append(.reading(reading))
    }

    /// Counters of two bytes each; the number of items is the number of counters.
    private func appendCounters(
        _ answer: Answer, _ dataID: DataID, _ data: Range<Int>, _ signals: Range<Int32>,
        _ count: ItemCount, allowed: [Int], _ out: inout [DiagnosticItem]
    ) {
        var bytes = data
        let announced = Int(answer.payload[data.lowerBound])
        if count == .always || (count == .maybe && !data.count.isMultiple(of: 2)) {
            bytes = data.lowerBound + 1..<data.upperBound
            let end = bytes.lowerBound + announced * 2
            guard end <= data.upperBound else {
                out.append(
                    answer.error(
                        .tooShort(dataID, expected: announced * 2, received: bytes.count)))
                return
            }
            bytes = bytes.lowerBound..<end
        }
        // Later editions append counters after the known ones.
        let known = min(bytes.count / 2, allowed.max() ?? 0)
        guard bytes.count.isMultiple(of: 2), allowed.contains(known), known <= signals.count else {
            let message = answer.error(
                .malformed(
                    "\(dataID) has \(bytes.count / 2) counters, "
                        + "\(allowed.map(String.init).joined(separator: " or ")) expected"))
            out.append(message)
            return
        }
        let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: dataID, line: answer.line)
        let knownBytes = bytes.lowerBound..<bytes.lowerBound + known * 2
        records.decode(answer.payload, knownBytes, signals: signals, origin) {
            out.append(.reading($0))
        }
        if known < bytes.count / 2 { out.append(.message(answer.message)) }
        answer.checkRest(from: bytes.upperBound, &out)
    }

    /// Items of equal length: calibration IDs, verification numbers, names.
    private func appendItems(
        _ answer: Answer, _ dataID: DataID, _ data: Range<Int>, _ record: PIDTable.Record,
        _ count: ItemCount, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let length = record.length.upperBound
        var items = data
        let announced = Int(payload[data.lowerBound])
        if count == .always || (count == .maybe && data.count == 1 + announced * length) {
            let end = data.lowerBound + 1 + announced * length
            guard announced > 0 else {
                out.append(.message(answer.message))
                return
            }
            if announced == 1, data.count > 1, end > data.upperBound, answer.isCAN != false,
                isText(record)
            {
                // Some ECUs shorten a calibration ID if it is the only one.
                let text = data.lowerBound + 1..<data.upperBound
                appendWholeItems(answer, dataID, text, text.count, record.signals, &out)
                return
            }
            guard end <= data.upperBound else {
                out.append(
                    answer.error(
                        .tooShort(
                            dataID, expected: announced * length, received: data.count - 1)))
                return
            }
            items = data.lowerBound + 1..<end
            defer { answer.checkRest(from: end, &out) }
            appendWholeItems(answer, dataID, items, length, record.signals, &out)
            return
        }
        // Parts of four bytes each are joined, and the last is filled with zeros before or after its data.
        guard items.count >= length, items.count.isMultiple(of: length) else {
            let expected = (items.count / length + 1) * length
            out.append(answer.error(.tooShort(dataID, expected: expected, received: items.count)))
            return
        }
        appendWholeItems(answer, dataID, items, length, record.signals, &out)
    }

    /// Whether an item is a single text, padded or not.
    private func isText(_ record: PIDTable.Record) -> Bool {
        record.signals.count == 1
            && record.signals.allSatisfy { table[SignalIndex(rawValue: $0)].kind == .text }
    }

    private func appendWholeItems(
        _ answer: Answer, _ dataID: DataID, _ items: Range<Int>, _ length: Int,
        _ signals: Range<Int32>, _ out: inout [DiagnosticItem]
    ) {
        let payload = answer.payload
        let origin = RecordDecoder.Origin(ecu: answer.ecu, dataID: dataID, line: answer.line)
        for start in stride(from: items.lowerBound, to: items.upperBound, by: length) {
            let item = start..<start + length
            for index in signals {
                let signal = SignalIndex(rawValue: index)
                guard table[signal].kind == .text else {
                    records.decode(payload, item, signals: index..<index + 1, origin) {
                        out.append(.reading($0))
                    }
                    continue
                }
                // Names are `ECM`, zeros, `-`, text; the zeros are not separators.
                let isName = dataID.id & 0xFF == 0x0A
                let bytes = isName ? payload[item].filter { $0 != 0 } : Array(payload[item])
                out.append(
                    .reading(
                        Reading(
                            ecu: answer.ecu, dataID: dataID, signal: signal,
                            value: InfoText.value(of: InfoText.trimmed(bytes[...])),
                            raw: InlineBytes(payload[item]), line: answer.line)))
            }
        }
    }
}

/// The text of info types, padded with zeros, blanks or FF on either side.
enum InfoText {
    /// The bytes without the padding.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var kept = bytes
        while let last = kept.last, isPadding(last) { kept.removeLast() }
        while let first = kept.first, isPadding(first) { kept.removeFirst() }
        return kept
    }

    /// The text, with unprintable bytes as `\xHH`; padding only is not a text.
    static func value(of trimmed: ArraySlice<UInt8>) -> Reading.Value {
        trimmed.isEmpty ? .missing(.notAvailable, code: nil) : .text(Signal.text(of: trimmed))
    }

    private static func isPadding(_ byte: UInt8) -> Bool {
        byte == 0x00 || byte == 0x20 || byte == 0xFF
    }
}
