public import OBDCore

/// The manufacturers and countries for the first characters of a VIN (ISO 3780).
public struct VINTables: Sendable {
    private struct Range: Sendable {
        var low: Int
        var high: Int
        var country: String
    }

    private var makes: [Substring: String] = [:]
    private var countries: [Range] = []
    /// The order of characters in ISO 3780.
    private static let order = Array("ABCDEFGHJKLMNPRSTUVWXYZ1234567890".utf8)

    /// Reads the tables of manufacturers and countries.
    ///
    /// The tables are `pids/vin/makes.tsv` and `pids/vin/countries.tsv`. Lines that are not rows are ignored.
    public init(makes: String, countries: String) {
        for row in Self.rows(makes) where row.count == 2 { self.makes[row[0]] = String(row[1]) }
        for row in Self.rows(countries) where row.count == 3 {
            guard let low = Self.rank(row[0]), let high = Self.rank(row[1]), low <= high else {
                continue
            }
            self.countries.append(Range(low: low, high: high, country: String(row[2])))
        }
    }

    private static func rows(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    }

    /// The position of two characters in the order of ISO 3780; nil for other characters.
    private static func rank(_ text: Substring) -> Int? {
        let places = text.utf8.compactMap { order.firstIndex(of: $0) }
        return places.count == 2 && text.utf8.count == 2 ? places[0] * 64 + places[1] : nil
    }

    /// The make; nil if unknown.
    public func make(of vin: VIN) -> String? { makes[vin.text.prefix(3)] }

    /// The country in which the manufacturer is registered; nil if unknown.
    public func country(of vin: VIN) -> String? {
        guard let rank = Self.rank(vin.text.prefix(2)) else { return nil }
        return countries.first { $0.low <= rank && rank <= $0.high }?.country
    }

    /// `Honda, model year 2003, United States`, as far as known; nil if nothing is known.
    public func title(of vin: VIN) -> String? {
        let parts = [
            make(of: vin), vin.northAmericanModelYear.map { "model year \($0)" }, country(of: vin),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
