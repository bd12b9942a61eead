/// The temperatures of coolant and intake air, against each other, the air outside and themselves.
struct TemperatureWatch: Sendable {
    private var intakeRoad = DriveSum()
    /// The greatest steps between readings of the same few seconds.
    private var coolantStep = Measured(value: 0)
    private var intakeStep = Measured(value: 0)

    mutating func takeCoolant(_ now: DriveMoment) { Self.step(now, &coolantStep) }

    mutating func takeIntake(_ celsius: Double, _ now: DriveMoment) {
        Self.step(now, &intakeStep)
        guard now.ran >= 180, now.fresh(.speed) ?? 0 > 60,
            let air = now.fresh(.ambient, within: 120)
        else { return }
        intakeRoad.add(celsius - air, at: now.t)
    }

    private static func step(_ now: DriveMoment, _ greatest: inout Measured) {
        guard now.turns, now.gap <= 3_000_000, now.change > greatest.value else { return }
        greatest = Measured(value: now.change, from: now.t, to: now.t)
    }

    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        guard now.hasMoved(.coolant), !now.isHybrid else { return }
        found["iat.road"] = intakeRoad.measured(tau: 30)
        for (id, step) in [("ect", coolantStep), ("iat", intakeStep)] where now.ran >= 60 {
            var step = step
            step.seconds = now.ran
            found["\(id).step"] = step
            if step.value > 15 { found["\(id).jump"] = step }
        }
        // Two temperatures that agree at the start judge a third one, which nothing can have made colder.
        guard now.startsOff, let coolant = now.first(.coolant),
            let intake = now.first(.intakeAir), let air = now.first(.ambient)
        else { return }
        // A sensor that jumps later was right or wrong by chance.
        if abs(intake - air) <= 6, coolant - (intake + air) / 2 <= 6, found["ect.jump"] == nil {
            found["soak.ect"] = Measured(value: coolant - (intake + air) / 2, seconds: 1)
        }
        if abs(coolant - air) <= 6, found["iat.jump"] == nil {
            found["soak.iat"] = Measured(value: intake - (coolant + air) / 2, seconds: 1)
        }
    }
}
