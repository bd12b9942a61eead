/// A step of the guided test.
package enum CoachStep: String, Hashable, Sendable, CaseIterable {
    /// The vehicle stands.
    case park
    /// Ignition on, engine off.
    case ignition
    /// The starter turns, and the engine runs.
    case start
    /// A hybrid or electric vehicle is ready to drive.
    case ready
    /// Something charges the battery.
    case charge
    /// The engine turns faster while consumers are on.
    case loads
    case idle
    /// 2,500 rpm at a standstill.
    case raised
    /// The pedal is let go after ``raised``.
    case release
    /// Steady speed.
    case cruise
    /// Full throttle.
    case pull
    /// The vehicle rolls in gear, and its fuel is cut.
    case roll
    /// The drive is over.
    case stop
    /// What an engine shows that is left as it is.
    case glance

    /// The seconds that the data must show.
    package var wanted: Double {
        switch self {
        case .park, .stop, .roll: 3
        case .ignition, .start, .ready, .release: 10
        case .charge, .raised: 20
        case .loads, .glance: 30
        case .idle: 40
        case .cruise: 60
        // Two pulls of three seconds. The first second of each does not count, because the air follows the throttle.
        case .pull: 4
        }
    }

    /// The seconds after which the step is skipped.
    package var limit: Double {
        switch self {
        case .park, .ignition, .raised, .ready: 60
        case .start, .charge, .glance: 40
        case .release: 30
        case .loads: 90
        case .roll: 120
        case .idle: 240
        case .pull: 300
        case .cruise, .stop: 600
        }
    }

    /// Whether the vehicle has to stand.
    package var isParked: Bool {
        switch self {
        case .ignition, .start, .ready, .charge, .loads, .idle, .raised, .release: true
        case .park, .cruise, .pull, .roll, .stop, .glance: false
        }
    }

    /// Whether the vehicle may be silent for the whole step: it is not on yet, or nothing but the voltage is asked.
    var mayBeSilent: Bool {
        switch self {
        case .park, .ignition, .start, .ready: true
        case .charge, .loads, .idle, .raised, .release, .cruise, .pull, .roll, .stop, .glance: false
        }
    }

    /// Whether the engine has to run.
    var needsEngine: Bool {
        switch self {
        case .charge, .loads, .idle, .raised, .release: true
        case .park, .ignition, .start, .ready, .cruise, .pull, .roll, .stop, .glance: false
        }
    }

    /// Whether the wanted seconds must follow one another.
    var isInOnePiece: Bool {
        switch self {
        case .park, .ignition, .start, .ready, .charge, .release, .roll, .stop: true
        case .loads, .idle, .raised, .cruise, .pull, .glance: false
        }
    }

    /// The quantity whose readings show the step.
    var shownBy: DriveQuantity {
        switch self {
        case .park, .stop, .cruise: .speed
        case .ignition, .start, .loads, .idle, .raised, .release, .pull, .glance: .engineSpeed
        case .ready, .charge: .voltage
        case .roll: .fuelStatus
        }
    }

    /// The quantities that this step needs as often as possible; none = all alike.
    package var fast: Set<DriveQuantity> {
        switch self {
        case .park, .stop: [.speed, .engineSpeed]
        case .ignition, .ready: [.speed, .engineSpeed, .voltage, .manifold, .barometric]
        case .start, .charge, .loads: [.speed, .engineSpeed, .voltage, .load]
        case .idle, .raised, .release, .glance, .cruise:
            [
                .speed, .engineSpeed, .load, .shortTrim1, .longTrim1, .shortTrim2, .longTrim2,
                .fuelStatus, .airFlow, .manifold, .lambda, .commandedLambda, .frontVoltage,
                .rearVoltage, .throttle, .absoluteLoad, .purge,
            ]
        case .pull:
            [
                .speed, .engineSpeed, .load, .pedal, .throttle, .airFlow, .manifold, .lambda,
                .commandedLambda, .frontVoltage, .boost, .commandedBoost, .railPressure,
                .commandedRail, .shortTrim1, .absoluteLoad,
            ]
        case .roll: [.speed, .engineSpeed, .load, .fuelStatus, .frontVoltage, .manifold]
        }
    }

    /// In words, for lists.
    package var name: String {
        switch self {
        case .park: "parked"
        case .ignition: "ignition on, engine off"
        case .start: "start"
        case .ready: "ready to drive"
        case .charge: "charging"
        case .loads: "charging with consumers on"
        case .idle: "idle"
        case .raised: "2,500 rpm"
        case .release: "back to idle"
        case .cruise: "steady speed"
        case .pull: "full throttle"
        case .roll: "rolling in gear"
        case .stop: "parked again"
        case .glance: "readings as they are"
        }
    }
}

