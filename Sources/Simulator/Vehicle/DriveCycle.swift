/// The speed of the vehicle over time: straight legs between speeds, repeated forever.
struct DriveCycle: Hashable, Sendable {
    /// The action of the driver during a step of the drive; all but ``speed`` need the engine model.
    enum Action: Hashable, Sendable {
        /// Changes the speed evenly.
        case speed
        /// Stands in neutral and holds this engine speed in 1/min.
        case rev(Double)
        /// Stands with the ignition on and the engine off.
        case key
        /// Starts the engine.
        case crank
        /// Full throttle in gear.
        case pull
        /// Takes the foot off the pedal in gear.
        case coast
    }

    /// A uniform change from the previous speed to `speed` in `seconds`.
    struct Leg: Hashable, Sendable {
        /// The duration; unit: seconds, above 0.
        var seconds: Double
        /// The speed at the end of the leg; unit: km/h.
        var speed: Double
        var action = Action.speed
    }

    /// The motion of the vehicle at a given time.
    struct Motion: Hashable, Sendable {
        /// The speed; unit: km/h.
        var speed: Double
        /// The acceleration; unit: m/s².
        var acceleration: Double
        /// The distance since the drive began; unit: km.
        var distance: Double
    }

    /// The legs; the last one ends at the speed at which the first one begins, which is 0.
    var legs: [Leg]

    /// A drive through a town and over a country road: idle, accelerate, cruise, brake.
    static var everyday: DriveCycle {
        DriveCycle(legs: [
            Leg(seconds: 8, speed: 0), Leg(seconds: 9, speed: 48), Leg(seconds: 16, speed: 52),
            Leg(seconds: 6, speed: 0), Leg(seconds: 6, speed: 0), Leg(seconds: 16, speed: 95),
            Leg(seconds: 30, speed: 102), Leg(seconds: 9, speed: 60), Leg(seconds: 12, speed: 62),
            Leg(seconds: 8, speed: 0),
        ])
    }

    /// Speed, acceleration and distance; unit of `time`: seconds since the drive began.
    func motion(at time: Double) -> Motion {
        var period = 0.0
        var lap = 0.0
        var from = 0.0
        for leg in legs {
            period += leg.seconds
            lap += (from + leg.speed) / 2 * leg.seconds / 3600
            from = leg.speed
        }
        guard period > 0, time > 0 else { return Motion(speed: 0, acceleration: 0, distance: 0) }
        let laps = (time / period).rounded(.down)
        var rest = time - laps * period
        var distance = laps * lap
        from = 0
        for leg in legs {
            let slope = (leg.speed - from) / leg.seconds
            if rest < leg.seconds {
                let speed = from + slope * rest
                distance += (from + speed) / 2 * rest / 3600
                return Motion(speed: speed, acceleration: slope / 3.6, distance: distance)
            }
            distance += (from + leg.speed) / 2 * leg.seconds / 3600
            rest -= leg.seconds
            from = leg.speed
        }
        return Motion(speed: from, acceleration: 0, distance: distance)
    }
}
