/// The time during which a standing vehicle was charged.
package struct ChargingSession: Hashable, Sendable {
    /// The part of a session at one state of charge.
    package struct Point: Hashable, Sendable {
        /// The state of charge from which the point begins; unit: %.
        package var charge: Int
        /// Mean power; unit: kW.
        package var power: Double
        /// Unit: s.
        package var seconds: Double
    }

    /// The kind of current at the plug.
    package enum Current: String, Hashable, Sendable {
        case alternating = "AC"
        case direct = "DC"
    }

    /// Why ``current`` is known or not known.
    package enum Reason: String, Hashable, Sendable {
        /// The vehicle reports it.
        case flag
        /// The power never was above what chargers in cars can do.
        case lowPower
        /// The mean power is above what chargers in cars can do.
        case highPower
        /// The mean power is what chargers in cars can do, and the greatest is more.
        case unclear
        /// Too few values to know the power.
        case unknown
    }

    /// The source of an energy.
    package enum Method: String, Hashable, Sendable {
        /// The counters of the battery computer.
        case counters
        /// Power over time.
        case integration
    }

    /// The charge of a session over a part of the state of charge.
    package struct Share: Hashable, Sendable {
        /// Unit: Ah; its deviation without the gain of the sensor, which all sessions share.
        package var charge: Estimated
        /// The change of the state of charge; unit: %.
        package var points: Estimated
        /// Energy per charge at the battery; unit: kWh per Ah, nil if unknown.
        package var energyPerCharge: Double?
    }

    /// Chargers in cars have up to 22 kW; unit: kW.
    static let mostAlternating = 22.0
    /// The width of ``Point``; unit: %.
    package static let pointWidth = 5

    /// Since the start of the trip; unit: µs.
    package var from, to: Int64
    /// Unit: kWh; nil without two values near each other.
    package var energy: Estimated?
    package var method: Method?
    /// Unit: kW.
    package var meanPower: Double?
    /// The greatest power that two successive values have; unit: kW.
    package var topPower: Double?
    /// State of charge at the start and at the end; unit: %.
    package var chargeFrom, chargeTo: Double?
    /// The power by state of charge, in its order; empty without a state of charge.
    package var curve: [Point]
    package var current: Current?
    package var reason: Reason
    /// Time without data that counts for nothing; unit: s.
    package var gaps: Double
    /// Unit: km.
    package var odometer: Double?
    /// Nil if the session says nothing about the capacity: see ``noShare``.
    package var share: Share?
    /// Why ``share`` is nil.
    package var noShare: NoShare?

    /// Why a session says nothing about the capacity.
    package enum NoShare: String, Hashable, Sendable {
        case noCharge = "no state of charge was read"
        case tooShort = "the state of charge rose by less than 40 points"
        case tooSeldom = "the state of charge was read too rarely"
        case gaps = "the current has gaps"
        case noCurrent = "no current was read"
    }

    package var seconds: Double { Double(to - from) / 1e6 }
}
