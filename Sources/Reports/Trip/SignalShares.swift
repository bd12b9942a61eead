import Diagnostics
import Formats

/// Calculates the share of the time for each value of a flag or an enumeration.
///
/// A value counts until the next reading, whether or not that one has a value. The last value has no end, so it counts only if it is the
/// only one.
struct SignalShares: Sendable {
    /// Microseconds by raw value; nil is a time in which the value is not known.
    private var times: [Double?: Double] = [:]
    private var last: (t: Int64, value: Double?)?
    private var isSteady = true
    private var hasValue = false

    /// Takes a reading, in the order of time; unit: µs.
    ///
    /// Nil for a reading without a value, which ends the state before.
    mutating func take(_ value: Double?, at t: Int64) {
        if let last {
            times[last.value, default: 0] += Double(max(0, t - last.t))
            if last.value != value { isSteady = false }
        }
        last = (t, value)
        if value != nil { hasValue = true }
    }

    /// The label of the only value; nil without readings, and if the value changed.
    func only(of signal: Signal) -> String? {
        guard let last, hasValue, isSteady else { return nil }
        return Self.label(last.value, of: signal)
    }

    /// `closed loop 81 %, open loop 19 %`, the largest first; nil without a value.
    func text(of signal: Signal) -> String? {
        if let only = only(of: signal) { return "always " + only }
        guard hasValue else { return nil }
        let total = max(1, times.values.reduce(0, +))
        return times.sorted {
            ($0.value, $1.key ?? .infinity) > ($1.value, $0.key ?? .infinity)
        }.map { value, time in
            let share = time / total * 100
            let percent = share < 1 ? "less than 1" : fixed(share, 0)
            return "\(Self.label(value, of: signal)) \(percent) %"
        }.joined(separator: ", ")
    }

    private static func label(_ value: Double?, of signal: Signal) -> String {
        guard let value else { return "not known" }
        if signal.kind == .flag { return value == 0 ? "off" : "on" }
        let code = UInt64(exactly: value)
        return signal.labels.first { $0.code == code }?.label ?? "code \(fixed(value, 0))"
    }
}
