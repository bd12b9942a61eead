import Diagnostics
import OBDCore

/// A file with recorded answers for an OBDb signal set.
package struct OBDbTests: Sendable {
    package var file: String
    /// The model year of the car; nil if the path does not contain it.
    package var year: Int?
    var cases: [Case] = []

    struct Case: Sendable {
        /// Frames in hexadecimal, each with identifier and data.
        var frames: [String] = []
        /// Signal and value as the text has them.
        var values: [(id: String, text: String)] = []
    }

    /// Parses `response` and `expected_values` of each case; it supports no other YAML.
    package init(_ bytes: [UInt8], file: String, year: Int?) {
        self.file = Text.line(file)
        self.year = year
        var isInValues = false
        for text in SourceLines(bytes).lines {
            var line = Text.trimmed(text)
            if line.hasPrefix("#") || line.isEmpty { continue }
            if line.hasPrefix("- ") {
                line = Text.trimmed(String(line.dropFirst(2)))
                // The line begins a list of frames, or the next case.
                if line.contains(":") {
                    cases.append(Case())
                    isInValues = false
                }
            }
            guard let colon = line.firstIndex(of: ":") else {
                if !isInValues { addFrames(line) }
                continue
            }
            let key = Self.unquoted(String(line[..<colon]))
            let rest = Text.trimmed(String(line[line.index(after: colon)...]))
            switch key {
            case "response":
                isInValues = false
                addFrames(rest)
            case "expected_values": isInValues = true
            default:
                guard isInValues, !cases.isEmpty, !rest.isEmpty else { continue }
                cases[cases.count - 1].values.append((key, Self.unquoted(rest)))
            }
        }
    }

    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, let quote = text.first, quote == "\"" || quote == "'",
            text.last == quote
        else { return text }
        return String(text.dropFirst().dropLast())
    }

    private mutating func addFrames(_ text: String) {
        guard !cases.isEmpty else { return }
        let words = text.replacing("\\n", with: " ").split {
            !($0.isASCII && $0.isHexDigit)
        }
        cases[cases.count - 1].frames += words.filter { $0.count >= 5 }.map(String.init)
    }
}

extension ImportedSource {
    /// Compares rows with recorded answers.
    ///
    /// A row is removed if more answers contradict than confirm it. Answers that confirm a row
    /// become examples.
    package mutating func prove(by tests: [OBDbTests], year: Int?) {
        var counts: [[RowCount]] = records.map {
            Array(repeating: RowCount(), count: $0.rows.count)
        }
        var byID: [DataID: [Int]] = [:]
        for (place, record) in records.enumerated() {
            byID[record.dataID, default: []].append(place)
        }
        let rows = records.map { record in
            Dictionary(
                record.rows.enumerated().map { ($1.signal.id, $0) },
                uniquingKeysWith: { first, _ in first })
        }
        for test in tests where year == nil || test.year == nil || test.year == year {
            for one in test.cases { compare(one, of: test, byID, rows, &counts) }
        }
        for place in records.indices.reversed() {
            var wrong: Set<String> = []
            var kept: [ImportedRow] = []
            for (row, count) in zip(records[place].rows, counts[place]) {
                if count.differ > count.agree {
                    leaveOut(
                        row.signal.id, row.line,
                        .contradicted(agree: count.agree, differ: count.differ))
                    wrong.insert(row.signal.id)
                    continue
                }
                kept.append(row)
                if count.differ > 0 {
                    warn(
                        row.signal.id, row.line,
                        "\(count.differ) of \(count.agree + count.differ) recorded answers give another value"
                    )
                }
            }
            records[place].rows = kept
            records[place].drop(examplesOf: wrong)
            records[place].chooseExamples()
        }
        records.removeAll { $0.rows.isEmpty }
    }

    private struct RowCount {
        var agree = 0
        var differ = 0
    }

    private mutating func compare(
        _ one: OBDbTests.Case, of test: OBDbTests, _ byID: [DataID: [Int]],
        _ rows: [[String: Int]], _ counts: inout [[RowCount]]
    ) {
        // With extended addressing, the first byte belongs to the address.
        let answers =
            RecordedFrames.answers(one.frames)
            ?? RecordedFrames.answers(one.frames, addressBytes: 1)
        // Several ECUs may answer, and a recorded value does not show which of them sent it.
        guard let answers, let first = answers.first,
            answers.allSatisfy({ $0.payload == first.payload })
        else {
            recorded.unusable += one.values.count
            return
        }
        guard let service = first.payload.first, service >= 0x40 else {
            recorded.unusable += one.values.count
            return
        }
        let answer = first
        let digits = service == 0x62 ? 2 : 1
        guard answer.payload.count > 1 + digits else {
            recorded.unusable += one.values.count
            return
        }
        let id = answer.payload[1...digits].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let dataID = DataID(Service(service - 0x40), id)
        let data = Array(answer.payload[(1 + digits)...])
        for place in byID[dataID] ?? [] {
            let record = records[place]
            if let year = test.year, !record.years.isEmpty,
                !record.years.contains(where: { $0.contains(year) })
            {
                continue
            }
            if let responder = record.responder, !answers.contains(where: { $0.ecu == responder }) {
                continue
            }
            var example = ImportedExample(data: data, values: [], source: "recorded, " + test.file)
            for (name, text) in one.values {
                guard let index = rows[place][name] else { continue }
                let row = record.rows[index]
                switch row.compare(text, in: data) {
                case .agrees(let said):
                    recorded.agree += 1
                    counts[place][index].agree += 1
                    example.values.append(.init(id: name, text: said))
                case .clamped: recorded.clamped += 1
                case .differs:
                    recorded.differ += 1
                    counts[place][index].differ += 1
                }
            }
            if !example.values.isEmpty { records[place].examples.append(example) }
        }
    }
}

