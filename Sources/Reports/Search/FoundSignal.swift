import Formats
import OBDCore

/// The result of a search for a signal, as text, JSON Lines or CSV.
package struct FoundSignal {
    private let name: String
    private let unit: String
    private let log: BusLog
    private let clock: KnownValues.Clock
    private let course: KnownCourse
    private let outcome: SignalSearch.Outcome
    private let most: Int
    /// The second log, if there is one.
    private let second: SignalSearch?

    /// Searches a signal called `name`.
    ///
    /// - Parameters:
    ///   - most: the number of candidates to show.
    ///   - check: another log with its values; candidates that it refutes are left out.
    package init(
        _ name: String, _ values: KnownValues, in log: BusLog, known: KnownBits?, most: Int,
        check: (log: BusLog, values: KnownValues)? = nil
    ) throws(KnownValues.Fault) {
        self.name = String(
            name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || ".-_".contains($0) ? $0 : "_" }
        )
        self.most = most
        self.log = log
        unit = values.unit
        (course, clock) = try values.course(in: log)
        var recording = log.recording
        let search = SignalSearch(&recording, course) { known?.mask(of: $0) }
        outcome = search.run()
        if let check {
            var recording = check.log.recording
            second = SignalSearch(&recording, try check.values.course(in: check.log).course)
        } else {
            second = nil
        }
    }

    private struct Shown {
        var candidate: SignalSearch.Candidate
        var check: SignalSearch.Check?
        var isRefuted: Bool
    }

    private var candidates: [Shown] {
        guard case .found(let found, _) = outcome else { return [] }
        let shown = found.map { candidate in
            let check = second?.check(candidate)
            return Shown(
                candidate: candidate, check: check, isRefuted: check.map { !$0.holds } ?? false)
        }
        return Array(shown.filter { !$0.isRefuted }.prefix(most))
    }

    /// Whether there is a candidate.
    package var isFound: Bool { !candidates.isEmpty }

    /// The reason why there is no candidate, and what to do.
    package var explanation: Explanation {
        switch outcome {
        case .tooLittleMovement:
            return Explanation(
                "\(name): the known values do not move enough to find a signal by them",
                hint: "drive faster and slower, several times, and record again", .badInput)
        case .notInLog(let count):
            return Explanation(
                "\(name): \(counted(count, "known value")) \(count == 1 ? "is" : "are") within the times of the log, \(KnownCourse.fewest) are needed",
                hint: "times are dates, seconds since 1970, or seconds from the start of the log",
                .badInput)
        case .nothing:
            return Explanation(
                "\(name): nothing found: no bits of the log give these values",
                hint:
                    "the signal may not be on this bus, or the clocks differ by more than a second",
                .badInput)
        case .found:
            return Explanation(
                "\(name): the second log refutes each candidate",
                hint: "record longer, with more movement", .badInput)
        }
    }

    // MARK: For people

    /// The candidates as the lines of a table, with the record of the best one; other lines are comments.
    package var text: String {
        let shown = candidates
        guard let first = shown.first else { return "" }
        var lines = ["# \(summary)"]
        for (place, one) in shown.enumerated() {
            lines.append("#")
            lines.append("# \(place + 1). \(sentence(one))")
            if place > 0 {
                lines += one.candidate.record(name, unit: unit).dropFirst().map { "# \($0)" }
            }
        }
        lines.append("")
        lines += first.candidate.record(name, unit: unit)
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: String {
        let clocks =
            switch clock {
            case .dates: "by their dates"
            case .fromStart: "by seconds from the first frame"
            case .ofLog: "by the clock of the log"
            }
        return "\(counted(course.samples.count, "known value")) of \(name), \(clocks), against "
            + "\(counted(log.recording.frames, "frame")) of "
            + counted(log.recording.identifiers, "identifier")
    }

    private func sentence(_ one: Shown) -> String {
        let candidate = one.candidate
        var text = ([candidate.stream.digits, candidate.place.text] + candidate.place.options)
            .joined(separator: " ")
        if let mux = candidate.mux, let branch = candidate.stream.branch {
            text += " if \(mux.text)=\(Hex.string(UInt32(branch), digits: 2))"
        }
        text +=
            candidate.certainty == .high
            ? ": hardly anything else gives this course" : ": likely"
        text += "; \(percent(candidate.within)) of \(candidate.samples) values fit"
        text +=
            ", \(fixed(abs(candidate.lag), 2)) s \(candidate.lag < 0 ? "before" : "after") the frames"
        let alike = alike(candidate)
        if alike > 0 {
            text += "; \(counted(alike, "other field")) \(alike == 1 ? "moves" : "move") alike"
        }
        if let check = one.check {
            text +=
                "; the second log confirms it: \(percent(check.within)) of \(check.samples) values fit"
        } else if second != nil {
            text += "; the second log does not have these frames"
        }
        return text
    }

    /// The number of other candidates that give the course nearly as well.
    private func alike(_ candidate: SignalSearch.Candidate) -> Int {
        guard case .found(let found, _) = outcome else { return 0 }
        return found.count - 1
    }

    private func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.down))) %" }

    // MARK: For programs

    /// The keys of the rows, each kind's in their order.
    package static let keys = [
        ["signal", "values", "frames", "identifiers", "result", "text"],
        [
            "signal", "place", "ecu", "bus", "bits", "order", "signed", "switch", "switchValue",
            "scale", "offset", "unit", "certainty", "fit", "correlation", "lagSeconds", "values",
            "alike", "checked", "table",
        ],
    ]

    package var rows: [Row] {
        let shown = candidates
        let result =
            switch outcome {
            case .tooLittleMovement: "tooLittleMovement"
            case .notInLog: "notInLog"
            case .nothing: "nothing"
            case .found: shown.isEmpty ? "refuted" : "found"
            }
        let first = Row(
            "signalSearch",
            [
                "signal": .text(name), "values": .integer(course.samples.count),
                "frames": .integer(log.recording.frames),
                "identifiers": .integer(log.recording.identifiers), "result": .text(result),
                "text": .text(shown.isEmpty ? explanation.message : summary),
            ])
        return [first]
            + shown.enumerated().map { place, one in
                let candidate = one.candidate
                return Row(
                    "signalCandidate",
                    [
                        "signal": .text(name), "place": .integer(place + 1),
                        "ecu": .text(candidate.stream.digits),
                        "bus": .text(
                            log.buses.indices.contains(candidate.stream.bus)
                                ? log.buses[candidate.stream.bus] : nil),
                        "bits": .text(candidate.place.text),
                        "order": .text(candidate.place.isLittle ? "little" : "big"),
                        "signed": .flag(candidate.place.isSigned),
                        "switch": .text(candidate.mux?.text),
                        "switchValue": .integer(candidate.stream.branch),
                        "scale": .number(candidate.formula.scale),
                        "offset": .number(candidate.formula.offset), "unit": .filled(unit),
                        "certainty": .text(candidate.certainty.rawValue),
                        "fit": .number(candidate.within, places: 3),
                        "correlation": .number(candidate.share.squareRoot(), places: 5),
                        "lagSeconds": .number(candidate.lag, places: 2),
                        "values": .integer(candidate.samples),
                        "alike": .integer(alike(candidate)),
                        "checked": .flag(one.check.map(\.holds)),
                        "table": .text(
                            candidate.record(name, unit: unit).joined(separator: "\n")),
                    ])
            }
    }
}

extension KnownValues.Fault: ExplainedAt {
    /// Why there are no known values in a file.
    package func explanation(at file: String) -> Explanation {
        switch self {
        case .noColumn(let name, let known):
            return Explanation(
                "\(file): no column is called \"\(name)\"",
                hint: "there are \(known.joined(separator: ", "))", .usage)
        case .noRows:
            return Explanation(
                "\(file): no row has a time and a number",
                hint: "the first column is the time, the second one the value", .badInput)
        case .notATime(let line, let text):
            return Explanation(
                "\(file):\(line): \"\(text)\" is not a time",
                hint: "write 2026-11-21T08:15:02Z, 08:15:02, or seconds from the start of the log",
                .badInput)
        case .noSignal(let name, let trip, let known):
            return Explanation(
                "trip \(trip) has no numbers of \"\(name)\"",
                hint: "it has \(known.joined(separator: ", "))", .noInput)
        case .logWithoutDate:
            return Explanation(
                "\(file): the values have dates, but the log does not say when it began",
                hint: "give seconds from the start of the log", .badInput)
        }
    }
}
