/// A fault in the transfer of bytes between an adapter and its host.
public enum LinkFault: String, Hashable, Sendable, CaseIterable {
    /// A byte is lost.
    case drop
    /// A byte arrives twice.
    case double
    /// One bit of a byte is wrong.
    case flip
    /// A line and everything after it arrive up to 400 ms later.
    case delay
    /// A line arrives after the next one.
    case reorder
    /// The rest of an answer is lost, including its prompt.
    case cut
    /// No bytes arrive for one to eight seconds, then all delayed bytes.
    case stall
    /// Up to 8 kB of unexpected data arrive.
    case flood
    /// The link is closed.
    case close
    /// The adapter's direction is closed; it still receives.
    case halfClose = "half-close"
    /// The adapter restarts in the middle of its output: `LV RESET` or its banner.
    case reset

    /// Whether the fault is drawn for each byte in both directions; other faults are drawn for each line of
    /// the adapter.
    public var isForBytes: Bool { self == .drop || self == .double || self == .flip }
}

/// The probability of each fault; the same seed causes the same faults at the same bytes.
public struct LinkFaults: Hashable, Sendable {
    /// The share of bytes or lines, 0…1; never if missing.
    public var rates: [LinkFault: Double]

    /// Creates faults with these rates.
    public init(_ rates: [LinkFault: Double] = [:]) { self.rates = rates }

    /// Reads `drop:0.001,flip:0.001`, or `all:0.001` for every kind; nil for anything else.
    public init?(_ text: some StringProtocol) {
        rates = [:]
        guard text != "none" else { return }
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = item.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, let rate = Double(halves[1]), (0...1).contains(rate) else {
                return nil
            }
            if halves[0] == "all" {
                for fault in LinkFault.allCases { rates[fault] = rate }
            } else if let fault = LinkFault(rawValue: String(halves[0])) {
                rates[fault] = rate
            } else {
                return nil
            }
        }
    }

    /// Whether there are no faults.
    public var isEmpty: Bool { rates.values.allSatisfy { $0 == 0 } }

    /// The valid form of the option.
    static let form =
        "kinds and rates such as drop:0.001,flip:0.001, or all:0.001; kinds are "
        + LinkFault.allCases.map(\.rawValue).joined(separator: ", ")
}

/// Pseudo-random numbers that are the same for the same seed: SplitMix64 (Steele, Lea, Flood 2014).
struct FaultGenerator: Hashable, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// 0..<1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }
}
