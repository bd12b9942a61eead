import Diagnostics
import OBDCore

extension TableReader {
    /// Reads the evidence of a record, which is only done on request.
    mutating func readEvidence(_ keyword: Keyword) throws(TableError) {
        guard isInRecord else {
            guard keyword == .source else { throw fault(.outside(string(words[0]))) }
            try nothing(after: 0)
            defaults.sources.append(try name())
            return
        }
        if keyword == .range || keyword == .display {
            try readRange(keyword)
            return
        }
        if keyword == .example {
            examples.append(ExampleText(words: words, source: try name(), line: line))
            return
        }
        try nothing(after: 0)
        let text = prose == nil && keyword == .unverified ? nil : try name()
        switch keyword {
        case .unverified:
            // Before the signals the line refers to the record, after a signal to that signal.
            let last = record.signals.indices.last
            record.unverified.insert(last ?? Self.wholeRecord)
            if let text { record.notes.append(text) }
        case .source: record.sources.append(text ?? "")
        default: record.notes.append(text ?? "")
        }
    }

    /// `range -40..215`: the smallest and the largest value according to another source; `display`: the range
    /// on a gauge.
    private mutating func readRange(_ keyword: Keyword) throws(TableError) {
        guard let place = record.signals.indices.last else {
            throw fault(.outside(string(words[0])))
        }
        let range = try word(at: 1, "the range")
        try nothing(after: 1)
        guard let (first, last) = bounds(range), let low = decimal(first),
            let high = decimal(last), low.value < high.value
        else {
            throw fault(.malformed(string(range), wanted: "a range like -40..215"))
        }
        let stated = TableRecord.StatedRange(
            signal: place, low: .number(low.value, decimals: low.decimals),
            high: .number(high.value, decimals: high.decimals), line: line)
        if keyword == .range {
            record.ranges.append(stated)
        } else {
            record.displays.append(stated)
        }
    }

    /// Represents all signals of a record until their number is known.
    static let wholeRecord = -1

    /// Reads an example after all signals of its record are known.
    func read(_ example: ExampleText, in record: TableRecord) throws(TableError) -> TableExample {
        func fault(_ fault: TableError.Fault) -> TableError {
            TableError(file: file, line: example.line, fault)
        }
        var data: [UInt8] = []
        var values: [(signal: Int, value: TableExample.Value)] = []
        for range in example.words.dropFirst() {
            guard let equals = range.first(where: { text[$0] == 0x3D }) else {
                guard values.isEmpty, let bytes = Hex.bytes(string(range)) else {
                    throw fault(.malformed(string(range), wanted: "data bytes or SIGNAL=VALUE"))
                }
                data += bytes
                continue
            }
            let name = range.lowerBound..<equals
            let written = equals + 1..<range.upperBound
            guard let place = position(of: name, in: record) else {
                throw fault(.unknownSignal(string(name)))
            }
            guard let value = value(written, of: record.signals[place]) else {
                throw fault(
                    .malformed(string(written), wanted: "a value of \(string(name))"))
            }
            values.append((place, value))
        }
        guard !data.isEmpty else { throw fault(.missing("the data")) }
        guard !values.isEmpty else { throw fault(.missing("a value")) }
        return TableExample(
            data: data, values: values, source: example.source, line: example.line)
    }

    private func value(_ range: Range<Int>, of signal: Signal) -> TableExample.Value? {
        switch string(range) {
        case "": return nil
        case "none": return .missing(.notAvailable)
        case "unsupported": return .missing(.notSupported)
        case "short": return .missing(.tooShort)
        case "undefined": return .missing(.undefined)
        case "absent": return .absent
        default: break
        }
        switch signal.kind {
        case .number:
            return decimal(range).map { .number($0.value, decimals: $0.decimals) }
        case .flag:
            return hex(range).flatMap { $0 <= 1 ? .flag($0 == 1) : nil }
        case .enumeration, .supportMap:
            return hex(range).map { .raw($0) }
        case .code, .text, .bytes:
            return .text(string(range))
        }
    }
}
