import OBDCore

/// The situation in which a code was stored, taken from its freeze frame.
public struct CodeMoment: Hashable, Sendable {
    /// Unit: km/h.
    public var speed: Double?
    /// Coolant; unit: °C.
    public var coolant: Double?
    /// Calculated load; unit: %.
    public var load: Double?
    /// Unit: 1/min.
    public var engineSpeed: Double?
    /// The time since the engine was started; unit: s.
    public var runTime: Double?

    /// Reads the situation from the readings of one ECU's freeze frame.
    public init(_ readings: some Sequence<Reading>, in table: PIDTable) {
        for reading in readings {
            guard case .number(let value) = reading.value else { continue }
            switch table[reading.signal].id {
            case "VSS", "SPN84": speed = value
            case "ECT", "SPN110": coolant = value
            case "LOAD_PCT", "SPN92": load = value
            case "RPM", "SPN190": engineSpeed = value
            case "RUNTM": runTime = value
            default: continue
            }
        }
    }

    /// One sentence for the user; nil if nothing is known.
    ///
    /// - Parameter quantity: formats a number with its unit, `km/h` or `°C`.
    public func sentence(
        _ quantity: (Double, String) -> String = { "\(Int($0.rounded())) \($1)" }
    ) -> String? {
        var parts: [String] = []
        if let speed {
            parts.append(speed < 1 ? standstill : "at \(quantity(speed, "km/h"))")
        } else if let engineSpeed {
            parts.append("at \(quantity(engineSpeed, "rpm"))")
        }
        if let coolant {
            let shown = quantity(coolant, "°C")
            parts.append(warmth(coolant).map { "engine \($0) (\(shown))" } ?? "coolant \(shown)")
        }
        if let load { parts.append("\(Int(load.rounded())) % load") }
        if let runTime { parts.append(Self.elapsed(runTime) + " after start") }
        guard let first = parts.first else { return nil }
        return
            ([first.prefix(1).uppercased() + first.dropFirst()] + parts.dropFirst())
            .joined(separator: ", ") + "."
    }

    private var standstill: String {
        guard let engineSpeed else { return "at a standstill" }
        return "at a standstill with \(Int(engineSpeed.rounded())) rpm"
    }

    /// The limits of `pids/levels.tsv`; an engine is warm from 71 °C on (13 CCR 1968.2, warm-up cycle).
    ///
    /// Without an engine speed it is not known whether the coolant is that of an engine.
    private func warmth(_ coolant: Double) -> String? {
        guard engineSpeed != nil else { return nil }
        return switch coolant {
        case ..<60: "cold"
        case 71...110: "warm"
        case 110...: "too hot"
        default: nil
        }
    }

    private static func elapsed(_ seconds: Double) -> String {
        let seconds = max(0, Int(min(seconds, 1e9)))
        if seconds < 60 { return counted(seconds, "second") }
        if seconds < 7200 { return counted(seconds / 60, "minute") }
        return counted(seconds / 3600, "hour")
    }
}
