/// The order in which line rates are tried, as a pure value.
///
/// The remembered rate comes first and is used once without a test, because the adapter's set-up proves it.
/// If the set-up fails, all rates are tested, including the remembered one.
struct ConnectPlan: Hashable, Sendable {
    /// The action for a newly opened line.
    enum Step: Hashable, Sendable {
        /// Leave the rate unchanged, because the line has none or the user set it.
        case asItIs
        /// Set this rate and continue without a test.
        ///
        /// Unit: bit/s.
        case trust(Int)
        /// Test each of these rates until the adapter answers.
        ///
        /// Unit: bit/s.
        case search([Int])
    }

    /// Line rates of adapters, the most likely first.
    ///
    /// The order is: ELM327 default, STN over USB, ELM327 with pin 6 low, then the rates that users set.
    static let usualRates = [
        38_400, 115_200, 9_600, 500_000, 230_400, 57_600, 1_000_000, 2_000_000, 19_200,
    ]

    /// The rate that worked last.
    private(set) var known: Int?
    private var isTrusted: Bool
    /// Whether the line was opened at a rate that has not been proven since.
    private(set) var isOnTrust = false

    /// A plan that begins with the remembered rate, if there is one.
    init(remembered: Int?) {
        known = remembered
        isTrusted = remembered != nil
    }

    /// The action for a line that was just opened.
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

    /// Records that the adapter was set up at this rate, so it can be used without a test next time.
    mutating func succeeded(at rate: Int?) {
        isOnTrust = false
        guard let rate else { return }
        known = rate
        isTrusted = true
    }
}
