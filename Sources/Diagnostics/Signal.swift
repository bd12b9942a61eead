/// The place of a signal in its table; readings carry it instead of the signal itself.
public struct SignalIndex: RawRepresentable, Hashable, Comparable, Sendable {
    /// Position in ``PIDTable/signals``, from 0.
    public var rawValue: Int32

    /// A position, from 0.
    @inline(__always)
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// By position.
    public static func < (left: SignalIndex, right: SignalIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One signal of a record, as its table row describes it.
public struct Signal: Hashable, Sendable {
    /// What the raw bits become.
    public enum Kind: Hashable, Sendable {
        /// `raw × multiplier / divisor + offset`.
        case number
        /// One bit.
        case flag
        /// A code with a label for each value that the standard defines.
        case enumeration
        /// A map of supported identifiers, most significant bit first.
        case supportMap
        /// A trouble code of two bytes; 0000 is none.
        case code
        /// ASCII text.
        case text
        /// Bytes without a further meaning here, shown in hexadecimal.
        case bytes
    }

    /// What a raw pattern says instead of a value.
    public struct NotAvailable: Hashable, Sendable {
        /// The raw bits (unsigned) that mean it; the lowest of a range.
        public var pattern: UInt64
        /// The highest raw bits of a range that means it; `pattern` itself for a single one.
        public var last: UInt64

        /// A raw pattern, or all from it to `last`.
        public init(pattern: UInt64, through last: UInt64? = nil) {
            self.pattern = pattern
            self.last = last ?? pattern
        }
    }

    /// Another signal of the same record whose value decides whether this one is in the record.
    public struct Condition: Hashable, Sendable {
        /// The deciding signal.
        public var signal: SignalIndex
        /// Its raw values (unsigned) under which the record holds this signal.
        public var values: ClosedRange<UInt64>

        /// A deciding signal and the raw values that it must have.
        public init(signal: SignalIndex, values: ClosedRange<UInt64>) {
            self.signal = signal
            self.values = values
        }
    }

    /// The short name of SAE J1979-DA where there is one: `RPM`.
    public var id: String
    /// The name for people: `Engine speed`.
    public var name: String
    /// Other names that a user may type, in lower case: `rpm`, `engine-speed`.
    public var aliases: [String]
    /// First bit, counted from the most significant bit of byte A; where ``isLittleEndian`` is set,
    /// the lowest bit, counted from the least significant bit of byte A.
    public var bitOffset: Int
    /// Number of bits; for text and bytes the bits of the longest value.
    public var bitLength: Int
    /// Whether the raw bits are a two's complement number.
    public var isSigned: Bool
    /// Whether later bytes are more significant, as in SAE J1939.
    public var isLittleEndian = false
    /// Which part of a text whose parts each end with an asterisk, from 1; nil = all of it.
    public var part: Int?
    /// What the raw bits become.
    public var kind: Kind
    /// The factor's numerator.
    public var multiplier: Double
    /// The factor's denominator, never 0.
    public var divisor: Double
    /// Added after scaling; unit: that of the signal.
    public var offset: Double
    /// What else makes the number; nil = factor and offset alone, as most.
    public var formula: Formula?
    /// The unit as printed: `rpm`, `°C`, `km/h`; empty = none.
    public var unit: String
    /// The flag signal of the same record that must be 1 for this one to count.
    public var supportFlag: SignalIndex?
    /// Decides whether the record holds this signal at all; nil = always.
    public var condition: Condition?
    /// Raw patterns that mean "not available".
    public var notAvailable: [NotAvailable]
    /// Label of each defined code of an enumeration.
    public var labels: [(code: UInt64, label: String)] = []

    /// A number of `bitLength` bits at `bitOffset` with factor 1; set the rest afterwards.
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

    /// Whether all that a row says is the same.
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

    /// Hashes what tells signals apart in practice: name and bits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(bitOffset)
        hasher.combine(bitLength)
    }
}
