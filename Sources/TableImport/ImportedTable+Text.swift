import Diagnostics
import OBDCore

extension ImportedTable {
    /// The table in the format of obdscan-pids(5).
    package var text: String {
        var lines: [String] = ["# Made by obdscan pids import."]
        for origin in origins {
            var words = ["# \(origin.file): \(origin.format.title)"]
            if let date = origin.date { words.append("of \(date)") }
            if let licence = origin.format.licence { words.append("licence \(licence)") }
            words.append("SHA-256 \(origin.digest)")
            lines.append(words.joined(separator: ", "))
        }
        lines.append("# \(takenCount) of \(rowCount) rows taken.")
        for finding in findings where finding.isLeftOut {
            lines.append(
                "# left out: \(finding.file):\(finding.line): \(finding.name): \(finding.reason)")
        }
        lines.append("")
        let names = origins.map(\.file)
        let title = names.count == 1 ? names.joined() : "\(names.count) files"
        lines.append("title : Imported from \(title)")
        for format in TableFormat.allCases where origins.contains(where: { $0.format == format }) {
            let licence = format.licence.map { ", \($0)" } ?? ""
            lines.append("source : \(format.title)\(licence)")
        }
        for record in records { record.write(&lines) }
        // Names and texts of other programs may not begin a line of their own.
        return lines.map { Text.unbroken($0) + "\n" }.joined()
    }
}

extension ImportedRecord {
    fileprivate func write(_ lines: inout [String]) {
        lines.append("")
        let bounds = length
        let place = target ?? responder
        let name =
            self.name.isEmpty
            ? "Data \(dataID.service)\(dataID.idText)" + (place.map { " of \($0)" } ?? "")
            : self.name
        let id = dataID.frameAddress.map { "CAN:\($0)" } ?? dataID.description
        lines.append("record \(id) \(bounds.lowerBound)..\(bounds.upperBound) : \(name)")
        if let target { lines.append("  header \(target)") }
        if let responder { lines.append("  reply \(responder)") }
        if !years.isEmpty {
            let texts = years.map { "\($0.lowerBound)..\($0.upperBound)" }
            lines.append("  years " + texts.joined(separator: " "))
        }
        for note in notes { lines.append("  note : \(note)") }
        var used = BitSet()
        for row in rows {
            let isShared = used.insert(row.signal)
            row.write(isShared: isShared, &lines)
        }
        for example in examples {
            let values = example.values.map { "\($0.id)=\($0.text)" }
            lines.append(
                "  example \(Hex.string(example.data)) \(values.joined(separator: " ")) : \(example.source)"
            )
        }
    }
}

/// The set of bits that signals use.
private struct BitSet {
    /// Eight bits per byte of the answer, the first one on top.
    private var bytes: [UInt8] = []

    /// Adds the signal's bits; returns whether any of them was used already.
    mutating func insert(_ signal: Signal) -> Bool {
        var isTaken = false
        let bits = signal.bitOffset..<signal.bitOffset + signal.bitLength
        let count = (bits.upperBound + 7) / 8
        if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
        for byte in bits.lowerBound / 8..<count {
            let inside = bits.clamped(to: byte * 8..<byte * 8 + 8)
            var mask: UInt8 = inside.count == 8 ? 0xFF : 0
            for bit in inside where mask != 0xFF {
                mask |= signal.isLittleEndian ? 1 << UInt8(bit % 8) : 0x80 >> UInt8(bit % 8)
            }
            if bytes[byte] & mask != 0 { isTaken = true }
            bytes[byte] |= mask
        }
        return isTaken
    }
}

extension ImportedRow {
    fileprivate func write(isShared: Bool, _ lines: inout [String]) {
        var origin = "  # \(file):\(line)"
        if let equation { origin += ": \(equation)" }
        lines.append(origin)
        var words = ["  signal", signal.id, place]
        switch signal.kind {
        case .number where signal.formula?.encoding == .floatingPoint: words.append("float")
        case .number: break
        case .flag: words.append("flag")
        case .enumeration: words.append("enum")
        case .text: words.append("text")
        case .bytes: words.append("bytes")
        case .code: words.append("code")
        case .supportMap: words.append("map")
        }
        if signal.isSigned { words.append("signed") }
        if signal.isLittleEndian { words.append("little") }
        if isShared { words.append("shared") }
        if !isProven { words.append("unverified") }
        if signal.multiplier != 1 || signal.divisor != 1 {
            words += ["scale", Decimal.scale(signal.multiplier, signal.divisor)]
        }
        if signal.offset != 0 { words += ["offset", Decimal.text(signal.offset)] }
        if !signal.unit.isEmpty { words += ["unit", signal.unit] }
        if let condition {
            let texts = condition.ranges.map(Self.raw)
            words += ["if", "\(condition.id)=\(texts.joined(separator: ","))"]
        }
        for none in signal.notAvailable {
            words += ["none", Self.raw(none.pattern...none.last)]
        }
        lines.append(words.joined(separator: " ") + " : " + signal.name)
        if !signal.aliases.isEmpty {
            lines.append("    alias " + signal.aliases.joined(separator: " "))
        }
        for piece in signal.formula?.pieces ?? [] {
            let raw = Self.raw(piece.values)
            let value = Decimal.text(piece.offset)
            lines.append(
                signal.formula?.isList == true
                    ? "    value \(raw) \(value)" : "    piece \(raw) scale 0 offset \(value)")
        }
        let word = signal.kind == .number ? "label " : ""
        for (code, label) in signal.labels {
            lines.append("    \(word)\(Self.hex(code)) : \(label)")
        }
        if let display, signal.kind == .number {
            lines.append(
                "    display \(Decimal.text(display.lowerBound))..\(Decimal.text(display.upperBound))"
            )
        }
    }

    /// Letters can name 702 bytes; for bytes after them, the bit number is used.
    private var place: String {
        signal.bitOffset + signal.bitLength <= 702 * 8
            ? signal.bitsText : "\(signal.bitOffset)+\(signal.bitLength)"
    }

    private static func hex(_ raw: UInt64) -> String {
        let text = String(raw, radix: 16, uppercase: true)
        return text.count % 2 == 0 ? text : "0" + text
    }

    private static func raw(_ values: ClosedRange<UInt64>) -> String {
        values.lowerBound == values.upperBound
            ? hex(values.lowerBound) : "\(hex(values.lowerBound))..\(hex(values.upperBound))"
    }
}
