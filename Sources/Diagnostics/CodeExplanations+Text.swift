import OBDCore

/// A fault in the text of explanations.
public struct CodeExplanationError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A line that does not begin with a known word.
        case unknownWord(String)
        /// A line before the block to which it belongs.
        case outside(String)
        /// A word or text that is not valid in its place.
        case malformed(String, wanted: String)
        /// A block that appears twice.
        case double(String)
    }

    /// The line, from 1.
    public var line: Int
    /// The fault.
    public var fault: Fault

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .unknownWord(let word): "a line cannot begin with `\(word)`"
        case .outside(let word): "`\(word)` comes before the block that it belongs to"
        case .malformed(let word, let wanted): "`\(word)` is not \(wanted)"
        case .double(let id): "`\(id)` appears twice"
        }
    }
}

extension CodeExplanations {
    /// Reads a text; `pids/dtc/families.txt` describes its format.
    public init(_ text: String) throws(CodeExplanationError) {
        var reader = ExplanationReader()
        var number = 0
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, first != 0x23 else { continue }
            do throws(CodeExplanationError.Fault) {
                try reader.read(Substring(line))
            } catch {
                throw CodeExplanationError(line: number, fault: error)
            }
        }
        reader.finish()
        self = reader.result
    }
}

extension CodeExplanationError.Fault: Error {}

/// Reads the lines of explanations, one after the other.
private struct ExplanationReader {
    typealias Fault = CodeExplanationError.Fault

    /// The block of the next lines.
    private enum Block {
        case family(CodeFamily)
        case meaning(CodeMeaningText)
        case hazard(CodeHazard)
        case part(PartWords)
        case rule(CodeSetReading.Rule)
        case step(CodeSetReading.Step)
    }

    private(set) var result = CodeExplanations()
    private var block: Block?
    /// The codes to which the next causes apply.
    private var scope = CodeFamily.Cause(what: "", check: "")
    private var ids: Set<String> = []

    mutating func read(_ line: Substring) throws(Fault) {
        let (head, tail) = Self.halves(line)
        guard let word = head.first else { return }
        let rest = head.dropFirst()
        switch word {
        case "family": begin(.family(CodeFamily(id: try id(rest, word), title: try text(tail))))
        case "meaning":
            let id = try id(rest, word)
            guard let meaning = CodeMeaning(rawValue: id) else {
                throw .malformed(id, wanted: "a meaning")
            }
            begin(.meaning(CodeMeaningText(meaning: meaning, title: try text(tail))))
        case "hazard":
            begin(.hazard(CodeHazard(id: try id(rest, word), sentence: try text(tail))))
        case "part":
            let id = try id(rest, word)
            guard let part = EngineParts.Part(rawValue: id) else {
                throw .malformed(id, wanted: "a part")
            }
            begin(.part(PartWords(part: part, title: try text(tail))))
        case "answer":
            finish()
            result.answers.append(try Self.answer(rest, try text(tail)))
        case "together":
            begin(
                .rule(CodeSetReading.Rule(id: try id(rest, word), sentence: try text(tail))))
        case "step":
            begin(.step(CodeSetReading.Step(id: try id(rest, word), name: try text(tail))))
        case "monitor":
            finish()
            let monitors = try Self.monitors(rest)
            guard let monitor = monitors.first, monitors.count == 1 else {
                throw .malformed(rest.joined(separator: " "), wanted: "one monitor")
            }
            guard result.drives.updateValue(try text(tail), forKey: monitor) == nil else {
                throw .double(monitor.rawValue)
            }
        default:
            switch block {
            case .family(var family):
                try read(word, rest, tail, into: &family)
                block = .family(family)
            case .meaning(var meaning):
                try read(word, rest, tail, into: &meaning)
                block = .meaning(meaning)
            case .hazard(var hazard):
                try Self.read(word, rest, into: &hazard)
                block = .hazard(hazard)
            case .part(var part):
                try Self.read(word, rest, into: &part)
                block = .part(part)
            case .rule(var rule):
                try Self.read(word, rest, tail, into: &rule)
                block = .rule(rule)
            case .step(var step):
                try read(word, rest, tail, into: &step)
                block = .step(step)
            case nil: throw .outside(String(word))
            }
        }
    }

    /// Adds the current block to the result.
    mutating func finish() {
        switch block {
        case .family(let family): result.families.append(family)
        case .meaning(let meaning): result.meanings.append(meaning)
        case .hazard(let hazard): result.hazards.append(hazard)
        case .part(let part): result.parts.append(part)
        case .rule(let rule): result.rules.append(rule)
        case .step(let step): result.steps.append(step)
        case nil: break
        }
        block = nil
        scope = CodeFamily.Cause(what: "", check: "")
    }

    private mutating func begin(_ next: Block) {
        finish()
        block = next
    }

