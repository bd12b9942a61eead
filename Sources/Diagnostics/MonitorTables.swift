/// Names and scalings of on-board monitoring tests, and the names of info types.
public struct MonitorTables: Hashable, Sendable {
    /// How the numbers of one unit and scaling id are read: `raw × multiplier / divisor + offset`.
    public struct Scaling: Hashable, Sendable {
        /// Whether the 16 bits are a two's complement number (ids from 80 on).
        public var isSigned: Bool
        /// The factor's numerator.
        public var multiplier: Double
        /// The factor's denominator, never 0.
        public var divisor: Double
        /// Added after scaling; unit: `unit`.
        public var offset: Double
        /// The unit as printed; empty = none.
        public var unit: String
        /// What kind of quantity it is.
        public var quantity: String
    }

    /// Names of monitor ids.
    public internal(set) var monitors: [UInt8: String] = [:]
    /// Names of test ids.
    public internal(set) var tests: [UInt8: String] = [:]
    /// Unit and scaling ids.
    public internal(set) var scalings: [UInt8: Scaling] = [:]
    /// Names of info types.
    public internal(set) var infoTypes: [UInt8: String] = [:]

    /// Empty tables: every id is unknown.
    public init() {}
}
