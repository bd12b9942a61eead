import Diagnostics
import OBDCore

/// Writes our signals in the formats of other programs.
package struct TableExport: Sendable {
    /// A signal that the format cannot express.
    package struct LeftOut: Hashable, Sendable {
        /// The identifier of the signal's record.
        package var dataID: DataID
        package var signal: String
        package var reason: String
    }

    package struct Record: Sendable {
        package var record: PIDTable.Record
        package var signals: [Signal]

        package init(record: PIDTable.Record, signals: [Signal]) {
            self.record = record
            self.signals = signals
        }
    }

    package private(set) var text = ""
    /// Signals that are not in the file.
    package private(set) var leftOut: [LeftOut] = []
    /// The number of signals in the file.
    package private(set) var count = 0

    /// The forms that can be written; others are only read.
    package enum Form: String, CaseIterable, Sendable {
        case obdb, torque, dbc
    }

    /// Writes records in a form.
    package init(_ records: [Record], as form: Form) {
        let heard = records.filter { $0.record.dataID.service == DataID.frames }
        for record in heard {
            for signal in record.signals {
                leave(signal, of: record, "its message is not an answer to a request")
            }
        }
        let records = records.filter { $0.record.dataID.service != DataID.frames }
        switch form {
        case .obdb: writeOBDb(records)
        case .torque: writeTorque(records)
        case .dbc: writeDBC(records)
        }
    }

    private mutating func leave(_ signal: Signal, of record: Record, _ reason: String) {
        leftOut.append(
            LeftOut(dataID: record.record.dataID, signal: signal.id, reason: reason))
    }

    /// Why no other program can express the signal; nil if one may.
    private static func obstacle(_ signal: Signal) -> String? {
        if signal.supportFlag != nil || signal.condition != nil {
            return "its presence depends on another signal"
        }
        if signal.formula != nil { return "it is not one factor and offset" }
        if signal.part != nil { return "it is a part of a text" }
        switch signal.kind {
        case .code, .supportMap: return "it is neither a number nor a text"
        case .number, .flag, .enumeration, .text, .bytes: return nil
        }
    }

    // MARK: OBDb

    private mutating func writeOBDb(_ records: [Record]) {
        var commands: [String] = []
        for record in records {
            guard let command = Self.command(record.record) else {
                for signal in record.signals {
                    leave(signal, of: record, "its address has no OBDb form")
                }
                continue
            }
            var lines: [String] = []
            for signal in record.signals {
                guard let format = format(signal, of: record) else { continue }
                lines.append(
                    "    {\"id\": \(Self.quoted(signal.id)), \"path\": \"Imported\", \"fmt\": {\(format)}, "
                        + "\"name\": \(Self.quoted(signal.name))}")
            }
            guard !lines.isEmpty else { continue }
            count += lines.count
            commands.append(
                "  {\(command), \"freq\": 1,\n   \"signals\": [\n" + lines.joined(separator: ",\n")
                    + "\n  ]}")
        }
        text = "{\"commands\": [\n" + commands.joined(separator: ",\n") + "\n]}\n"
    }

    private static func command(_ record: PIDTable.Record) -> String? {
        var fields: [String] = []
        let reply = record.responder
        switch record.target?.form {
        case .can11?, nil:
            let target = record.target
            fields.append("\"hdr\": \"\(target?.digits ?? "7DF")\"")
            if let reply {
                guard reply.form == .can11 else { return nil }
                fields.append("\"rax\": \"\(reply.digits)\"")
            }
            if let extended = target?.extended {
                fields.append("\"eax\": \"\(Hex.string([extended]))\"")
                if let tester = reply?.extended, tester != extended {
                    fields.append("\"tst\": \"\(Hex.string([tester]))\"")
                }
            }
        case .can29?:
            guard let target = record.target, target.extended == nil else { return nil }
            let (priority, tester) = (target.value >> 24, target.value & 0xFF)
            fields.append("\"hdr\": \"\(Hex.string(target.value >> 8 & 0xFFFF, digits: 4))\"")
            if priority != 0x18 { fields.append("\"pri\": \"\(Hex.string(priority, digits: 2))\"") }
            if tester != 0xF1 { fields.append("\"tst\": \"\(Hex.string(tester, digits: 2))\"") }
            if let reply {
                guard reply.form == .can29, reply.value >> 24 == priority else { return nil }
                let isUsual = reply.value >> 8 & 0xFFFF == 0xDAF1
                fields.append(
                    isUsual
                        ? "\"rax\": \"\(Hex.string(reply.value & 0xFF, digits: 2))\""
                        : "\"rax\": \"\(Hex.string(reply.value & 0xFF_FFFF, digits: 6))\"")
            }
        case .byte?, .logical?: return nil
        }
        let id = record.dataID
        fields.append("\"cmd\": {\"\(id.service)\": \"\(id.idText)\"}")
        if let years = filter(record.years) { fields.append("\"filter\": {\(years)}") }
        return fields.joined(separator: ", ")
    }

    /// The filter for one range of years, or for all years except one range.
    private static func filter(_ years: [ClosedRange<Int>]) -> String? {
        let first = OBDbReader.Years.first
        let last = OBDbReader.Years.last
        guard let range = years.first else { return nil }
        if years.count == 2, range.lowerBound <= first, years[1].upperBound >= last {
            return "\"to\": \(range.upperBound), \"from\": \(years[1].lowerBound)"
        }
        if years.count > 1 {
            return "\"years\": ["
                + years.flatMap { Array($0) }.map(String.init).joined(separator: ", ") + "]"
        }
        var words: [String] = []
        if range.lowerBound > first { words.append("\"from\": \(range.lowerBound)") }
        if range.upperBound < last { words.append("\"to\": \(range.upperBound)") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private mutating func format(_ signal: Signal, of record: Record) -> String? {
        if let reason = Self.obstacle(signal) {
            leave(signal, of: record, reason)
            return nil
        }
        var fields = ["\"len\": \(signal.bitLength)"]
        var offset = signal.bitOffset
        if signal.isLittleEndian {
            // OBDb reverses whole bytes and counts bits from the top.
            let bytes = (signal.bitLength + 7) / 8
            let first = offset / 8 * 8
            let inside = bytes * 8 - (offset - first) - signal.bitLength
            guard inside >= 0, inside < 8 else {
                leave(signal, of: record, "its bits have no OBDb form")
                return nil
            }
            offset = first + inside
            fields.append("\"blsb\": true")
        }
        if offset > 0 { fields.insert("\"bix\": \(offset)", at: 0) }
        switch signal.kind {
        case .text: return (fields + ["\"unit\": \"ascii\""]).joined(separator: ", ")
        case .bytes: return (fields + ["\"unit\": \"hex\""]).joined(separator: ", ")
        case .flag: return (fields + ["\"unit\": \"offon\""]).joined(separator: ", ")
        case .enumeration:
            let labels = signal.labels.map { code, label in
                let text = Self.quoted(label)
                return "\"\(code)\": {\"description\": \(text), \"value\": \(text)}"
            }
            return (fields + ["\"map\": {\(labels.joined(separator: ", "))}"])
                .joined(separator: ", ")
        case .number, .code, .supportMap: break
        }
        if signal.isSigned { fields.append("\"sign\": true") }
        if signal.multiplier != 1 { fields.append("\"mul\": \(Decimal.text(signal.multiplier))") }
        if signal.divisor != 1 { fields.append("\"div\": \(Decimal.text(signal.divisor))") }
        if signal.offset != 0 { fields.append("\"add\": \(Decimal.text(signal.offset))") }
        guard let bounds = Self.bounds(signal) else {
            leave(signal, of: record, "raw values without a meaning are not at an end of its range")
            return nil
        }
        fields += bounds
        fields.append("\"unit\": \"\(Self.units[signal.unit] ?? "scalar")\"")
        return fields.joined(separator: ", ")
    }

    /// The range, and the bounds of values that mean "no value".
    private static func bounds(_ signal: Signal) -> [String]? {
        let highest: UInt64 = signal.bitLength >= 64 ? .max : (1 << UInt64(signal.bitLength)) - 1
        let sign: UInt64 = signal.isSigned ? 1 << UInt64(signal.bitLength - 1) : 0
        let (least, most) = signal.isSigned ? (sign, sign - 1) : (0, highest)
        let ends = [signal.number(raw: least), signal.number(raw: most)].sorted()
        var fields = ["\"min\": \(Decimal.text(ends[0]))", "\"max\": \(Decimal.text(ends[1]))"]
        let isRising = signal.multiplier / signal.divisor > 0
        for none in signal.notAvailable {
            if none.last == most {
                let name = isRising ? "nullmax" : "nullmin"
                fields.append("\"\(name)\": \(Decimal.text(signal.number(raw: none.pattern)))")
            } else if none.pattern == least {
                let name = isRising ? "nullmin" : "nullmax"
                fields.append("\"\(name)\": \(Decimal.text(signal.number(raw: none.last)))")
            } else {
                return nil
            }
        }
        return fields
    }

    private static let units = [
        "°C": "celsius", "°F": "fahrenheit", "V": "volts", "A": "amps", "kW": "kilowatts",
        "W": "watts", "kWh": "kilowattHours", "Ah": "ampereHours", "km/h": "kilometersPerHour",
        "mph": "milesPerHour", "km": "kilometers", "mi": "miles", "m": "meters", "rpm": "rpm",
        "%": "percent", "kPa": "kilopascal", "psi": "psi", "bar": "bars", "N·m": "newtonMeters",
        "s": "seconds", "min": "minutes", "h": "hours", "d": "days", "Hz": "hertz", "L": "liters",
        "g/s": "gramsPerSecond", "Ω": "ohms", "kΩ": "kiloohms", "°": "degrees",
    ]

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                out.unicodeScalars.append("\\")
                out.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}": out += " "
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    // MARK: Torque

    private mutating func writeTorque(_ records: [Record]) {
        text = "Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header\n"
        for record in records {
            for signal in record.signals {
                if let reason = Self.obstacle(signal) {
                    leave(signal, of: record, reason)
                    continue
                }
                guard let header = Self.torqueHeader(record.record) else {
                    leave(signal, of: record, "its address has no Torque form")
                    continue
                }
                guard let equation = Self.equation(signal) else {
                    leave(signal, of: record, "its bits have no equation")
                    continue
                }
                let id = record.record.dataID
                let range = Self.limits(signal)
                let cells = [
                    signal.name, signal.id, "\(id.service)\(id.idText)", equation,
                    Decimal.text(range.low), Decimal.text(range.high), signal.unit, header,
                ]
                text += cells.map(Self.cell).joined(separator: ",") + "\n"
                count += 1
            }
        }
    }

    private static func torqueHeader(_ record: PIDTable.Record) -> String? {
        guard let target = record.target else { return "" }
        guard target.extended == nil else { return nil }
        switch target.form {
        case .can11: return target.digits
        case .can29: return target.value >> 24 == 0x18 ? String(target.digits.dropFirst(2)) : nil
        case .byte, .logical: return nil
        }
    }

    private static func limits(_ signal: Signal) -> (low: Double, high: Double) {
        guard signal.kind == .number, signal.bitLength < 64 else { return (0, 1) }
        let highest: UInt64 = (1 << UInt64(signal.bitLength)) - 1
        let sign: UInt64 = signal.isSigned ? 1 << UInt64(signal.bitLength - 1) : 0
        let ends = [
            signal.number(raw: signal.isSigned ? sign : 0),
            signal.number(raw: signal.isSigned ? sign - 1 : highest),
        ].sorted()
        return (ends[0], ends[1])
    }

    private static func letters(_ byte: Int) -> String {
        byte < 26
            ? String(UnicodeScalar(UInt8(0x41 + byte)))
            : letters(byte / 26 - 1) + letters(byte % 26)
    }

    /// The raw bits as a sum of bytes and parts of bytes; nil if no such sum gives the bits.
    private static func equation(_ signal: Signal) -> String? {
        guard signal.kind != .text, signal.kind != .bytes, signal.notAvailable.isEmpty,
            (1...32).contains(signal.bitLength)
        else { return nil }
        let first = signal.bitOffset / 8
        let last = (signal.bitOffset + signal.bitLength - 1) / 8
        guard last < 702 else { return nil }
        if signal.bitLength == 1 {
            let bit = signal.isLittleEndian ? signal.bitOffset % 8 : 7 - signal.bitOffset % 8
            return scaled("{\(letters(first)):\(bit)}", signal)
        }
        let isWhole = signal.bitOffset % 8 == 0 && signal.bitLength % 8 == 0
        guard isWhole || first == last && !signal.isSigned else { return nil }
        if !isWhole {
            let low =
                signal.isLittleEndian
                ? signal.bitOffset % 8 : 7 - (signal.bitOffset + signal.bitLength - 1) % 8
            let mask = (1 << signal.bitLength) - 1
            return scaled("((\(letters(first))>\(low))&\(mask))", signal)
        }
        var bytes = Array(first...last)
        if signal.isLittleEndian { bytes.reverse() }
        var terms: [String] = []
        for (place, byte) in bytes.enumerated() {
            let name =
                place == 0 && signal.isSigned ? "SIGNED(\(letters(byte)))" : letters(byte)
            let weight = 1 << (8 * (bytes.count - 1 - place))
            terms.append(weight == 1 ? name : "\(name)*\(weight)")
        }
        let sum = terms.joined(separator: "+")
        return scaled(terms.count > 1 ? "(\(sum))" : sum, signal)
    }

    private static func scaled(_ raw: String, _ signal: Signal) -> String? {
        if signal.kind == .enumeration {
            guard
                !signal.labels.contains(where: {
                    $0.label.contains(where: { "'\":,".contains($0) })
                })
            else { return nil }
            let entries = signal.labels.map { "\($0.code)='\($0.label)'" }
            return "LOOKUP(\(raw)::\(entries.joined(separator: ":")))"
        }
        var text = raw
        let numbers = [signal.multiplier, signal.divisor, signal.offset].map { Decimal.text($0) }
        // Torque does not support exponents.
        guard !numbers.contains(where: { $0.contains("e") }) else { return nil }
        if signal.kind == .number {
            if signal.multiplier != 1 { text += "*\(numbers[0])" }
            if signal.divisor != 1 { text += "/\(numbers[1])" }
            if signal.offset > 0 { text += "+\(numbers[2])" }
            if signal.offset < 0 { text += numbers[2] }
        }
        return text
    }

    private static func cell(_ text: String) -> String {
        guard text.contains(where: { ",\"".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    // MARK: DBC

    private mutating func writeDBC(_ records: [Record]) {
        var groups: [(responder: ECUAddress, isWide: Bool, records: [Record])] = []
        for record in records {
            let id = record.record.dataID
            let responder = record.record.responder ?? record.record.target?.usualResponder
            guard let responder, responder.form != .byte, responder.extended == nil,
                [0x01, 0x09, 0x22].contains(id.service.rawValue)
            else {
                for signal in record.signals {
                    leave(signal, of: record, "its request has no DBC form")
                }
                continue
            }
            let isWide = id.digits == 4
            if let place = groups.firstIndex(where: {
                $0.responder == responder && $0.isWide == isWide
            }) {
                groups[place].records.append(record)
            } else {
                groups.append((responder, isWide, [record]))
            }
        }
        var lines = ["VERSION \"\"", "", "BU_:", ""]
        var labels: [String] = []
        var switches: [String] = []
        var used: Set<ECUAddress> = []
        for group in groups {
            // There is one message for each address, so records of other services on it are left
            // out.
            guard used.insert(group.responder).inserted else {
                for record in group.records {
                    for signal in record.signals {
                        leave(signal, of: record, "another service uses the message of its address")
                    }
                }
                continue
            }
            write(group.responder, isWide: group.isWide, group.records, &lines, &labels, &switches)
        }
        text = (lines + labels + switches).map { $0 + "\n" }.joined()
    }

    private mutating func write(
        _ responder: ECUAddress, isWide: Bool, _ records: [Record], _ lines: inout [String],
        _ labels: inout [String], _ switches: inout [String]
    ) {
        let number = responder.form == .can29 ? responder.value | 0x8000_0000 : responder.value
        let begin = isWide ? 4 : 3
        var signals: [String] = []
        var last = 8
        var services: Set<UInt8> = []
        for record in records { services.insert(record.record.dataID.service.rawValue & 0x0F) }
        for service in services.sorted() {
            let bits = isWide ? 16 : 8
            signals.append(
                " SG_ Identifier_\(service) m\(service)M : 23|\(bits)@0+ (1,0) [0|0] \"\" Vector__XXX"
            )
        }
        for record in records {
            let id = record.record.dataID
            for signal in record.signals {
                if let reason = Self.obstacle(signal) {
                    leave(signal, of: record, reason)
                    continue
                }
                guard signal.kind != .text, signal.kind != .bytes, signal.notAvailable.isEmpty
                else {
                    leave(
                        signal, of: record,
                        "texts and raw values without a meaning have no DBC form")
                    continue
                }
                let offset = signal.bitOffset + begin * 8
                last = max(last, (offset + signal.bitLength + 7) / 8)
                let start =
                    signal.isLittleEndian ? offset : offset / 8 * 8 + 7 - offset % 8
                let order = "\(signal.isLittleEndian ? 1 : 0)\(signal.isSigned ? "-" : "+")"
                let factor = signal.kind == .number ? signal.multiplier / signal.divisor : 1
                let add = signal.kind == .number ? signal.offset : 0
                let unit = signal.unit.replacing("\"", with: "")
                let name = Self.word(signal.id)
                signals.append(
                    " SG_ \(name) m\(id.id) : \(start)|\(signal.bitLength)@\(order) "
                        + "(\(Decimal.text(factor)),\(Decimal.text(add))) [0|0] \"\(unit)\" Vector__XXX"
                )
                let service = id.service.rawValue & 0x0F
                switches.append(
                    "SG_MUL_VAL_ \(number) \(name) Identifier_\(service) \(id.id)-\(id.id);")
                if !signal.labels.isEmpty {
                    let entries = signal.labels.map {
                        "\(Self.code($0.code, of: signal)) \"\($0.label.replacing("\"", with: "'"))\""
                    }
                    labels.append("VAL_ \(number) \(name) \(entries.joined(separator: " ")) ;")
                }
                count += 1
            }
        }
        lines.append("BO_ \(number) Answers_\(responder.digits): \(last) Vector__XXX")
        lines.append(" SG_ Service M : 11|4@0+ (1,0) [0|15] \"\" Vector__XXX")
        lines += signals + [""]
    }

    /// The number of a raw value in a DBC file, which has the sign of the signal.
    private static func code(_ raw: UInt64, of signal: Signal) -> String {
        guard signal.isSigned, (1...64).contains(signal.bitLength) else { return String(raw) }
        let spare = 64 - signal.bitLength
        return String(Int64(bitPattern: raw << UInt64(spare)) >> Int64(spare))
    }

    /// A word of ASCII letters, digits and `_` that begins with a letter.
    private static func word(_ text: String) -> String {
        let word = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return word.first?.isLetter == true ? word : "S" + word
    }
}
