import OBDCore

/// The interval after a signal's name: `rpm@10Hz`, `ect@5s`, `maf@fast`, `mil@slow`.
public struct SignalPace: Hashable, Sendable {
    /// The interval; nil means as fast as possible.
    public var period: Duration?

    /// The interval of `slow`, for counters, monitors and fuel levels.
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
    /// The signal for a name with or without a pace.
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
