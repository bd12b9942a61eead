import Diagnostics

extension MonitorStatus.Monitor {
    /// The name for people.
    public var title: String {
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

extension Readiness {
    /// The state of a monitor for people; "" if unknown.
    public static func text(_ complete: Bool?) -> String {
        complete.map { $0 ? "complete" : "not complete" } ?? ""
    }

    /// A sentence about the `supported` monitors that have not run.
    ///
    /// `title` has the name of a monitor.
    public static func sentence(
        incomplete: [MonitorStatus.Monitor], of supported: Int,
        title: (MonitorStatus.Monitor) -> String = \.title
    ) -> String {
        if incomplete.isEmpty {
            return supported == 1
                ? "The only supported monitor has run since codes were cleared."
                : "All \(supported) supported monitors have run since codes were cleared."
        }
        let names = incomplete.map(title).joined(separator: ", ")
        let have = incomplete.count == 1 ? "has" : "have"
        return "\(incomplete.count) of \(supported) supported monitors \(have) not run since codes "
            + "were cleared: \(names)."
    }
}
