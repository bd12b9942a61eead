/// In which order line rates are tried; pure.
///
/// The remembered rate comes first and is taken on trust once: the adapter's setting up proves it.
/// When that fails, every rate is asked, the remembered one included.
struct ConnectPlan: Hashable, Sendable {
    /// What to do with a freshly opened line.
    enum Step: Hashable, Sendable {
        /// The line has no rate, or a given one: nothing to find out.
        case asItIs
        /// Set this rate and go on without asking. Unit: bit/s.
        case trust(Int)
        /// Ask at each of these rates until one answers. Unit: bit/s.
        case search([Int])
    }

    /// Rates of adapters, the likeliest first: ELM327 default, STN over USB, ELM327 with pin 6 low,
    /// then those that people switch to.
    static let usualRates = [
        38_400, 115_200, 9_600, 500_000, 230_400, 57_600, 1_000_000, 2_000_000, 19_200,
    ]

    /// The rate that worked last.
    private(set) var known: Int?
    private var isTrusted: Bool
    /// Whether the line was opened at a rate that nothing has proved since.
    private(set) var isOnTrust = false

    /// A plan that begins with a remembered rate, where there is one.
    init(remembered: Int?) {
        known = remembered
        isTrusted = remembered != nil
    }

    /// What to do with a line that has just been opened.
    mutating func next(lineHasRate: Bool, isGiven: Bool) -> Step {
        isOnTrust = false
        guard lineHasRate, !isGiven else { return .asItIs }
        if let known, isTrusted {
            isTrusted = false
            isOnTrust = true
            return .trust(known)
        }
        let rest = Self.usualRates.filter { $0 != known }
        return .search((known.map { [$0] } ?? []) + rest)
    }

    /// The adapter was set up at this rate: it may be trusted next time.
    mutating func succeeded(at rate: Int?) {
        isOnTrust = false
        guard let rate else { return }
        known = rate
        isTrusted = true
    }
}
