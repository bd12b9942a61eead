/// A judgement about the 12 V side.
package struct BatteryFinding: Hashable, Sendable {
    package enum Part: String, Hashable, Sendable {
        case rest, crank, charge, converter
    }

    package enum Grade: String, Hashable, Sendable {
        case good, low, high
        /// Not judged.
        case unknown
    }

    package var part: Part
    package var grade: Grade
    /// V; nil = not measured.
    package var volts: Double?
    /// The limits of healthy vehicles.
    package var low, high: Double?
    package var samples = 0
    package var seconds = 0.0
    /// °C, as far as it counts.
    package var temperature: Double?
    /// Whether the voltage was measured at the adapter and not by the ECU.
    package var isFromAdapter = false
    /// Microseconds since the start of the trip.
    package var from: Int64 = 0
    package var to: Int64 = 0
    /// Why, in a sentence.
    package var text: String
}
