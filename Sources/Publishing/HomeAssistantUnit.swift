/// What Home Assistant knows of a unit: `const.py` and `sensor/const.py` of its core.
///
/// A unit that a class does not have is an error there, so that a unit without a row here gets no class.
public struct HomeAssistantUnit: Hashable, Sendable {
    /// The device class; nil = none.
    public var deviceClass: String?
    /// The state class.
    public var stateClass: String
    /// How many decimals are shown.
    public var precision: Int

    /// What is known of a unit, as our tables write it.
    public init(_ unit: String) {
        (deviceClass, stateClass, precision) =
            switch unit {
            case "km/h": ("speed", "measurement", 0)
            case "°C": ("temperature", "measurement", 0)
            case "kPa": ("pressure", "measurement", 0)
            case "Pa": ("pressure", "measurement", 0)
            case "V": ("voltage", "measurement", 2)
            case "A": ("current", "measurement", 1)
            case "mA": ("current", "measurement", 1)
            case "kW": ("power", "measurement", 1)
            case "kWh": ("energy_storage", "measurement", 1)
            case "km": ("distance", "measurement", 0)
            case "s", "min", "h": ("duration", "measurement", 0)
            case "L": ("volume_storage", "measurement", 1)
            case "rpm", "ppm", "°": (nil, "measurement", 0)
            case "%", "g/s", "L/h", "km/L", "kg/h", "mg/m³", "mg/stroke", "N·m", "kΩ", "Ah":
                (nil, "measurement", 1)
            default: (nil, "measurement", 2)
            }
    }

    /// The unit as Home Assistant writes it; nil = none.
    public static func name(_ unit: String) -> String? {
        switch unit {
        case "", "1": nil
        case "N·m": "Nm"
        default: unit
        }
    }
}