/// What the coach says; each sentence has at most twelve words, because a driver hears it.
enum CoachWords {
    static func opening(_ step: CoachStep, _ plan: Coach.Plan, engineRuns: Bool) -> [String] {
        let (low, high, from, until) =
            plan.usesMiles ? (25, 70, 25, 50) : (40, 110, 40, 80)
        switch step {
        case .park:
            return [
                "Park outdoors, handbrake on, P or neutral.", "Ctrl-C ends the test at any time.",
            ]
        case .ignition:
            return [engineRuns ? "Switch the engine off. Ignition on." : "Ignition on, engine off."]
        case .start: return ["Start the engine."]
        case .ready: return ["Make it ready to drive. Do not drive off."]
        case .charge: return ["Let it idle, do not touch anything."]
        case .loads:
            return ["Lights, rear window heater and fan on full.", "Hold 1,500 revolutions."]
        case .idle: return ["Let it idle. Switch start-stop off, if it has one."]
        case .raised: return ["Hold 2,500 revolutions."]
        case .release: return ["Let go of the pedal."]
        case .cruise:
            return [
                "Drive off when it is safe. Obey the law.",
                "Listen while you drive, or let a passenger read.",
                "Hold a steady speed between \(low) and \(high).",
            ]
        case .pull:
            return plan.isAutomatic
                ? [
                    "Where it is safe and legal: at \(from), full throttle.",
                    "Lift off at \(until).",
                ]
                : [
                    "Where it is safe and legal: third gear, 2,000 revolutions.",
                    "Then full throttle for four seconds.",
                ]
        case .roll: return ["Where it is safe: roll in gear, foot off."]
        case .stop: return ["Stop where it is safe, and park."]
        case .glance: return ["Leave everything as it is for half a minute."]
        }
    }

    static let cold = "The engine is cold. Idle counts only when it is warm."
    static let coldDrive = "The engine is cold. First drive it warm."
    static let engineOff = "The engine is off. Start it."
    static let idle = "Let it idle."
    static let more = "A little more gas."
    static let less = "A little less gas."
    static let good = "Good. Hold it."
    static let liftOff = "Lift off."
    static let again = "Good. Once more, when it is safe."
    static let noPull = "Lift off. No full throttle any more."
    static let skipped = "Skipped."
    static let done = "The test is done."

    /// What a driver still holds at the end of a step.
    static func closing(_ step: CoachStep) -> String? {
        switch step {
        case .raised: "Let go of the pedal."
        case .loads: "Let go of the pedal. Switch the consumers off."
        case .park, .ignition, .start, .ready, .charge, .idle, .release, .cruise, .pull, .roll,
            .stop, .glance:
            nil
        }
    }

    static func end(_ reason: Coach.Break) -> String {
        switch reason {
        case .heat: "The engine is too hot. Stop where it is safe."
        case .misfire, .misfireRate: "The engine misfires. Lift off. The test ends."
        case .oil: "The oil pressure is too low. Stop safely. Engine off."
        case .overspeed: "Let go of the pedal. The test ends."
        case .moves: "The vehicle moves. The test ends."
        case .voltage: "The voltage is too high. Stop where it is safe."
        case .battery: "The battery is almost empty. Ignition off."
        case .engineOff: "The engine is off. The test ends."
        case .silence: "The vehicle does not answer. The test ends."
        }
    }
}
