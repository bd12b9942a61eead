/// One robust number about a drive, such as the mean fuel correction at idle.
package struct DriveFeature: Hashable, Sendable {
    package enum ID: String, Hashable, Sendable, CaseIterable {
        case trimIdle = "trim.idle"
        case trimRaised = "trim.raised"
        case trimCruise = "trim.cruise"
        case trimIdleRaised = "trim.idle-raised"
        case trimIdleCruise = "trim.idle-cruise"
        case trimBanks = "trim.b1-b2"
        case coolantCruise = "ect.cruise"
        case coolantHighest = "ect.max"
        case voltageRunning = "v.run"
        case voltageHighest = "v.max"
        case manifoldOff = "map.off-baro"
        case idleUnsteady = "rpm.idle.sd"
    }

    /// The limits of a feature; a feature of a healthy vehicle of any make stays within `surely`.
    ///
    /// The limits are those of training texts and of measured drives, widened until the usual tolerances of
    /// air meter, injectors and fuel cannot reach them together.
    package struct Limits: Sendable {
        package var healthy: ClosedRange<Double>
        package var surely: ClosedRange<Double>
        package var name: String
        package var unit: String
        /// Seconds of data without which nothing is said.
        package var seconds: Double
        /// The quantities without which it cannot be measured.
        package var needs: [DriveQuantity]
    }

    package var id: ID
    package var value: Double
    /// The standard error of `value`.
    package var error: Double
    package var seconds: Double
    /// Microseconds since the start of the trip.
    package var from, to: Int64

    package var limits: Limits { id.limits }

    /// How many times the width of the healthy range the value is outside, with its error in its favour; 0
    /// inside.
    package var excess: Double {
        let least = 1.96 * error
        let healthy = limits.healthy
        let width = healthy.upperBound - healthy.lowerBound
        return max(
            0, value - least - healthy.upperBound, healthy.lowerBound - (value + least)) / width
    }

    /// Whether no healthy vehicle has this value.
    package var isSurelyOff: Bool {
        value - 1.96 * error > limits.surely.upperBound
            || value + 1.96 * error < limits.surely.lowerBound
    }
}

extension DriveFeature.ID {
    package var limits: DriveFeature.Limits {
        func limits(
            _ name: String, _ unit: String, _ healthy: ClosedRange<Double>,
            _ surely: ClosedRange<Double>, _ seconds: Double, _ needs: [DriveQuantity]
        ) -> DriveFeature.Limits {
            .init(
                healthy: healthy, surely: surely, name: name, unit: unit, seconds: seconds,
                needs: needs)
        }
        let trims: [DriveQuantity] = [
            .shortTrim1, .longTrim1, .engineSpeed, .speed, .coolant,
        ]
        return switch self {
        case .trimIdle: limits("fuel correction at idle", "%", -8...8, -30...30, 40, trims)
        case .trimRaised:
            limits("fuel correction at 2,500 rpm", "%", -8...8, -30...30, 15, trims)
        case .trimCruise:
            limits("fuel correction at steady speed", "%", -8...8, -30...30, 40, trims)
        case .trimIdleRaised:
            limits("fuel correction, idle less 2,500 rpm", "%", -5...5, -15...15, 15, trims)
        case .trimIdleCruise:
            limits("fuel correction, idle less steady speed", "%", -5...5, -15...15, 40, trims)
        case .trimBanks:
            limits(
                "fuel correction at steady speed, bank 1 less bank 2", "%", -5...5, -15...15, 40,
                trims + [.shortTrim2, .longTrim2])
        case .coolantCruise:
            limits(
                "coolant at steady speed after 15 minutes", "°C", 78...105, 70...115, 60,
                [.coolant, .speed, .engineSpeed, .ambient])
        case .coolantHighest:
            limits(
                "coolant, highest for 20 seconds", "°C", -40...108, -40...118, 20,
                [.coolant, .engineSpeed])
        case .voltageRunning:
            limits(
                "voltage with the engine running, median", "V", 13.2...14.9, 12.2...15.6, 600,
                [.voltage, .engineSpeed])
        case .voltageHighest:
            limits(
                "voltage with the engine running, highest for 20 seconds", "V", 13.4...15.2,
                12.2...16, 600, [.voltage, .engineSpeed])
        case .manifoldOff:
            limits(
                "manifold pressure less air pressure, engine off", "kPa", -3...3, -10...10, 5,
                [.manifold, .barometric, .engineSpeed])
        case .idleUnsteady:
            limits(
                "engine speed at idle, standard deviation in 10 seconds", "rpm", 0...15, 0...80,
                60, [.engineSpeed, .speed, .coolant])
        }
    }
}
