import OBDCore
import PIDTables
import Testing

@testable import Reports
@testable import Simulator

/// The coach beside the engine model of the simulator, which knows nothing of it, on one manual clock.
@Suite struct `The coach and the engine model` {
    private struct Outcome {
        var coach: Coach
        var battery: [BatteryFinding]
        var verdict: DriveVerdict
        /// The readings of the adapter in the second of the start.
        var atStart: Int
    }

    /// A warm petrol car: key, start, idle, 2,500 rpm and idle again, read four times a second.
    private func run(
        _ course: Coach.Course, _ faults: [String] = [], physics: String = "physics learnt",
        drive: String = "key 15s crank 177s 0 rev 45s 2500 60s 0"
    ) throws -> Outcome {
        let petrol = try #require(Scenario.text(of: "petrol"))
        let lines = [physics, "soak 20min", "drive \(drive)"] + faults
        let text = String(decoding: petrol, as: UTF8.self) + lines.joined(separator: "\n") + "\n"
        var options = SimulatorOptions()
        options.vehicle = try Scenario(contents: Array(text.utf8), file: "test.vehicle")
        var vehicle = try SimulatedVehicle(options)
        let knowledge = try DriveKnowledge(causes: Causes.table)
        var outcome = Outcome(
            coach: Coach(.init(course, .petrol)), battery: [],
            verdict: DriveVerdict(DriveWatch(), Causes.table), atStart: 0)
        var battery = BatteryWatch()
        var drive = DriveWatch()
        var tick = 0
        while !outcome.coach.isOver, tick < 20 * 600 {
            // 20 readings of the voltage a second while nothing else is asked, one otherwise.
            let t = Int64(tick) * 50_000
            let time = Duration.milliseconds(50 * tick)
            vehicle.advance(to: time)
            let isAlone = outcome.coach.wantsVoltageOnly
            if isAlone || tick % 20 == 0 {
                let volts = (vehicle.voltage(after: time) * 10).rounded() / 10
                outcome.coach.take(adapterVoltage: volts, t: t)
                battery.take(adapterVoltage: volts, t: t)
                if isAlone { outcome.atStart += 1 }
            }
            if !isAlone, tick % 5 == 0 {
                let values = vehicle.values(after: time)
                let ecu = values.first { $0.signal == "RPM" }?.ecu
                for value in values where value.ecu == ecu {
                    guard let (quantity, _) = knowledge.quantity(of: value.signal, in: value.id)
                    else { continue }
                    let raw = (value.value / value.step).rounded() * value.step
                    outcome.coach.take(raw, quantity, t: t)
                    battery.take(raw, quantity, t: t)
                    drive.take(raw, quantity, t: t)
                }
            }
            outcome.coach.advance(to: t)
            tick += 1
        }
        outcome.battery = battery.findings
        outcome.verdict = DriveVerdict(drive, Causes.table)
        return outcome
    }

    private func done(_ outcome: Outcome) -> [CoachStep] {
        outcome.coach.results.filter { $0.skip == nil }.map(\.step)
    }

    @Test func `a healthy engine passes the parked test, and is not accused`() throws {
        let outcome = try run(.parked)
        #expect(
            done(outcome) == [.park, .ignition, .start, .charge, .idle, .raised, .release],
            "\(outcome.coach.results)")
        #expect(outcome.coach.broken == nil && outcome.atStart >= 20)
        #expect(outcome.verdict.kind == .nothing, "\(outcome.verdict.text)")
        // What the coach had shown is enough for the judge.
        let judged = Set(outcome.verdict.features.map(\.id))
        #expect(judged.isSuperset(of: ["trim.idle", "trim.raised"]), "\(judged)")
        #expect(outcome.battery.map(\.part) == [.rest, .crank, .charge])
        #expect(!outcome.battery.contains { $0.grade == .low || $0.grade == .high })
        #expect(outcome.battery.last?.grade == .good, "\(outcome.battery)")
        // This engine starts within a twentieth of a second, which is no start to judge.
        #expect(outcome.battery.first { $0.part == .crank }?.grade == .unknown)
    }

    @Test func `an alternator that gives nothing is noticed with consumers on`() throws {
        let outcome = try run(
            .battery, ["fault alternator 1A", "load lights 40A at 70s"], physics: "physics",
            drive: "key 15s crank 57s 0 rev 60s 1500 60s 0")
        #expect(done(outcome) == [.park, .ignition, .start, .loads], "\(outcome.coach.results)")
        #expect(outcome.battery.last?.grade != .good, "\(outcome.battery)")
    }
}
