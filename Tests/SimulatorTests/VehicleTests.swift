import OBDCore
import Testing

@testable import Simulator

@Suite struct `The drive` {
    @Test(arguments: Scenario.names)
    func `the same seed gives the same drive, another seed another drive`(scenario: String) throws {
        func states(seed: Int) throws -> [VehicleState] {
            let vehicle = try SimulatedVehicle(SimulatorOptions("\(scenario)?seed=\(seed)"))
            return (0..<300).map { vehicle.state(after: .milliseconds($0 * 700)) }
        }
        #expect(try states(seed: 5) == states(seed: 5))
        if scenario != "electric" { #expect(try states(seed: 5) != states(seed: 6)) }
    }

    @Test func `a frozen drive keeps its values, a moving drive changes its values`() throws {
        let frozen = try SimulatedVehicle(SimulatorOptions("?frozen=true"))
        #expect(frozen.values(after: .zero) == frozen.values(after: .seconds(1000)))
        let moving = try SimulatedVehicle(SimulatorOptions("?start=70s"))
        #expect(moving.state(after: .seconds(5)) == frozen.state(after: .zero))
        let speeds = (0..<120).map { moving.state(after: .seconds($0)).speed }
        #expect(speeds.min() == 0)
        #expect((speeds.max() ?? 0) > 90)
    }

    /// The distance must equal the sum of the speed in small steps.
    @Test func `distance is the integral of speed`() {
        let cycle = DriveCycle.everyday
        var sum = 0.0
        let step = 0.01
        for index in 0..<50_000 {
            sum += cycle.motion(at: (Double(index) + 0.5) * step).speed * step / 3600
        }
        #expect(abs(cycle.motion(at: 500).distance - sum) < 0.001)
    }

    /// Each scenario stays within physical bounds, once per second for an hour.
    @Test(arguments: Scenario.names)
    func `simulated values stay plausible`(scenario: String) throws {
        let vehicle = try SimulatedVehicle(SimulatorOptions(scenario))
        var last = 0.0
        for second in 0..<3600 {
            let state = vehicle.state(after: .seconds(second))
            #expect(0...110 ~= state.speed)
            #expect(0...6500 ~= state.rpm)
            #expect(0...100 ~= state.load)
            #expect(0...100 ~= state.throttle)
            #expect(0...100 ~= state.fuelLevel)
            #expect(5...110 ~= state.coolant)
            #expect(12...15 ~= state.voltage)
            #expect(0...300 ~= state.airFlow)
            #expect(0...40 ~= state.fuelRate)
            #expect(state.odometer >= last)
            last = state.odometer
        }
    }

    @Test func `a hybrid's engine stops and starts`() throws {
        let vehicle = try SimulatedVehicle(SimulatorOptions("hybrid"))
        let running = (0..<120).map { vehicle.state(after: .seconds($0)).engineRuns }
        #expect(running.contains(true))
        #expect(running.contains(false))
    }

    @Test func `without the engine the vehicle stands still`() throws {
        let vehicle = try SimulatedVehicle(SimulatorOptions("?engine=off"))
        for second in [0, 30, 75, 1000] {
            let state = vehicle.state(after: .seconds(second))
            #expect(state.rpm == 0 && state.speed == 0 && state.distance == 0 && !state.engineRuns)
            // No air flows, and the intake has the pressure outside.
            #expect(state.airFlow == 0 && state.manifoldPressure == state.barometric)
        }
    }

    /// The scenarios' VINs have the alphabet of ISO 3779 and the check digit of 49 CFR 565.
    @Test(arguments: Scenario.names)
    func `VINs are well formed`(scenario: String) throws {
        let models = try Scenario.embedded(scenario).ecus
        let vins = models.compactMap(\.vin)
        #expect(vins.count == 1)
        #expect(try #require(VIN(vins[0])).hasValidCheckDigit)
        #expect(models.allSatisfy { $0.calibrations.count == $0.verification.count })
    }
}
