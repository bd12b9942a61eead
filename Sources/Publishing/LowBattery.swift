/// Notices a battery that is nearly empty, by the voltage at the adapter.
///
/// A starter pulls the voltage down for seconds, so only a low voltage that lasts counts.
package struct LowBattery: Hashable, Sendable {
    /// Below this voltage a lead battery at rest is nearly empty; unit: V, for a 12 V supply.
    package static let limit = 11.8
    /// A battery is well again from this voltage on; unit: V, for a 12 V supply.
    package static let recovered = 12.5
    /// A supply that was ever above this voltage is one of 24 V.
    static let twelveVolts = 18.0
    /// How long the voltage must be low; unit: µs.
    static let least: Int64 = 60_000_000

    private var highest = 0.0
    /// When the voltage became low; nil = it is not low.
    private var since: Int64?
    private var isTold = false

    /// Nothing was measured yet.
    package init() {}

    /// Takes the next voltage.
    ///
    /// - Parameters:
    ///   - volts: unit: V.
    ///   - time: unit: µs.
    /// - Returns: Whether the battery is low since the last call; true once until it has recovered.
    package mutating func take(_ volts: Double, at time: Int64) -> Bool {
        guard volts.isFinite, volts > 0 else { return false }
        highest = max(highest, volts)
        let scale = highest > Self.twelveVolts ? 2.0 : 1
        if volts >= Self.recovered * scale { isTold = false }
        guard volts < Self.limit * scale else {
            since = nil
            return false
        }
        let begin = since ?? time
        since = begin
        guard !isTold, time - begin >= Self.least else { return false }
        isTold = true
        return true
    }
}
