/// A fault in a file of causes.
package struct CauseError: Error, Hashable, Sendable {
    /// The line, from 1.
    package var line: Int
    package var reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

extension CauseTable {
    /// Reads a text; `pids/causes/healthy.causes` describes its format.
    package init(_ text: String) throws(CauseError) {
        var reader = CauseReader()
        var number = 0
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, first != 0x23 else { continue }
            reader.line = number
            try reader.read(Substring(line))
        }
        reader.finish()
        self = reader.result
    }
}

private struct CauseReader {
    private enum Block {
        case measure(CauseTable.Measure)
        case cause(CauseTable.Cause)
    }

    var result = CauseTable()
    var line = 0
    private var block: Block?

    private func fault(_ word: some StringProtocol, _ wanted: String) -> CauseError {
        CauseError(line: line, reason: "`\(word)` is not \(wanted)")
    }

    mutating func finish() {
        switch block {
        case .measure(let measure): result.add(measure)
        case .cause(let cause): result.causes.append(cause)
        case nil: break
        }
        block = nil
    }

    mutating func read(_ line: Substring) throws(CauseError) {
        // A comment may follow a statement.
        let text = line.firstRange(of: " # ").map { line[..<$0.lowerBound] } ?? line
        let colon = text.firstRange(of: " : ")
        let head = colon.map { text[..<$0.lowerBound] } ?? text
        let tail = colon.map { String(text[$0.upperBound...]) } ?? ""
        let words = head.split(separator: " ")
        guard let word = words.first else { return }
        let rest = words.dropFirst()
        switch word {
        case "measure", "cause":
            finish()
            guard let id = rest.first.map(String.init), !tail.isEmpty else {
                throw fault(text, "\(word) ID : NAME")
            }
            if word == "cause" {
                guard rest.count == 1, result[cause: id] == nil else {
                    throw fault(id, "one new cause")
                }
                block = .cause(.init(id: id, name: tail))
            } else {
                guard rest.count <= 2, result[measure: id] == nil else {
                    throw fault(id, "one new measure and its unit")
                }
                var measure = CauseTable.Measure(id: id, name: tail)
                measure.unit = rest.dropFirst().first.map(String.init) ?? ""
                block = .measure(measure)
            }
        default:
            switch block {
            case .measure(var measure):
                try read(word, Array(rest), into: &measure)
                block = .measure(measure)
            case .cause(var cause):
                try read(word, Array(rest), tail, into: &cause)
                block = .cause(cause)
            case nil: throw fault(word, "a line inside a measure or cause")
            }
        }
    }

    private func number(_ word: Substring?) throws(CauseError) -> Double {
        guard let word, let value = Double(word), value.isFinite else {
            throw fault(word ?? "", "a number")
        }
        return value
    }

    private func range(_ word: Substring) throws(CauseError) -> ClosedRange<Double> {
        guard let dots = word.firstRange(of: "..") else { throw fault(word, "a range") }
        let low = try number(word[..<dots.lowerBound])
        let high = try number(word[dots.upperBound...])
        guard low < high else { throw fault(word, "a range") }
        return low...high
    }

    private func sources(_ words: [Substring]) throws(CauseError) -> [Int] {
        var found: [Int] = []
        for word in words {
            guard let number = Int(word) else { throw fault(word, "the number of a source") }
            found.append(number)
        }
        return found
    }

    private func read(
        _ word: Substring, _ rest: [Substring], into measure: inout CauseTable.Measure
    ) throws(CauseError) {
        switch word {
        case "topic": measure.topicText = rest.joined(separator: " ")
        case "least": measure.least = try number(rest.first)
        case "places": measure.places = Int(try number(rest.first))
        case "needs": measure.needs += rest.map(String.init)
        case "unless": measure.unless += rest.map(String.init)
        case "source": measure.sources += try sources(rest)
        case "monitors", "misfires":
            for word in rest {
                guard word.count == 2, let monitor = UInt8(word, radix: 16) else {
                    throw fault(word, "the number of a monitor")
                }
                measure.monitors.insert(monitor)
            }
            measure.reads = word == "misfires" ? .misfires : .strain
        case "limit":
            guard rest.count == 1 || (rest.count == 3 && rest[1] == "surely") else {
                throw fault(rest.joined(separator: " "), "LOW..HIGH surely LOW..HIGH")
            }
            measure.limit = try range(rest[0])
            if rest.count == 3 { measure.surely = try range(rest[2]) }
        case "healthy":
            guard rest.count == 5, rest[1] == "spread", rest[3] == "tails" else {
                throw fault(rest.joined(separator: " "), "CENTRE spread S tails N")
            }
            let healthy = CauseTable.Measure.Healthy(
                centre: try number(rest[0]), spread: try number(rest[2]),
                tails: try number(rest[4]))
            guard healthy.spread > 0, healthy.tails >= 1 else {
                throw fault(rest[2], "a spread above 0")
            }
            measure.healthy = healthy
        case "is":
            guard rest.count == 3, rest[1] == "-" || rest[1] == "/" else {
                throw fault(rest.joined(separator: " "), "A - B or A / B")
            }
            let (a, b) = (String(rest[0]), String(rest[2]))
            measure.derived = rest[1] == "-" ? .difference(a, b) : .ratio(a, b)
        default: throw fault(word, "a word of a measure")
        }
    }

