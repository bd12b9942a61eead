/// Names and scalings of on-board monitoring tests, and the rules for readiness.
public struct MonitorTables: Hashable, Sendable {
    /// The scaling of one unit and scaling ID: `raw × multiplier / divisor + offset`.
    public struct Scaling: Hashable, Sendable {
        /// The factor's numerator.
        public var multiplier: Double
        /// The factor's denominator, never 0.
        public var divisor: Double
        /// Added after scaling; unit: `unit`.
        public var offset: Double
        /// The unit as printed; empty = none.
        public var unit: String
        /// The kind of quantity.
        public var quantity: String

        /// The scaled number.
        public func number(raw: Int) -> Double {
            scaled(Double(raw), multiplier, divisor, offset)
        }
    }

    /// A test of service 05 or 06.
    public struct Test: Hashable, Sendable {
        /// The test's name.
        public var name: String
        /// The scaling of the test's bytes in service 05; nil for tests of service 06 only.
        public var scaling: Scaling?
        /// Whether service 05 sends limits with the test.
        public var hasLimits: Bool
    }

    /// The names of a monitor id.
    struct Monitor: Hashable, Sendable {
        /// The quantity's name for results of misfire monitors.
        var misfire: String?
        /// The quantity's name for all other results.
        var other: String?
    }

    var monitors: [UInt8: Monitor] = [:]
    /// Tests by ID, without manufacturers' own.
    public internal(set) var tests: [UInt8: Test] = [:]
    /// Scalings by unit and scaling id.
    public internal(set) var scalings: [UInt8: Scaling] = [:]
    /// How many monitors may be incomplete, by model year.
    public internal(set) var readiness = ReadinessRules()

    /// Empty tables.
    public init() {}

    /// Whether a monitor ID has a name.
    public func hasMonitor(_ mid: UInt8) -> Bool { monitors[mid] != nil }

    /// The number of monitors with a name.
    public var monitorCount: Int { monitors.count }

    /// The change of a result when its raw value increases by one; in the unit of the result.
    ///
    /// The change is 1 if the scaling is unknown, because the value is then the raw number.
    public func step(of result: MonitorTestResult) -> Double {
        // Before CAN, only tests of service 05 have a unit.
        let scaling =
            result.uas.map { scalings[$0] }
            ?? (result.unit == nil ? nil : tests[result.tid]?.scaling)
        return scaling.map { ($0.multiplier / $0.divisor).magnitude } ?? 1
    }

    /// The name of a monitor; nil if no table has one.
    ///
    /// Editions of SAE J1979-DA disagree on B0 and B1, so the kind of test decides: misfire results have test
    /// ID 0B or 0C and scaling 24.
    public func monitorName(_ mid: UInt8, tid: UInt8, uas: UInt8) -> String? {
        let isMisfire = (tid == 0x0B || tid == 0x0C) && uas == 0x24
        return isMisfire ? monitors[mid]?.misfire : monitors[mid]?.other
    }
}
