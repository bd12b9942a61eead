/// The energy of a traction battery in one trip, its charging sessions, cells and isolation.
package struct BatteryUse: Hashable, Sendable {
    /// The spread of the cells between 20 and 80 % of charge, without frost.
    package struct Cells: Hashable, Sendable {
        /// The smallest difference between two spreads; unit: mV.
        package var step: Double?
        /// Highest less lowest voltage at rest, the middle of all readings; unit: mV, nil with too few.
        package var rest: Double?
        /// The number of readings at rest.
        package var restCount = 0
        /// The spread without current, by a straight line; unit: mV.
        package var intercept: Estimated?
        /// The growth of the spread with the current; unit: mΩ.
        package var slope: Estimated?
        /// The cell that is lowest in at least 80 % of the readings; nil if no cell is.
        package var weakest: Int?
        /// The share of readings in which the most frequent lowest cell is lowest, 0 to 1.
        package var lowestShare: Double?
        /// The readings that ``lowestShare`` counts: those in which the cells differ by more than a step.
        package var lowestCount = 0

        /// What a spread means.
        package enum Grade: String, Hashable, Sendable {
            case good, fair, odd, strong
        }

        /// The grade of the spread at rest; nil if it is not known.
        ///
        /// Workshop practice: up to 30 mV good, above 60 odd, above 100 strong. One step may be a rounding.
        package var grade: Grade? {
            guard let rest else { return nil }
            let sure = rest - (step ?? 0)
            return sure > 100 ? .strong : sure > 60 ? .odd : sure > 30 ? .fair : .good
        }

        init(step: Double?) { self.step = step }
    }

    /// The resistance between battery and body.
    package struct Isolation: Hashable, Sendable {
        /// The middle of all readings; unit: kΩ.
        package var middle: Double
        /// Unit: kΩ.
        package var lowest: Double
        package var count: Int
        /// The highest voltage of the battery in the trip; unit: V, nil if unknown.
        package var voltage: Double?

        package enum Grade: String, Hashable, Sendable {
            case good, odd, stop
        }

        /// The grade of the middle reading; a single low one may be a fault of the measurement.
        ///
        /// UN R100 asks 500 Ω/V if the battery is joined with parts of alternating current.
        package var grade: Grade {
            let least = max(200, 0.5 * (voltage ?? 0))
            return middle < least ? .stop : middle < max(500, least) ? .odd : .good
        }
    }

    /// A figure that may be missing; the raw value is its name in output.
    package enum Figure: String, Hashable, Sendable, CaseIterable {
        case used, per100Km, regenerated, sessions, capacity, cells, isolation
    }

    /// The meaning of a positive current, and how it is known; nil if it is not known.
    package var direction: BatterySurvey.Direction?
    package var evidence: BatterySurvey.Evidence?
    /// The current of the sensor at rest that is subtracted, positive out of the battery; unit: A, nil if unknown.
    package var offset: Double?
    /// Energy out of the battery less energy into it, outside of charging sessions; unit: kWh.
    package var used: Estimated?
    package var method: ChargingSession.Method?
    /// Energy out of the battery outside of charging sessions; unit: kWh.
    package var discharged: Estimated?
    /// Energy into the battery while the vehicle moved; unit: kWh.
    package var regenerated: Estimated?
    /// Energy into the battery outside of charging sessions, by what ever source; unit: kWh.
    package var recharged: Estimated?
    /// The share of ``discharged`` that braking gave back, 0 to 1; nil if the engine may have charged, too.
    package var regeneratedShare: Estimated?
    /// The distance to which ``used`` belongs; unit: km.
    package var distance: Estimated?
    package var per100km: Estimated?
    package var sessions: [ChargingSession]
    /// Time between values more than 10 s apart; unit: s.
    package var gaps: Double
    /// The number of these gaps.
    package var gapCount: Int
    package var cells: Cells?
    package var isolation: Isolation?
    /// The odometer at the end; unit: km, nil if no odometer was read.
    package var odometer: Double?
    /// Whether the engine of a hybrid ran, or an engine speed was read that may be one's.
    package var engineRan: Bool
    /// Figures that are missing, with the reason.
    package var missing: [Figure: String]

    /// Why a trip that is a charging session has no figures of a drive.
    static let hardlyMoved = "the vehicle hardly moved"

    /// The energy of all sessions with a known one; unit: kWh, nil without any.
    package var charged: Estimated? {
        let known = sessions.compactMap(\.energy)
        guard !known.isEmpty else { return nil }
        return Estimated(
            known.reduce(0) { $0 + $1.value },
            known.reduce(0) { $0 + $1.deviation * $1.deviation }.squareRoot())
    }

    package var capacity: BatteryCapacity? { BatteryCapacity(sessions.compactMap(\.share)) }
}