    private func read(
        _ word: Substring, _ rest: [Substring], _ tail: String, into cause: inout CauseTable.Cause
    ) throws(CauseError) {
        switch word {
        case "applies": cause.applies += rest.map(String.init)
        case "needs":
            var joins = false
            for word in rest {
                if word == "|" {
                    joins = true
                } else if joins, !cause.needs.isEmpty {
                    cause.needs[cause.needs.count - 1].append(String(word))
                    joins = false
                } else {
                    cause.needs.append([String(word)])
                }
            }
        case "common", "usual", "rare":
            cause.frequency = CauseTable.Cause.Frequency(rawValue: String(word)) ?? .usual
        case "severity":
            guard let name = rest.first else { throw fault("", "a name and numbers") }
            cause.severity = String(name)
            for word in rest.dropFirst() {
                if let value = Double(word), value.isFinite {
                    cause.severities.append(value)
                } else if word == rest.last {
                    cause.severityUnit = String(word)
                } else {
                    throw fault(word, "a number")
                }
            }
            guard !cause.severities.isEmpty else { throw fault(name, "followed by numbers") }
        case "expect", "maybe":
            if word == "maybe", let feature = rest.first { cause.maybes.insert(String(feature)) }
            guard rest.count >= 3,
                let change = CauseTable.Expectation.Change(rawValue: String(rest[1])),
                let formula = CauseExpression(Array(rest.dropFirst(2)))
            else { throw fault(rest.joined(separator: " "), "FEATURE, one of + - * =, FORMULA") }
            cause.expects.append(
                .init(
                    feature: String(rest[0]), change: change, formula: formula,
                    text: rest.dropFirst(2).joined(separator: " ")))
        case "free": cause.free.formUnion(rest.map(String.init))
        case "must": cause.musts.append(try condition(rest, tail))
        case "forbids": cause.forbids.append(try condition(rest, tail))
        case "alike":
            guard let other = rest.first, rest.count == 1, !tail.isEmpty else {
                throw fault(rest.joined(separator: " "), "CAUSE : TEST")
            }
            cause.alike.append((String(other), tail))
        case "next":
            guard !tail.isEmpty else { throw fault("", "a text") }
            cause.next = tail
        case "drive":
            guard rest.count == 1, ["stop", "soon", "weeks", "note"].contains(rest[0]) else {
                throw fault(rest.joined(separator: " "), "stop, soon, weeks or note")
            }
            cause.drive = String(rest[0])
        case "codes": cause.codes += rest.map(String.init)
        case "own": cause.own += rest.map(String.init)
        case "proof": cause.proofs.append(try condition(rest, tail))
        case "source": cause.sources += try sources(rest)
        default: throw fault(word, "a word of a cause")
        }
    }

    /// `trim.idle above 10 with k.idle below 0.92 | k.idle unknown`.
    private func condition(
        _ words: [Substring], _ why: String
    ) throws(CauseError) -> CauseTable.Condition {
        var condition = CauseTable.Condition(alternatives: [[]], why: why)
        var rest = words[...]
        while let feature = rest.popFirst() {
            let comparison: CauseTable.Term.Comparison =
                switch rest.popFirst() {
                case "above": .above(try number(rest.popFirst()))
                case "below": .below(try number(rest.popFirst()))
                case "unknown": .unknown
                default: throw fault(feature, "followed by above, below or unknown")
                }
            condition.alternatives[condition.alternatives.count - 1].append(
                .init(feature: String(feature), comparison: comparison))
            switch rest.popFirst() {
            case "with": if rest.isEmpty { throw fault("with", "the end") }
            case "|":
                if rest.isEmpty { throw fault("|", "the end") }
                condition.alternatives.append([])
            case nil: break
            case let other?: throw fault(other, "with or |")
            }
        }
        guard condition.alternatives.allSatisfy({ !$0.isEmpty }) else {
            throw fault("", "a condition")
        }
        return condition
    }
}
