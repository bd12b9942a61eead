import OBDCore

/// How often a signal is wanted, as it is typed after its name: `rpm@10Hz`, `ect@5s`, `maf@fast`,
/// `mil@slow`.
public struct SignalPace: Hashable, Sendable {
    /// How often; nil = as often as the link allows.
    public var period: Duration?

    /// What `slow` means: for counters, monitors, fuel levels.
    public static let slow = Duration.seconds(10)

    /// Reads `10Hz`, `0.2Hz`, `5s`, `200ms`, `fast` or `slow`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        if text == "fast" {
            period = nil
        } else if text == "slow" {
            period = Self.slow
        } else if text.hasSuffix("Hz") || text.hasSuffix("hz") {
            guard let rate = Double(text.dropLast(2)), rate >= 0.0001, rate <= 10_000 else {
                return nil
            }
            period = .nanoseconds(Int64((1e9 / rate).rounded()))
        } else {
            guard let duration = Duration(text: String(text)) else { return nil }
            period = duration
        }
    }
}

extension SignalNames {
    /// The signal that a name with or without a pace means.
    public func findPaced(_ text: String) throws(SignalError) -> SelectedSignal {
        guard let place = text.lastIndex(of: "@") else { return try find(text) }
        let typed = text[text.index(after: place)...]
        guard let pace = SignalPace(typed) else {
            throw .unknownPace(String(typed))
        }
        var found = try find(String(text[..<place]))
        found.pace = pace
        return found
    }
}
