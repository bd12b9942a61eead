import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `The maker in a VIN` {
    private static let tables = PIDTables.vinTables()

    /// VINs that standards and authorities use as examples, and their makes: 49 CFR 565 (1M8…,
    /// Motor Coach Industries: no row), NHTSA's decoder (5YJ…, 1HG…), Wikipedia's article on VINs
    /// (WP0…).
    @Test(arguments: [
        ("1HGCM82633A004352", "Honda, model year 2003, United States"),
        ("5YJSA1DG9DFP14705", "Tesla, model year 2013, United States"),
        ("WP0ZZZ99ZTS392124", "Porsche, Germany"),
        ("1M8GDM9AXKP042788", "model year 1989, United States"),
        ("VF1AAAAAAAAAAAAAA", "Renault, France"),
        ("UU1HSDACN48123456", "Dacia, Romania"), ("TMBZZZ1Z0B1234567", "Škoda, Czech Republic"),
    ])
    func `a VIN gives make, model year and country`(text: String, title: String) throws {
        #expect(Self.tables.title(of: try #require(VIN(text))) == title)
    }

    /// The last code of a range, the first one after it, and characters without a country.
    @Test(arguments: [
        ("AH", "South Africa"), ("AJ", nil), ("SM", "United Kingdom"), ("SN", "Germany"),
        ("T1", "Portugal"), ("T2", nil), ("VW", "Spain"), ("W0", "Germany"), ("3W", "Mexico"),
        ("3X", nil), ("70", "United States"), ("0A", nil), ("TW", "Portugal"),
    ])
    func `countries have ranges of characters`(start: String, country: String?) throws {
        let vin = try #require(VIN(start + "1AAAAAAAAAAAAAA"))
        #expect(Self.tables.country(of: vin) == country)
    }
}
