/// The properties of a unit in Home Assistant, from `const.py` and `sensor/const.py` of its core.
///
/// A unit that does not belong to a class is an error there, so a unit without a row here gets no
/// class.
package struct HomeAssistantUnit: Hashable, Sendable {
    /// The device class; nil = none.
    package var deviceClass: String?
    package var stateClass: String
    /// The number of decimals to show.
    package var precision: Int

    /// The properties of a unit in the spelling of our tables.
    package init(_ unit: String) {
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
            case "d": ("duration", "measurement", 0)
            case "rpm", "ppm", "°", "year", "month": (nil, "measurement", 0)
            case "m", "mm", "kg", "m/s", "turn": (nil, "measurement", 1)
            case "MPa", "m/s²", "rad", "rad/s", "µSiemens/mm": (nil, "measurement", 3)
            case "%", "g/s", "L/h", "km/L", "kg/h", "mg/m³", "mg/stroke", "N·m", "kΩ", "Ah":
                (nil, "measurement", 1)
            default: (nil, "measurement", 2)
            }
    }

    /// The unit in Home Assistant's spelling; nil = none.
    package static func name(_ unit: String) -> String? {
        switch unit {
        case "", "1": nil
        case "N·m": "Nm"
        default: unit
        }
    }
}
