/// The moment in which an ECU stored a code, as its freeze frame has it.
package struct FrozenMoment: Hashable, Sendable {
    /// P0171, without the failure type.
    package var code: String
    package var values: [DriveQuantity: Double]
    /// The day of the other record that has the frame; nil if the trip has it.
    package var day: String?

    package init(code: String, values: [DriveQuantity: Double], day: String? = nil) {
        (self.code, self.values, self.day) = (code, values, day)
    }

    /// The values that describe a moment to people.
    static let described: [DriveQuantity] = [.engineSpeed, .speed, .coolant, .load]

    /// Whether anything can be said of the moment.
    var isDescribed: Bool {
        correction != nil || Self.described.contains { values[$0] != nil }
    }

    /// The operating point of a warm engine; nil if the values are of no such point.
    ///
    /// One moment cannot show whether the speed was steady.
    var place: DrivePlace? {
        guard let rpm = values[.engineSpeed], values[.coolant] ?? 0 >= 70 else { return nil }
        if values[.load] ?? 0 >= 80, rpm >= 1_500 { return .pull }
        guard let speed = values[.speed] else { return nil }
        if speed == 0 {
            return (400...1_200).contains(rpm)
                ? .idle : (2_200...2_800).contains(rpm) ? .raised : nil
        }
        return (40...130).contains(speed) && rpm > 1_000 ? .cruise : nil
    }

    /// Short and long fuel trim together in closed loop; unit: %.
    package var correction: Double? {
        guard let status = values[.fuelStatus], status == 2 || status == 16,
            let short = values[.shortTrim1], let long = values[.longTrim1]
        else { return nil }
        return ((1 + short / 100) * (1 + long / 100) - 1) * 100
    }

    /// In words.
    package var point: String? {
        if let rpm = values[.engineSpeed], rpm == 0 { return "with the engine off" }
        if let coolant = values[.coolant], coolant < 70 { return "with a cold engine" }
        return switch place {
        case .idle: "at idle"
        case .raised: "at 2,500 rpm, standing"
        case .cruise: "while driving"
        case .pull: "at full load"
        case nil: nil
        }
    }

    /// The measures that one moment can stand for.
    ///
    /// The short trim swings by some per cent, so a single one may be as far off.
    var numbers: [String: Measured] {
        guard let place else { return [:] }
        var found: [String: Measured] = [:]
        if let correction { found["trim.\(place)"] = Measured(value: correction, error: 5) }
        if place == .idle, let manifold = values[.manifold] {
            found["map.idle"] = Measured(value: manifold, error: 3)
        }
        return found
    }
}
