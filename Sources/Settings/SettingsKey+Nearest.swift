import OBDCore

extension SettingsKey {
    private static let tables = ["aliases", "views", "vehicles", "publish", "fuel"]

    /// The name that a user meant by an unknown one; nil if no name is like it.
    ///
    /// NAME and VIN in it stand for a name that the user has to choose.
    package static func nearest(to name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, let last = parts.last else { return nearestPlain(name) }
        guard let table = nearestName(to: parts[0], among: tables) else { return nil }
        let meant: String?
        switch table {
        case "publish" where parts.count == 2:
            // The beginning of a key may be the name of a sink: home.
            let near = nearestName(to: last, among: publishKeys).flatMap {
                $0.hasPrefix(last) && $0 != last ? nil : $0
            }
            meant = near.map { "publish.NAME.\($0)" } ?? "publish.\(last).to"
        case "publish" where parts.count == 3:
            meant = nearestName(to: last, among: publishKeys).map { "publish.\(parts[1]).\($0)" }
        case "fuel" where parts.count < 4:
            meant = nearestName(to: last, among: fuelKeys).map {
                ([table] + parts.dropFirst().dropLast() + [$0]).joined(separator: ".")
            }
        default: meant = ([table] + parts.dropFirst()).joined(separator: ".")
        }
        return meant.flatMap { $0.hasPrefix("publish.NAME.") || named($0) != nil ? $0 : nil }
    }

    /// The name for one word: a setting outside tables, a table, or a setting that only tables have.
    private static func nearestPlain(_ word: String) -> String? {
        if let name = nearestName(to: word, among: plain.map(\.name)) { return name }
        switch nearestName(to: word, among: tables + publishKeys + fuelKeys) {
        case "aliases": return "aliases.NAME"
        case "views": return "views.NAME"
        case "vehicles": return "vehicles.VIN"
        case "publish": return "publish.NAME.to"
        case "fuel": return "fuel.price"
        case let key? where publishKeys.contains(key): return "publish.NAME.\(key)"
        case let key?: return "fuel.\(key)"
        case nil: return nil
        }
    }
}
