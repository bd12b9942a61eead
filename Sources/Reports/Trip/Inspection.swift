import Diagnostics
import Formats
import PIDTables

/// The rule of an inspection that applies to a vehicle, in one sentence.
package struct Inspection: Sendable {
    /// The kinds of vehicle in the rules of inspections.
    package enum Subject: Hashable, Sendable {
        /// A car or light truck, or a vehicle of unknown kind.
        case car
        case electric, motorcycle, heavy
        /// A vehicle certified only to the requirements of other countries.
        case abroad(requirement: String)
    }

    private static let rules = (try? PIDTables.monitorTables())?.readiness ?? ReadinessRules()

    /// The kind of vehicle, by the requirements to which it is certified (PID 1C) and its fuel (PID 51); nil
    /// = not reported.
    package static func subject(
        requirement: UInt64?, named: String?, fuel: UInt64?, onJ1939: Bool
    ) -> Subject {
        // SAE J1979-DA: 08 is a battery without an engine; hybrids have other numbers.
        if fuel == 0x08 { return .electric }
        switch requirement.map({ Int(exactly: $0) ?? 0 }) {
        case 0x1B, 0x33, 0x38, 0x39, 0x3A: return .electric
        case (0x24...0x28)?, (0x34...0x37)?: return .motorcycle
        case (0x0E...0x15)?, (0x17...0x1A)?, 0x21, 0x2B, 0x2E, 0x30, 0x31, 0x3B: return .heavy
        case _ where onJ1939: return .heavy
        // Requirements with OBD or OBD II in their names, which are American.
        case nil, (0x01...0x04)?, (0x07...0x09)?, 0x0B, 0x0D, 0x22: return .car
        case 0x05: return .abroad(requirement: "no OBD")
        default: return .abroad(requirement: named ?? "other requirements")
        }
    }

    /// The rule for the vehicle; nil if nothing is known about its monitors.
    ///
    /// - Parameters:
    ///   - subject: the kind of vehicle.
    ///   - modelYear: nil = not known.
    ///   - supported: the number of monitors that the vehicle has.
    ///   - incomplete: the monitors that have not run.
    ///   - lightIsOn: whether the check engine light is on; nil = not known.
    package static func sentence(
        _ subject: Subject, modelYear: Int?, supported: Int,
        incomplete: [MonitorStatus.Monitor], lightIsOn: Bool?
    ) -> String? {
        guard let rule = rules.rules(modelYear: nil).first else { return nil }
        func none(_ others: String) -> String {
            "No rule about monitors is known for \(others): that of \(rule.title) is for cars and "
                + "light trucks with a combustion engine."
        }
        switch subject {
        case .electric: return none("an electric vehicle")
        case .motorcycle: return none("a motorcycle")
        case .heavy: return none("a heavy vehicle")
        case .abroad(let requirement):
            return
                "No rule about monitors is known for a vehicle that is certified to \(requirement): "
                + "that of \(rule.title) is American."
        case .car: break
        }
        guard supported > 0 else { return nil }
        guard let own = rules.rules(modelYear: modelYear).first else {
            return "No rule about monitors is known for model year \(modelYear ?? 0): that of "
                + "\(rule.title) begins with \(rules.rules.first?.firstYear ?? 0)."
        }
        let year =
            modelYear.map { "model year \($0)" }
            ?? "model years from \(own.firstYear) on (that of the vehicle is not known)"
        let open = own.counted(incomplete)
        let isEnough = own.tolerates(incomplete)
        let monitors =
            open.isEmpty
            ? "every monitor has run (\(own.allowed) may be incomplete)"
            : "\(counted(Double(open.count), "monitor")) \(open.count == 1 ? "has" : "have") not run; "
                + "at most \(own.allowed) may be incomplete"
        let verdict =
            switch (lightIsOn, isEnough) {
            case (true, _):
                "it does not pass, because the check engine light is on"
                    + (isEnough ? "" : " and \(monitors)")
            case (false, true): "it is ready: \(monitors)"
            case (nil, true): "enough monitors have run: \(monitors)"
            case (_, false): "it is not ready: \(monitors)"
            }
        return
            "By the rule of \(own.title) for \(year) \(verdict); other inspections have other rules."
    }
}
