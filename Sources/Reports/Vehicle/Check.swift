import Accessory
import Formats

/// One step of `doctor`: the subject of the check, and its result.
package struct Check: Hashable, Sendable {
    /// The steps, in the order from the cable to the engine.
    package enum Step: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Whether there is an adapter to talk to.
        case accessory = "address"
        case device
        /// Whether the user may open the device file.
        case permissions
        /// Whether no other program uses the device.
        case free
        /// The network path to a network adapter.
        case network
        /// The Bluetooth controller and the pairing.
        case bluetooth
        case link
        case adapter
        /// The voltage at the vehicle's socket.
        case voltage
        case vehicle
        case ecus
        case engine

        /// Whether `left` comes before `right` on the way from the cable to the engine.
        package static func < (left: Step, right: Step) -> Bool {
            let order = allCases
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    package var step: Step
    /// Whether the step found no fault.
    package var isFine: Bool
    package var found: String
    /// How to fix the fault; nil if there is nothing to fix.
    package var fix: String?

    package init(_ step: Step, _ found: String) {
        self.step = step
        isFine = true
        self.found = found
    }

    package init(_ step: Step, fault: String, fix: String?) {
        self.step = step
        isFine = false
        found = fault
        self.fix = fix
    }

    /// The check for a finding about the device.
    package init(_ finding: AccessoryFinding) {
        self.init(Step(finding.step), finding.found, advice: finding.advice)
    }

    /// A step without a fault, but with advice.
    package init(_ step: Step, _ found: String, advice: String?) {
        self.step = step
        isFine = true
        self.found = found
        fix = advice
    }

    /// The keys of ``row``.
    package static let keys = ["step", "ok", "found", "fix"]

    /// The check as one object of the output.
    package var row: Row {
        Row(
            "check",
            [
                "step": .text(step.rawValue), "ok": .flag(isFine), "found": .text(found),
                "fix": .text(fix),
            ])
    }

    /// The check as one or two lines for people, each folded to `columns` cells.
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
    /// The check for a step on the way to the adapter.
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
