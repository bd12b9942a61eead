/// The quantity that a signal measures, with one name for all makes and sources.
public enum SignalRole: String, CaseIterable, Sendable {
    case odometer
    case stateOfCharge = "ev-soc"
    case stateOfHealth = "ev-soh"
    case packVoltage = "ev-voltage"
    case packCurrent = "ev-current"
    case packPower = "ev-power"
    case packTemperature = "ev-temp"
    case range = "ev-range"
    case charging = "ev-charging"
    case fastCharging = "ev-charging-dc"
    case ownCharge = "ev-soc-own"
    case energyCharged = "ev-energy-charged"
    case energyDischarged = "ev-energy-discharged"
    case chargeTakenUp = "ev-ah-charged"
    case chargeGivenOff = "ev-ah-discharged"
    case highestCell = "ev-cell-max"
    case lowestCell = "ev-cell-min"
    case lowestCellNumber = "ev-cell-min-no"
    case isolation = "ev-isolation"
    case tyreFrontLeft = "tyre-fl"
    case tyreFrontRight = "tyre-fr"
    case tyreRearLeft = "tyre-rl"
    case tyreRearRight = "tyre-rr"
    case gearboxTemperature = "gearbox-temp"
    case oilLevel = "oil-level"
    case oilLife = "oil-life"
    case oilPressure = "oil-pressure"
    case particleFilter = "dpf-soot"
    case fuelLitres = "fuel-litres"
    case starterVoltage = "12v-voltage"
    case starterCharge = "12v-soc"

    /// Names of OBDb's suggested metrics, WiCAN's parameters and ABRP's telemetry.
    ///
    /// The names are in lower case without separators between words.
    private static let names: [String: SignalRole] = [
        "odometer": .odometer, "stateofcharge": .stateOfCharge, "soc": .stateOfCharge,
        "stateofhealth": .stateOfHealth, "soh": .stateOfHealth, "hvv": .packVoltage,
        "voltage": .packVoltage, "tractionbatteryvoltage": .packVoltage, "hva": .packCurrent,
        "current": .packCurrent, "hvw": .packPower, "power": .packPower, "hvt": .packTemperature,
        "hvt1": .packTemperature, "batttemp": .packTemperature, "electricrange": .range,
        "range": .range, "estbatteryrange": .range, "charging": .charging,
        "ischarging": .charging, "frontlefttirepressure": .tyreFrontLeft,
        "frontrighttirepressure": .tyreFrontRight, "rearlefttirepressure": .tyreRearLeft,
        "rearrighttirepressure": .tyreRearRight, "tyrepfl": .tyreFrontLeft,
        "tyrepfr": .tyreFrontRight, "tyreprl": .tyreRearLeft, "tyreprr": .tyreRearRight,
        "tranftemp": .gearboxTemperature, "oillife": .oilLife, "engineoillife": .oilLife,
        "oillevel": .oilLevel, "oilpressure": .oilPressure, "lvv": .starterVoltage,
        "starterbatteryvoltage": .starterVoltage, "lvsoc": .starterCharge,
        "fueltankvolume": .fuelLitres, "tirepressurefl": .tyreFrontLeft,
        "tirepressurefr": .tyreFrontRight, "tirepressurerl": .tyreRearLeft,
        "tirepressurerr": .tyreRearRight,
    ]

    /// The quantity for people.
    public var title: String {
        switch self {
        case .odometer: "odometer"
        case .stateOfCharge: "battery charge"
        case .stateOfHealth: "battery health"
        case .packVoltage: "battery voltage"
        case .packCurrent: "battery current"
        case .packPower: "battery power"
        case .packTemperature: "battery temperature"
        case .range: "range"
        case .charging: "charging"
        case .fastCharging: "charging with direct current"
        case .ownCharge: "battery charge, battery's own"
        case .energyCharged: "energy taken up in all"
        case .energyDischarged: "energy given off in all"
        case .chargeTakenUp: "charge taken up in all"
        case .chargeGivenOff: "charge given off in all"
        case .highestCell: "highest cell"
        case .lowestCell: "lowest cell"
        case .lowestCellNumber: "number of the lowest cell"
        case .isolation: "isolation resistance"
        case .tyreFrontLeft: "tyre, front left"
        case .tyreFrontRight: "tyre, front right"
        case .tyreRearLeft: "tyre, rear left"
        case .tyreRearRight: "tyre, rear right"
        case .gearboxTemperature: "gearbox oil"
        case .oilLevel: "oil level"
        case .oilLife: "oil life"
        case .oilPressure: "oil pressure"
        case .particleFilter: "particle filter"
        case .fuelLitres: "fuel"
        case .starterVoltage: "12 V battery"
        case .starterCharge: "12 V battery charge"
        }
    }

    /// Whether the quantity only serves calculations, and says little as a number of its own.
    public var isDetail: Bool {
        switch self {
        case .fastCharging, .ownCharge, .energyCharged, .energyDischarged, .chargeTakenUp,
            .chargeGivenOff, .highestCell, .lowestCell, .lowestCellNumber, .isolation:
            true
        default: false
        }
    }

    /// The role with one of a signal's other names.
    public init?(aliases: [String]) {
        guard let role = aliases.lazy.compactMap({ SignalRole(rawValue: $0.lowercased()) }).first
        else { return nil }
        self = role
    }

    /// The role that a source's own word means.
    public init?(word: String) {
        let key = String(
            decoding: word.lowercased().utf8.filter { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            }, as: UTF8.self)
        guard let role = Self.names[key] else { return nil }
        self = role
    }

    /// The role that a free text names; only if the text is clear.
    public init?(text: String, unit: String) {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        func has(_ phrase: String) -> Bool {
            let wanted = phrase.split(separator: " ").map(String.init)
            guard wanted.count <= words.count else { return false }
            return (0...words.count - wanted.count).contains {
                Array(words[$0..<$0 + wanted.count]) == wanted
            }
        }
        let temperature = unit == "°C" || unit == "°F"
        switch unit {
        case "km" where has("odometer"), "mi" where has("odometer"): self = .odometer
        case "%" where has("state of health") || has("soh"): self = .stateOfHealth
        case "%" where has("state of charge") || has("soc"): self = .stateOfCharge
        case "%" where has("oil life"): self = .oilLife
        case _
        where temperature
            && (has("transmission fluid") || has("gearbox oil")
                || has("transmission oil")):
            self = .gearboxTemperature
        default: return nil
        }
    }
}
