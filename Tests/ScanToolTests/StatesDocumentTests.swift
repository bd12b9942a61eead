import Foundation
import ScanTool
import ScanToolTestSupport
import Testing

/// `docs/states.md` is made from the answers of the state machine itself.
@Suite struct `docs/states.md` {
    private static let path = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/states.md")

    @Test func `docs/states.md matches the state machine`() throws {
        let rendered = Self.render()
        let written = try? String(contentsOf: Self.path, encoding: .utf8)
        guard written != rendered else { return }
        if ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write" {
            try rendered.write(to: Self.path, atomically: true, encoding: .utf8)
            Issue.record("docs/states.md has been written anew: look at the change and run again")
        } else {
            Issue.record("docs/states.md is out of date; OBDSCAN_SNAPSHOTS=write writes it anew")
        }
    }

    private static func render() -> String {
        var text = """
            # The states of a scan tool

            `StatesDocumentTests` writes this page from the code. Do not edit it.

            | state | printed | what it holds |
            |---|---|---|
            | initializing | `init` | detached, probing or ready; the machine starts and ends here |
            | idle | `idle` | nothing; the adapter is set up |
            | waiting | `waiting` | the request, the bytes received so far, and what the machine waits for |
            | processing | `processing` | the request whose result is being delivered |
            | error | `error` | the reason, the state in which it happened, the number of the attempt, and the next step |

            The tables use the samples of the grid test. Its dialect writes each word as one letter and keeps
            the promises of `AdapterDialect`.

            ## Which state follows

            Each cell lists the states that an event can lead to, including the same state. `·` means that
            the machine stays in its state and does nothing.


            """
        text += "| event |" + StateKind.allCases.map { " \($0.rawValue) |" }.joined() + "\n"
        text += "|---|" + StateKind.allCases.map { _ in "---|" }.joined() + "\n"
        for kind in EventKind.allCases {
            text += "| \(kind.rawValue) |"
            for state in StateKind.allCases { text += " \(followers(of: state, kind)) |" }
            text += "\n"
        }
        text += "\n## What the machine does\n\n"
        text += "Events that are not listed change nothing and have no effect.\n\n"
        for sample in StateSample.all {
            text += "### \(sample.kind.rawValue): \(sample.name)\n\n"
            text += "| event | state after | effects |\n|---|---|---|\n"
            for event in EventSample.all {
                var tool = sample.tool
                let before = tool.state
                let effects = tool.effects(of: event.event)
                if tool.state == before && effects.isEmpty { continue }
                let after = tool.state == before ? "·" : name(tool.state)
                let done = effects.isEmpty ? "·" : effects.map(name).joined(separator: ", ")
                text += "| \(event.name) | \(after) | \(done) |\n"
            }
            text += "\n"
        }
        return text
    }

    private static func followers(of state: StateKind, _ kind: EventKind) -> String {
        var followers: Set<StateKind> = []
        var isInert = true
        for sample in StateSample.all where sample.kind == state {
            for event in EventSample.all where event.event.kind == kind {
                var tool = sample.tool
                let before = tool.state
                let effects = tool.effects(of: event.event)
                if tool.state != before || !effects.isEmpty { isInert = false }
                followers.insert(tool.state.kind)
            }
        }
        if isInert { return "·" }
        return StateKind.allCases.filter(followers.contains).map(\.rawValue)
            .joined(separator: ", ")
    }

    private static func name(_ state: State) -> String {
        switch state {
        case .initializing(.detached): "init, detached"
        case .initializing(.probing): "init, probing"
        case .initializing(.interrupting): "init, probing, stop requested"
        case .initializing(.ready): "init, ready"
        case .idle: "idle"
        case .modifying: "modifying"
        case .waiting(let waiting):
            switch waiting.phase {
            case .reply: "waiting, reply"
            case .pause: "waiting, pause"
            case .prompt(let failure): "waiting, prompt (\(failure))"
            case .lastPrompt(let failure): "waiting, prompt (\(failure)), stop requested"
            }
        case .processing: "processing"
        case .processingLast: "processing, stop requested"
        case .error(let report):
            switch report.next {
            case .reinitialise: "error \(report.attempt), re-initialise next"
            case .awaitSession: "error \(report.attempt), session awaited"
            case .givenUp: "error \(report.attempt), given up"
            }
        }
    }

    private static func name(_ effect: Effect) -> String {
        switch effect {
        case .open: "open"
        case .write: "write"
        case .arm(let deadline, _): "arm \(name(deadline))"
        case .disarm(let deadline): "disarm \(name(deadline))"
        case .setLineRate: "set line rate"
        case .setFilter: "set filter"
        case .deliver(_, .answered): "deliver answer"
        case .deliver(_, .failed(let failure, _)): "deliver failure (\(failure))"
        case .refuse(_, let refusal): "refuse (\(refusal))"
        case .notice(.initialized): "notice: initialized"
        case .notice(.dialect): "notice of the dialect"
        case .notice(.voltage): "notice: voltage"
        case .notice(.unsolicited): "notice: unsolicited message"
        case .notice(.repeated): "notice: repeated"
        case .notice(.damaged): "notice: damaged"
        case .notice(.heard): "notice: heard a line"
        case .notice(.heardFrame): "notice: heard a frame"
        case .report(let report):
            switch report.reason {
            case .initialisation: "report initialisation failed"
            case .openFailed, .linkLost, .initialisationTimedOut, .adapterRestarted, .flooded,
                .unresponsive:
                "report \(report.reason)"
            }
        case .close: "close"
        }
    }

    private static func name(_ deadline: Deadline) -> String {
        switch deadline {
        case .dialect(let timer): "dialect's \(timer)"
        case .reply, .pause, .interrupt, .initialisation, .retry: "\(deadline)"
        }
    }
}