    /// The words before a colon and the text after it.
    private static func halves(_ line: Substring) -> (head: [Substring], tail: Substring?) {
        let bytes = line.utf8
        var head = line
        var tail: Substring?
        var index = bytes.startIndex
        while let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) {
            let next = bytes.index(after: colon)
            let isAlone =
                colon > bytes.startIndex
                && bytes[bytes.index(before: colon)] == UInt8(ascii: " ")
                && next < bytes.endIndex && bytes[next] == UInt8(ascii: " ")
            if isAlone {
                head = line[..<colon]
                tail = line[bytes.index(after: next)...]
                break
            }
            index = next
        }
        return (head.split(separator: " "), tail)
    }

    private mutating func id(
        _ words: ArraySlice<Substring>, _ block: Substring
    ) throws(Fault) -> String {
        guard let word = words.first, words.count == 1 else {
            throw .malformed(words.joined(separator: " "), wanted: "one word")
        }
        guard ids.insert("\(block) \(word)").inserted else { throw .double(String(word)) }
        return String(word)
    }

    private func text(_ tail: Substring?) throws(Fault) -> String { try Self.text(tail) }

    private static func text(_ tail: Substring?) throws(Fault) -> String {
        guard let tail, !tail.isEmpty else { throw .malformed("", wanted: "a text") }
        return String(tail)
    }

    private mutating func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, _ tail: Substring?,
        into family: inout CodeFamily
    ) throws(Fault) {
        let words = rest.joined(separator: " ")
        switch word {
        case "codes": family.codes += try Self.ranges(rest)
        case "trucks": family.trucks += try Self.trucks(rest)
        case "drive":
            guard let drive = DriveAdvice(rawValue: words) else {
                throw .malformed(words, wanted: "stop, soon, weeks or note")
            }
            family.drive = drive
            family.driveReason = try text(tail)
        case "notice": family.notice = try text(tail)
        case "when":
            scope.meanings = []
            scope.codes = []
            if words == "any" { break }
            for word in rest {
                if let meanings = CodeMeaning.named(word) {
                    scope.meanings.formUnion(meanings)
                } else {
                    scope.codes += try Self.ranges([word])
                }
            }
        case "cause": family.causes.append(try cause(words, tail))
        case "watch":
            let end = rest.firstIndex(of: "at") ?? rest.endIndex
            let signals = rest[..<end].map(String.init)
            guard !signals.isEmpty else { throw .malformed(words, wanted: "signals") }
            family.watches.append(
                .init(
                    signals: signals, meaning: tail.map(String.init) ?? "",
                    codes: end < rest.endIndex ? try Self.ranges(rest[(end + 1)...]) : []))
        case "note":
            let codes = rest.isEmpty ? [] : try Self.ranges(rest)
            family.notes.append(.init(codes: codes, text: try text(tail)))
        case "monitors": family.monitors += try Self.monitors(rest)
        case "tests": family.tests += try Self.tests(rest)
        case "clears": family.clears = try text(tail)
        case "sure":
            guard words == "statistics" else { throw .malformed(words, wanted: "statistics") }
            family.isFromStatistics = true
        default: throw .unknownWord(String(word))
        }
    }

    private mutating func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, _ tail: Substring?,
        into meaning: inout CodeMeaningText
    ) throws(Fault) {
        switch word {
        case "says": meaning.says += Self.phrases(rest)
        case "types":
            meaning.failureTypes.formUnion(try Self.tests(rest).flatMap { Array($0) })
        case "modes":
            for word in rest {
                guard let mode = UInt8(word), mode < 32 else {
                    throw .malformed(String(word), wanted: "a failure mode")
                }
                meaning.failureModes.insert(mode)
            }
        case "cause": meaning.causes.append(try cause(rest.joined(separator: " "), tail))
        default: throw .unknownWord(String(word))
        }
    }

    private func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, _ tail: Substring?,
        into step: inout CodeSetReading.Step
    ) throws(Fault) {
        switch word {
        case "codes": step.codes += try Self.ranges(rest)
        case "after":
            let reason = try text(tail)
            for root in rest.map(String.init) {
                // Only earlier steps, so that the order has no circle.
                guard result.steps.contains(where: { $0.id == root }) else {
                    throw .malformed(root, wanted: "a step above this one")
                }
                step.roots[root] = reason
            }
        default: throw .unknownWord(String(word))
        }
    }

    private static func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, into hazard: inout CodeHazard
    ) throws(Fault) {
        switch word {
        case "codes": hazard.codes += try ranges(rest)
        case "says": hazard.says += phrases(rest)
        case "touches": hazard.touches += phrases(rest)
        case "harmless": hazard.harmless += phrases(rest)
        case "only": hazard.family = rest.joined(separator: " ")
        case "unless": hazard.yieldsTo = rest.joined(separator: " ")
        default: throw .unknownWord(String(word))
        }
    }

    private static func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, into part: inout PartWords
    ) throws(Fault) {
        switch word {
        case "names": part.names += phrases(rest)
        case "harmless": part.harmless += phrases(rest)
        default: throw .unknownWord(String(word))
        }
    }

    /// `stop P0217 SPN110/FMI0`.
    private static func answer(
        _ words: ArraySlice<Substring>, _ reason: String
    ) throws(Fault) -> CodeExplanations.Answer {
        let drive = words.first.flatMap { DriveAdvice(rawValue: String($0)) }
        guard drive != nil || words.first == "depends" else {
            throw .malformed(
                words.joined(separator: " "), wanted: "stop, soon, weeks, note or depends")
        }
        let codes = words.dropFirst()
        var answer = CodeExplanations.Answer(drive: drive, reason: reason)
        let trucks = codes.filter { $0.hasPrefix("SPN") }
        answer.trucks = try Self.trucks(trucks[...])
        let others = codes.filter { !$0.hasPrefix("SPN") }
        if trucks.isEmpty || !others.isEmpty { answer.codes = try ranges(others[...]) }
        return answer
    }

    private static func trucks(
        _ words: ArraySlice<Substring>
    ) throws(Fault) -> [CodeExplanations.TruckCode] {
        var trucks: [CodeExplanations.TruckCode] = []
        for word in words {
            guard let code = J1939Code(String(word)) else {
                throw .malformed(String(word), wanted: "a code of SAE J1939")
            }
            trucks.append(.init(code))
        }
        return trucks
    }

    /// `no signal | not valid`.
    private static func phrases(_ words: ArraySlice<Substring>) -> [String] {
        words.joined(separator: " ").split(separator: "|").map { part in
            part.split(separator: " ").joined(separator: " ")
        }
    }

    private func cause(_ words: String, _ tail: Substring?) throws(Fault) -> CodeFamily.Cause {
        guard !words.isEmpty else { throw .malformed(words, wanted: "a cause") }
        var cause = scope
        cause.what = words
        cause.check = tail.map(String.init) ?? ""
        return cause
    }

    private static func read(
        _ word: Substring, _ rest: ArraySlice<Substring>, _ tail: Substring?,
        into rule: inout CodeSetReading.Rule
    ) throws(Fault) {
        let words = rest.joined(separator: " ")
        switch word {
        case "first": rule.first = try text(tail)
        case "needs":
            guard let count = rest.first.flatMap({ Int($0) }), count > 0 else {
                throw .malformed(words, wanted: "a number and codes")
            }
            rule.needs.append(.init(count: count, codes: try ranges(rest.dropFirst())))
        case "voltage":
            guard let bound = Double(words), bound.isFinite, !rule.needs.isEmpty else {
                throw .malformed(words, wanted: "a voltage after the line that it applies to")
            }
            rule.needs[rule.needs.count - 1].voltage = bound
        default: throw .unknownWord(String(word))
        }
    }

    /// `P0300..P0312 P0314`.
    private static func ranges(
        _ words: ArraySlice<Substring>
    ) throws(Fault) -> [ClosedRange<UInt16>] {
        var ranges: [ClosedRange<UInt16>] = []
        for word in words {
            let bounds = ends(of: word)
            guard let low = DTC(bounds.low), let high = DTC(bounds.high), low <= high,
                low.failureType == nil, high.failureType == nil
            else { throw .malformed(String(word), wanted: "a code or a range of codes") }
            ranges.append(low.code...high.code)
        }
        guard !ranges.isEmpty else { throw .malformed("", wanted: "codes") }
        return ranges
    }

    /// `A1..AD 21`.
    private static func tests(
        _ words: ArraySlice<Substring>
    ) throws(Fault) -> [ClosedRange<UInt8>] {
        var ranges: [ClosedRange<UInt8>] = []
        for word in words {
            let bounds = ends(of: word)
            guard let low = UInt8(bounds.low, radix: 16), let high = UInt8(bounds.high, radix: 16),
                low <= high
            else { throw .malformed(String(word), wanted: "a monitor id or a range of them") }
            ranges.append(low...high)
        }
        return ranges
    }

    private static func ends(of word: Substring) -> (low: Substring, high: Substring) {
        let ends = word.split(separator: ".", omittingEmptySubsequences: true)
        guard ends.count == 2, let low = ends.first, let high = ends.last else {
            return (word, word)
        }
        return (low, high)
    }

    private static func monitors(
        _ words: ArraySlice<Substring>
    ) throws(Fault) -> [MonitorStatus.Monitor] {
        var monitors: [MonitorStatus.Monitor] = []
        for word in words {
            guard let monitor = MonitorStatus.Monitor(rawValue: String(word)) else {
                throw .malformed(String(word), wanted: "a monitor")
            }
            monitors.append(monitor)
        }
        return monitors
    }
}
