/// The index of a signal in its table, which readings have instead of the signal itself.
public struct SignalIndex: RawRepresentable, Hashable, Comparable, Sendable {
    /// The index in ``PIDTable/signals``, from 0.
    public var rawValue: Int32

    /// Creates an index, from 0.
    @inline(__always)
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Compares the indices.
    public static func < (left: SignalIndex, right: SignalIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One signal of a record, as its table row describes it.
public struct Signal: Hashable, Sendable {
    /// The meaning of the raw bits.
    public enum Kind: Hashable, Sendable {
        /// `raw × multiplier / divisor + offset`.
        case number
        /// One bit.
        case flag
        /// A code with a label for each defined value.
        case enumeration
        /// A map of supported identifiers, most significant bit first.
        case supportMap
        /// A trouble code of two bytes; 0000 means no code.
        case code
        /// ASCII text.
        case text
        /// Bytes without a known meaning, shown in hexadecimal.
        case bytes
    }

    /// A raw value that means that there is no value.
    public struct NotAvailable: Hashable, Sendable {
        /// The raw bits (unsigned), or the lowest of a range.
        public var pattern: UInt64
        /// The highest raw bits of a range; the same as `pattern` for a single value.
        public var last: UInt64

        /// A raw value, or all values up to `last`.
        public init(pattern: UInt64, through last: UInt64? = nil) {
            self.pattern = pattern
            self.last = last ?? pattern
        }
    }

    /// A signal in the same record whose value decides whether the signal is present.
    public struct Condition: Hashable, Sendable {
        /// The signal that decides; it may have a condition of its own.
        public var signal: SignalIndex
        /// The raw values (unsigned) with which this signal is present.
        public var ranges: [ClosedRange<UInt64>]

        /// The signal that decides, and its required raw values.
        public init(signal: SignalIndex, ranges: [ClosedRange<UInt64>]) {
            self.signal = signal
            self.ranges = ranges
        }

        /// Whether this signal is present if the deciding signal has the raw value `raw`.
        @inline(__always)
        public func isMet(by raw: UInt64) -> Bool {
            for range in ranges where range.contains(raw) { return true }
            return false
        }
    }

    /// The short name of SAE J1979-DA, if there is one: `RPM`.
    public var id: String
    /// The name for the user: `Engine speed`.
    public var name: String
    /// Other names that the user may type, in lower case: `rpm`, `engine-speed`.
    public var aliases: [String]
    /// The first bit, counted from the most significant bit of byte A.
    ///
    /// If ``isLittleEndian`` is set, the lowest bit, counted from the least significant bit of byte A.
    public var bitOffset: Int
    /// The number of bits; for text and bytes, of the longest value.
    public var bitLength: Int
    /// Whether the raw bits are a two's complement number.
    public var isSigned: Bool
    /// Whether later bytes are more significant, as in SAE J1939.
    public var isLittleEndian = false
    /// The number of the part, from 1, in a text whose parts each end with an asterisk; nil for the whole
    /// text.
    public var part: Int?
    /// The meaning of the raw bits.
    public var kind: Kind
    /// The factor's numerator.
    public var multiplier: Double
    /// The factor's denominator, never 0.
    public var divisor: Double
    /// Added after scaling, in the unit of the signal.
    public var offset: Double
    /// A formula in addition to factor and offset; nil for most signals.
    public var formula: Formula?
    /// The unit for output: `rpm`, `°C`, `km/h`; empty if there is none.
    public var unit: String
    /// The flag signal in the same record that has to be 1 for this signal to be supported.
    public var supportFlag: SignalIndex?
    /// Whether the signal is the ``supportFlag`` of another signal, so that it has no meaning by itself.
    public internal(set) var isSupportFlag = false
    /// Decides whether the record has this signal; nil if it always has.
    public var condition: Condition?
    /// Raw values that mean "not available".
    public var notAvailable: [NotAvailable]
    /// The label of each defined code of an enumeration, and the names that a number has for some raw values.
    public var labels: [(code: UInt64, label: String)] = []

    /// A number of `bitLength` bits at `bitOffset` with factor 1; the caller sets the other properties.
    public init(
        id: String, name: String, aliases: [String] = [], bitOffset: Int, bitLength: Int,
        kind: Kind, isSigned: Bool = false, multiplier: Double = 1, divisor: Double = 1,
        offset: Double = 0, unit: String = "", supportFlag: SignalIndex? = nil,
        notAvailable: [NotAvailable] = [], labels: [(code: UInt64, label: String)] = []
    ) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.bitOffset = bitOffset
        self.bitLength = bitLength
        self.kind = kind
        self.isSigned = isSigned
        self.multiplier = multiplier
        self.divisor = divisor
        self.offset = offset
        self.unit = unit
        self.supportFlag = supportFlag
        self.notAvailable = notAvailable
        self.labels = labels
    }

    /// Compares the contents of the rows, without other rows of the same signal.
    public static func == (left: Signal, right: Signal) -> Bool {
        left.id == right.id && left.name == right.name && left.bitOffset == right.bitOffset
            && left.bitLength == right.bitLength && left.kind == right.kind
            && left.isSigned == right.isSigned && left.multiplier == right.multiplier
            && left.divisor == right.divisor && left.offset == right.offset
            && left.unit == right.unit && left.supportFlag == right.supportFlag
            && left.part == right.part
            && left.isLittleEndian == right.isLittleEndian && left.condition == right.condition
            && left.formula == right.formula && left.notAvailable == right.notAvailable
            && left.aliases == right.aliases && left.labels.elementsEqual(right.labels, by: ==)
    }

    /// Hashes the name and the bits, which are enough to distinguish signals.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(bitOffset)
        hasher.combine(bitLength)
    }
}
