import Accessory
import Formats

/// One step of `doctor`: what was looked at, and what was found.
package struct Check: Hashable, Sendable {
    /// What is looked at, in the order from the cable to the engine.
    package enum Step: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Whether there is an accessory to talk to.
        case accessory = "address"
        /// The device file.
        case device
        /// Whether the user may open it.
        case permissions
        /// Whether no other program uses it.
        case free
        /// The way to a network adapter.
        case network
        /// The Bluetooth controller, and the pairing.
        case bluetooth
        /// The link to the adapter.
        case link
        /// The adapter itself.
        case adapter
        /// The voltage at the vehicle's socket.
        case voltage
        /// The vehicle's bus.
        case vehicle
        /// The ECUs that answer.
        case ecus
        /// Whether the engine turns.
        case engine

        /// Whether `left` is nearer to the cable.
        package static func < (left: Step, right: Step) -> Bool {
            let order = allCases
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    /// What was looked at.
    package var step: Step
    /// Whether it is in order.
    package var isFine: Bool
    /// What was found.
    package var found: String
    /// What fixes it; nil when there is nothing to fix.
    package var fix: String?

    package init(_ step: Step, _ found: String) {
        self.step = step
        isFine = true
        self.found = found
    }

    /// A fault, and what fixes it.
    package init(_ step: Step, fault: String, fix: String?) {
        self.step = step
        isFine = false
        found = fault
        self.fix = fix
    }

    /// What was seen of the accessory.
    package init(_ finding: AccessoryFinding) {
        self.init(Step(finding.step), finding.found, advice: finding.advice)
    }

    /// In order, with something worth saying about it.
    package init(_ step: Step, _ found: String, advice: String?) {
        self.step = step
        isFine = true
        self.found = found
        fix = advice
    }

    /// The keys of ``row``.
    package static let keys = ["step", "ok", "found", "fix"]

    /// As programs read it.
    package var row: Row {
        Row(
            "check",
            [
                "step": .text(step.rawValue), "ok": .flag(isFine), "found": .text(found),
                "fix": .text(fix),
            ])
    }

    /// A line or two for people, each folded where a terminal has so many cells.
    package func text(_ palette: Palette, columns: Int? = nil) -> String {
        var rows = TextTable([("", .left), ("", .left), ("", .left)])
        rows.add([
            isFine ? .init("ok   ", .good) : .init("FAULT", .bad),
            .init(step.rawValue.padded(to: 11)), .init(found),
        ])
        if let fix { rows.add(["", "", .init((isFine ? "note: " : "fix: ") + fix)]) }
        return rows.text(palette, columns: columns)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Check.Step {
    /// A part of the way to the accessory.
    package init(_ step: AccessoryStep) {
        self =
            switch step {
            case .device: .device
            case .permissions: .permissions
            case .free: .free
            case .network: .network
            case .bluetooth: .bluetooth
            case .link: .link
            case .adapter: .adapter
            }
    }
}
