import Accessory
import Diagnostics
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import Testing

@testable import VehicleScan

/// Uses a vehicle from tasks; the expected values are those of `Sources/Simulator/vehicles/petrol`.
@Suite(.timeLimit(.minutes(5))) struct `A task` {
    private func connect(_ options: String = "latency=0ms&wait=1ms&search=0ms") async throws
        -> Vehicle
    {
        try await Vehicle.connect(
            to: TransportRegistry.all.address("sim:petrol?\(options)"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables())
    }

    @Test func `a task reads the codes and signals of a vehicle by name`() async throws {
        let vehicle = try await connect()
        let codes = try await vehicle.codes().map(\.description)
        #expect(codes.contains("7E8 stored P0301") && codes.contains("7E8 pending P0171"))
        let read = try await vehicle.read("rpm", "ADAPTER_VOLTAGE")
        // Two ECUs have an engine speed.
        #expect(read.map(\.signal.id) == ["RPM", "RPM", "ADAPTER_VOLTAGE"])
        #expect(Set(read.map(\.ecu)).count == 3)
        #expect(read.first?.number.map { (500...7_000).contains($0) } == true)
        #expect(read.first?.description.hasSuffix(" rpm") == true)
        await #expect(throws: SignalError.self) { try await vehicle.read("no-such-signal") }
        await vehicle.disconnect()
    }

    @Test func `a task follows signals until it leaves the loop, and can begin again`() async throws
    {
        let vehicle = try await connect()
        for _ in 1...2 {
            var names: Set<String> = []
            for try await reading in vehicle.readings("rpm", "speed", "ADAPTER_VOLTAGE@50ms") {
                names.insert(reading.signal.id)
                if names.count == 3 { break }
            }
            #expect(names == ["RPM", "VSS", "ADAPTER_VOLTAGE"])
        }
        await vehicle.disconnect()
    }

    @Test func `a task ends when its stream is cancelled, replaced or closed`() async throws {
        let vehicle = try await connect()
        let endless = { @Sendable in
            var count = 0
            for try await _ in vehicle.readings("rpm") { count += 1 }
            return count
        }
        let cancelled = Task { try await endless() }
        cancelled.cancel()
        _ = try? await cancelled.value

        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let replaced = Task {
            for try await _ in vehicle.readings("rpm") { hasBegun.yield() }
        }
        for await _ in begun { break }
        for try await _ in vehicle.readings("speed") { break }
        try await replaced.value

        let (again, isAgain) = AsyncStream.makeStream(of: Void.self)
        let closed = Task {
            for try await _ in vehicle.readings("rpm") { isAgain.yield() }
        }
        for await _ in again { break }
        await vehicle.disconnect()
        try? await closed.value
        await #expect(throws: (any Error).self) { try await endless() }
    }

    /// The first poll ends while the second one begins.
    @Test func `a task gets every batch of a poll that begins while another poll ends`()
        async throws
    {
        let vehicle = try await connect()
        let rpm = PollPlan.Want(DataID(.currentData, 0x0C), length: 2)
        for _ in 1...200 {
            for try await _ in vehicle.scan.batches(of: PollPlan(wants: [rpm], rounds: 1)) { break }
            var count = 0
            for try await _ in vehicle.scan.batches(of: PollPlan(wants: [rpm], rounds: 3)) {
                count += 1
            }
            #expect(count >= 3)
        }
        await vehicle.disconnect()
    }

    @Test func `a cancelled task ends the work for which it waits`() async throws {
        let vehicle = try await connect()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await vehicle.blocking { vehicle in
                hasBegun.yield()
                var set = PollSet()
                set.add(vehicle.interrupt)
                try set.wait(until: nil)
                throw VehicleError.session(.interrupted)
            }
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await vehicle.disconnect()
    }

    /// Swift's pool has a thread per processor: tasks that occupied them would wait for the last one forever.
    @Test func `a task uses no thread of the pool while it waits`() async throws {
        let vehicle = try await connect()
        let gate = try EventDescriptor()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...64 {
                group.addTask {
                    try await vehicle.blocking { _ in
                        var set = PollSet()
                        set.add(gate.descriptor)
                        try set.wait(until: nil)
                    }
                }
            }
            group.addTask { gate.signal() }
            try await group.waitForAll()
        }
        await vehicle.disconnect()
    }
}
