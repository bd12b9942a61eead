import Formats
import OBDCore
import SystemIO

/// What became of the steps of a live test, as text, JSON Lines or CSV.
package struct TestedSteps {
    /// The number of the trip that the test recorded, and its start.
    package var trip: Int64
    package var start: UTC
    package var steps: [Coach.Result]
    /// Why the test was broken off, in a sentence; nil = it was not.
    package var broken: String?

    package init(trip: Int64, start: UTC, steps: [Coach.Result], broken: String?) {
        self.trip = trip
        self.start = start
        self.steps = steps
        self.broken = broken
    }

    /// The note that marks the beginning of a step in the trip.
    package static func note(_ step: CoachStep) -> String { "test: \(step.name)" }

    package func text(_ output: OutputForm) -> String {
        var text = ""
        if let broken {
            text += lines(
                "The test was broken off: \(broken)", .warning, output.palette, output.columns)
        }
        let done = steps.filter { $0.skip == nil && $0.step != .park && $0.step != .stop }
        if !done.isEmpty {
            let words = done.map { "\($0.step.name) \(fixed($0.held, 0)) s" }
            text += lines(
                "Tested: " + words.joined(separator: ", ") + ".", nil, output.palette,
                output.columns)
        }
        let skipped = steps.filter { $0.skip != nil && $0.skip != .ended }
        if !skipped.isEmpty {
            let words = skipped.map { "\($0.step.name) (\($0.skip?.text ?? ""))" }
            text += lines(
                "Skipped: " + words.joined(separator: ", ") + ".", nil, output.palette,
                output.columns)
        }
        if skipped.contains(where: { $0.step == .glance && $0.skip == .unknown }) {
            text += lines(
                "--quick judges an engine, and no engine speed was read. \"obdscan diagnose --battery\" tests "
                    + "the 12 V side of electric vehicles, too.",
                nil, output.palette, output.columns)
        }
        return text
    }

    /// The keys of the rows.
    package static let keys = [
        "trip", "step", "name", "done", "skipped", "text", "seconds", "wanted", "from", "to",
    ]

    package var rows: [Row] {
        steps.map { result in
            Row(
                "step",
                [
                    "trip": .integer(trip), "step": .text(result.step.rawValue),
                    "name": .text(result.step.name), "done": .flag(result.skip == nil),
                    "skipped": .text(result.skip?.rawValue), "text": .text(result.skip?.text),
                    "seconds": .number(result.held, places: 1),
                    "wanted": .number(result.step.wanted, places: 1),
                    "from": .time(start.later(by: result.from)),
                    "to": .time(start.later(by: result.to)),
                ])
        }
    }
}

extension Coach.Break {
    /// In a sentence.
    package var text: String {
        switch self {
        case .heat: "the engine was too hot."
        case .misfire: "an ECU reported a new misfire code."
        case .misfireRate:
            "more than 5 % of the engine's firings were misfires, as the ECU's counters say."
        case .oil: "the oil pressure was too low for a running engine (less than 29 kPa)."
        case .overspeed: "the engine turned faster than 5,500 rpm at a standstill."
        case .moves: "the vehicle moved in a step for a parked vehicle."
        case .voltage: "the voltage was above 16.5 V (33 V with a supply of 24 V)."
        case .battery: "the battery was almost empty."
        case .engineOff: "the engine was off."
        case .silence: "the vehicle did not answer any more."
        }
    }
}
