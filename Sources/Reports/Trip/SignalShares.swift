import Diagnostics
import Formats

/// Calculates the share of the time for each value of a flag or an enumeration.
///
/// A value counts until the next reading. The last value has no end, so it counts only if it is the
/// only one.
struct SignalShares: Sendable {
    /// Microseconds by raw value.
    private var times: [Double: Double] = [:]
    private var last: (t: Int64, value: Double)?

    /// Takes a reading, in the order of time; unit: µs.
    mutating func take(_ value: Double, at t: Int64) {
        if let last { times[last.value, default: 0] += Double(max(0, t - last.t)) }
        last = (t, value)
    }

    /// The label of the only value; nil without readings, and if the value changed.
    func only(of signal: Signal) -> String? {
        guard let last, times.values.reduce(0, +) <= 0 || times.count < 2 else { return nil }
        return Self.label(times.keys.first ?? last.value, of: signal)
    }

    /// `closed loop 81 %, open loop 19 %`, the largest first; nil without readings.
    func text(of signal: Signal) -> String? {
        if let only = only(of: signal) { return "always " + only }
        guard last != nil else { return nil }
        let total = times.values.reduce(0, +)
        return times.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { value, time in
            let share = time / total * 100
            let percent = share < 1 ? "less than 1" : fixed(share, 0)
            return "\(Self.label(value, of: signal)) \(percent) %"
        }.joined(separator: ", ")
    }

    private static func label(_ value: Double, of signal: Signal) -> String {
        if signal.kind == .flag { return value == 0 ? "off" : "on" }
        let code = UInt64(exactly: value)
        return signal.labels.first { $0.code == code }?.label ?? "code \(fixed(value, 0))"
    }
}
