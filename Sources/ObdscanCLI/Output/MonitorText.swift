import Diagnostics
import OBDCore
import PIDTables
import TripExport

extension MonitorStatus.Monitor {
    /// For people.
    var title: String {
        switch self {
        case .misfire: "Misfire"
        case .fuelSystem: "Fuel system"
        case .components: "Components"
        case .catalyst: "Catalyst"
        case .heatedCatalyst: "Heated catalyst"
        case .evaporative: "Evaporative system"
        case .secondaryAir: "Secondary air"
        case .gpfOrACRefrigerant: "Particulate filter (petrol) or A/C refrigerant"
        case .oxygenSensor: "Oxygen sensor"
        case .oxygenSensorHeater: "Oxygen sensor heater"
        case .egrVvt: "EGR or variable valve timing"
        case .nmhcCatalyst: "NMHC catalyst"
        case .noxSCR: "NOx aftertreatment"
        case .boostPressure: "Boost pressure"
        case .exhaustGasSensor: "Exhaust gas sensor"
        case .pmFilter: "Particulate filter"
        case .coldStartAid: "Cold start aid"
        case .egr: "EGR"
        case .vvt: "Variable valve timing"
        case .engineCooling: "Engine cooling"
        case .crankcaseVentilation: "Crankcase ventilation"
        case .coldStartEmissionReduction: "Cold start emission reduction"
        case .directOzoneReduction: "Direct ozone reduction"
        case .noxAdsorber: "NOx adsorber"
        case .otherEmissionControl: "Other emission control"
        }
    }
}

extension MonitorTestResult {
    /// The monitor for people.
    var monitorTitle: String {
        monitor ?? mid.map { "monitor \(Hex.string([$0]))" }
            ?? component.map { "component \(Hex.string([$0]))" } ?? ""
    }

    /// The test for people.
    var testTitle: String { test ?? "test \(Hex.string([tid]))" }

    private static let tables = try? PIDTables.monitorTables()

    /// One of its numbers with the digits that its scaling tells apart; "" for none.
    func text(_ number: Double?) -> String {
        guard let number else { return "" }
        return fixed(number, decimals(forStep: Self.tables?.step(of: self) ?? 0))
    }

    /// The lower limit for people; "" where no value can be below it.
    var minText: String { hasLowerLimit ? text(min) : "" }

    /// The upper limit for people; "" where no value can be above it.
    var maxText: String { hasUpperLimit ? text(max) : "" }

    /// Both limits: `3.0…40.0`, `≤ 400`, `≥ 600.0`; "" where no value can pass any.
    var limitsText: String {
        switch (minText, maxText) {
        case ("", ""): ""
        case ("", let high): "≤ \(high)"
        case (let low, ""): "≥ \(low)"
        case (let low, let high): "\(low)…\(high)"
        }
    }

    /// How it came out, for people.
    var verdict: String {
        switch passed {
        case true: "passed"
        case false: "FAILED"
        case nil: "not run"
        }
    }
}

extension Readiness {
    /// What a monitor has come to, for people; "" where nothing is known.
    static func text(_ complete: Bool?) -> String {
        complete.map { $0 ? "complete" : "not complete" } ?? ""
    }

    /// Which of `supported` monitors have not run, in one sentence.
    static func sentence(incomplete: [MonitorStatus.Monitor], of supported: Int) -> String {
        if incomplete.isEmpty {
            return supported == 1
                ? "The only supported monitor has run since codes were cleared."
                : "All \(supported) supported monitors have run since codes were cleared."
        }
        let names = incomplete.map(\.title).joined(separator: ", ")
        let have = incomplete.count == 1 ? "has" : "have"
        return "\(incomplete.count) of \(supported) supported monitors \(have) not run since codes "
            + "were cleared: \(names)."
    }

    /// The rule that makes an inspection's verdict of it, in sentences; numbers as in `readiness.tsv`.
    static let rule = [
        "US EPA (40 CFR 85.2222) allows 1 incomplete monitor (model years 1996 to 2000: 2).",
        "Other inspections have other rules.",
    ]
}