extension ImportedRow {
    enum Comparison: Hashable {
        /// The value in the form of a table's example.
        case agrees(String)
        /// The recorder limited the value to a range.
        case clamped
        case differs
    }

    /// Compares a recorded value with the row's value.
    func compare(_ text: String, in data: [UInt8]) -> Comparison {
        let said = Fraction(decimal: text)
        switch signal.value(in: data) {
        case .number(let number):
            guard let said = said?.double else { return .differs }
            // Recorders round to five decimals.
            if abs(number - said) <= 0.6e-5 + abs(said) * 1e-9 {
                return .agrees(Decimal.text(rounded(number, said, text)))
            }
            if let display,
                said == display.lowerBound && number < said
                    || said == display.upperBound && number > said
            {
                return .clamped
            }
            return .differs
        case .flag(let flag):
            guard let said else { return .differs }
            return said == (flag ? .one : .zero) ? .agrees(flag ? "1" : "0") : .differs
        case .label(let code):
            let label = signal.labels.first { $0.code == code }?.label
            guard label == Text.line(text) || said?.int == Int(exactly: code) else {
                return .differs
            }
            return .agrees(String(code, radix: 16, uppercase: true))
        case .text(let value):
            guard Text.trimmed(value) == Text.trimmed(text), !value.isEmpty else { return .differs }
            return .agrees(value.replacing(" ", with: "_"))
        case .supportMap, .missing: return .differs
        }
    }

    /// The recorder's value if the row's value rounds to it, else the row's value.
    private func rounded(_ number: Double, _ said: Double, _ text: String) -> Double {
        let written = Decimal.text(said)
        let point = written.firstIndex(of: ".")
        guard !written.contains("e") else { return number }
        let decimals = point.map { written.distance(from: $0, to: written.endIndex) - 1 } ?? 0
        var unit = 1.0
        for _ in 0..<decimals { unit /= 10 }
        return abs(number - said) <= unit / 2 ? said : number
    }
}

extension ImportedRecord {
    /// The number of examples in a table; further ones are kept if only they show a certain row.
    private static let fewest = 3

    mutating func chooseExamples() {
        var kept: [ImportedExample] = []
        var shown: Set<String> = []
        var seen: Set<[UInt8]> = []
        for example in examples where seen.insert(example.data).inserted {
            let new = Set(example.values.map(\.id)).subtracting(shown)
            guard kept.count < Self.fewest || !new.isEmpty else { continue }
            shown.formUnion(new)
            kept.append(example)
        }
        examples = kept
        for index in rows.indices where shown.contains(rows[index].signal.id) {
            rows[index].isProven = true
        }
    }
}

/// Reassembles recorded frames strictly: the result must be a complete answer of each ECU.
enum RecordedFrames {
    static func answers(
        _ frames: [String], addressBytes: Int = 0
    ) -> [(ecu: ECUAddress, payload: [UInt8])]? {
        var open: [ECUAddress: (payload: [UInt8], length: Int, next: UInt8)] = [:]
        var found: [(ecu: ECUAddress, payload: [UInt8])] = []
        for frame in frames {
            let digits = frame.utf8.count % 2 == 1 ? 3 : 8
            guard frame.utf8.count > digits, var ecu = ECUAddress(frame.prefix(digits)),
                let field = Hex.bytes(String(frame.dropFirst(digits))), field.count <= 8
            else { return nil }
            let bytes = Array(field.dropFirst(addressBytes))
            if addressBytes > 0 { ecu.extended = field.first }
            guard let first = bytes.first else { return nil }
            switch first >> 4 {
            case 0:
                let length = Int(first)
                guard length > 0, length < bytes.count else { return nil }
                found.append((ecu, Array(bytes[1...length])))
            case 1:
                guard field.count == 8, open[ecu] == nil else { return nil }
                open[ecu] = (
                    Array(bytes[2...]), Int(first & 0x0F) << 8 | Int(bytes[1]), 1
                )
            case 2:
                guard var message = open[ecu], first & 0x0F == message.next else { return nil }
                message.payload += bytes[1...]
                message.next = (message.next + 1) & 0x0F
                if message.payload.count >= message.length {
                    found.append((ecu, Array(message.payload.prefix(message.length))))
                    open[ecu] = nil
                } else {
                    open[ecu] = message
                }
            case 3: continue
            default: return nil
            }
        }
        // Ignore a request that was recorded with its answer.
        let answers = found.filter { ($0.payload.first ?? 0) >= 0x40 && $0.payload.first != 0x7F }
        guard open.isEmpty, !answers.isEmpty, Set(answers.map(\.ecu)).count == answers.count else {
            return nil
        }
        return answers
    }
}
