import Reports

extension UserSettings {
    /// The settings for the vehicle with this VIN.
    package func fuelProfile(of vin: String?) -> FuelProfile {
        let all = fuel[""] ?? FuelProfile()
        return vin.flatMap { fuel[$0] }?.filled(from: all) ?? all
    }
}

extension SettingsKey {
    private static let ofFuel = ["serve", "trips"]

    package static let fuelKeys = [
        "type", "price", "currency", "displacement", "efficiency", "calibration",
    ]

    /// The key `fuel.price`, or `fuel.VIN.price` for one vehicle; nil if not valid.
    package static func fuel(_ name: String) -> SettingsKey? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || (parts.count == 3 && isBareName(parts[1])), parts[0] == "fuel",
            let last = parts.last
        else { return nil }
        let vehicle = parts.count == 3 ? parts[1] : ""
        func number(
            _ range: ClosedRange<Double>, _ meaning: String,
            _ path: WritableKeyPath<FuelProfile, Double?> & Sendable
        ) -> SettingsKey {
            SettingsKey(
                name: name, meaning: meaning, commands: Self.ofFuel,
                set: { text, settings, _ in
                    guard let value = Double(text), range.contains(value) else {
                        return .notANumber(range)
                    }
                    settings.fuel[vehicle, default: FuelProfile()][keyPath: path] = value
                    return nil
                }, get: { $0.fuel[vehicle]?[keyPath: path].map { String($0) } })
        }
        switch last {
        case "price": return number(0...1_000_000, "the price of a litre", \.price)
        case "displacement":
            return number(0.05...30, "the engine's displacement in litres", \.displacement)
        case "efficiency":
            let meaning =
                "the volumetric efficiency: the share of the displacement that the cylinders fill"
            return number(0.1...1.5, meaning, \.efficiency)
        case "calibration":
            return number(0.2...5, "the factor for calculated fuel", \.calibration)
        case "currency":
            return SettingsKey(
                name: name, meaning: "the currency of prices", commands: Self.ofFuel,
                set: { text, settings, _ in
                    settings.fuel[vehicle, default: FuelProfile()].currency = text
                    return text.isEmpty || text.count > 12 ? .notACurrency : nil
                }, get: { $0.fuel[vehicle]?.currency })
        case "type":
            return SettingsKey(
                name: name, meaning: "the fuel type", commands: Self.ofFuel,
                set: { text, settings, _ in
                    let kind = FuelKind(rawValue: text)
                    settings.fuel[vehicle, default: FuelProfile()].kind = kind
                    return kind == nil ? .notOneOf(FuelKind.allCases.map(\.rawValue)) : nil
                }, get: { $0.fuel[vehicle]?.kind?.rawValue })
        default: return nil
        }
    }
}

extension UserSettings {
    /// The names of all fuel settings that have a value.
    package var fuelNames: [String] {
        fuel.keys.sorted().flatMap { vehicle in
            SettingsKey.fuelKeys
                .map {
                    (vehicle.isEmpty ? ["fuel", $0] : ["fuel", vehicle, $0]).joined(separator: ".")
                }
                .filter { SettingsKey.named($0)?.get(self) != nil }
        }
    }
}
