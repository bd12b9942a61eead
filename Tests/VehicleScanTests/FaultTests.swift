import Accessory
import Adapters
import Diagnostics
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import Simulator
import SystemIO
import Testing

@testable import VehicleScan

/// Failures between a user and a vehicle, in the tests' own process: each fault has its error.
@Suite struct `A vehicle that does not answer` {
    /// Opens an accessory and asks for the codes of its vehicle.
    private func ask(_ text: String, _ body: (Vehicle) throws -> Void = { _ in }) throws {
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address(text), table: PIDTables.standard(),
            monitors: PIDTables.monitorTables())
        defer { vehicle.close() }
        try body(vehicle)
    }

    private func error(
        of text: String, _ body: (Vehicle) throws -> Void = { _ in }
    ) -> VehicleError? {
        do {
            try ask(text, body)
            return nil
        } catch {
            return error as? VehicleError
        }
    }

    private static let fast = "latency=0ms&wait=1ms&search=0ms"

    @Test(arguments: [
        "/dev/obdscan-is-not-there", "unix:/obdscan-is-not-there", "tcp:127.0.0.1:1",
        "replay:/obdscan-is-not-there",
    ])
    func `the error names the adapter that cannot be opened`(address: String) {
        guard case .session(.accessory) = error(of: address) else {
            Issue.record("\(address): \(String(describing: error(of: address)))")
            return
        }
    }

    @Test(arguments: ["petrol", "diesel", "electric", "hybrid", "motorcycle", "onuds", "truck"])
    func `the error says that no vehicle answers while the ignition is off`(name: String) {
        let found = error(of: "sim:\(name)?ignition=off&\(Self.fast)")
        guard case .session(.initialisation(.noVehicle)) = found else {
            Issue.record("\(name): \(String(describing: found))")
            return
        }
    }

    /// The adapter goes away, and nothing was asked to open it again.
    @Test func `the error says that the link was lost during a question`() {
        // Every third line closes the link, so that the set-up may be hit as well.
        let found = error(of: "sim:petrol?faults=close:0.3&seed=7&\(Self.fast)") { vehicle in
            for _ in 0..<50 { _ = try vehicle.ask([0x01, 0x0C]) }
        }
        switch found {
        case .session(.linkLost), .session(.requestFailed(.linkLost, _)), .session(.accessory):
            break
        default: Issue.record("\(String(describing: found))")
        }
    }

    /// A length is wrong or a number out of order: a list may be missing then, but no code is made up.
    @Test(arguments: [Simulator.LinkFault.double, .drop, .reorder])
    func `only codes that an ECU reported are listed`(fault: Simulator.LinkFault) throws {
        let rate = fault.isForBytes ? 0.002 : 0.05
        for seed in 1...2 {
            let text =
                "sim:petrol?engine=off&frozen=true&faults=\(fault.rawValue):\(rate)&seed=\(seed)"
            do {
                try ask("\(text)&\(Self.fast)") { vehicle in
                    let scan = try CodeScan(vehicle, in: vehicle.services())
                    let codes = scan.codes.compactMap { report -> String? in
                        if case .dtc(let code) = report.code { code.description } else { nil }
                    }
                    #expect(Set(codes).isSubset(of: ["P0301", "P0420", "P0171"]), "seed \(seed)")
                }
            } catch let error as VehicleError {
                guard case .session = error else { throw error }
            }
        }
    }

    @Test func `without headers codes are listed without addresses`() throws {
        try ask("sim:petrol?personality=clone-noheaders&\(Self.fast)") { vehicle in
            let scan = try CodeScan(vehicle, in: vehicle.services())
            // Without headers the ECU of a code is not known; the codes are complete.
            #expect(scan.codes.count >= 5)
            #expect(scan.ecus.allSatisfy { $0 == nil })
        }
    }
}

/// The same vehicle through every adapter of the simulator.
@Suite struct `Every kind of adapter` {
    /// Adapters that lose data have an error for it: ``A vehicle that does not answer``.
    private static let whole = [
        "elm327", "elm327-1.4b", "elm327-1.0", "stn", "clone-1.5", "clone-2.1", "clone-nospaces",
        "clone-nodigit", "clone-twobytes", "clone-glued", "clone-nul",
    ]

    @Test(arguments: whole)
    func `every adapter reads the same codes, VIN and value`(personality: String) throws {
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address(
                "sim:petrol?personality=\(personality)&frozen=true&engine=off"
                    + "&latency=0ms&wait=1ms&search=0ms"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables())
        defer { vehicle.close() }
        let services = try vehicle.services()
        #expect(services.profiles == [.classicCAN])
        let stored = try CodeScan(vehicle, in: services).codes.compactMap { report -> String? in
            guard report.kind == .stored, case .dtc(let code) = report.code else { return nil }
            return code.description
        }
        #expect(stored == ["P0301", "P0420"])
        #expect(try vehicle.vin(by: services.profiles)?.text == "5XXBD1GA8LX000042")
        // The vehicle file has 48213.4 km, and PID A6 counts tenths of a kilometre.
        #expect(try vehicle.odometer(in: services)?.kilometres == 48213.4)
    }

    /// Test 01:05 of the vehicle file: value 118 of 0 to 400.
    @Test(arguments: ["elm327", "stn", "clone-1.5"])
    func `every adapter reads the results of monitor tests`(personality: String) throws {
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address(
                "sim:petrol?personality=\(personality)&latency=0ms&wait=1ms&search=0ms"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables())
        defer { vehicle.close() }
        let services = try vehicle.services()
        let results = try vehicle.monitorTests(in: services).flatMap(\.answer.items)
            .compactMap { item -> MonitorTestResult? in
                if case .monitorTest(let result) = item { result } else { nil }
            }
        let first = try #require(results.first { $0.mid == 0x01 && $0.tid == 0x05 })
        #expect(first.passed == true)
        // 211 of 0 to 180: the catalyst that P0420 is about.
        #expect(results.filter { $0.passed == false }.map(\.mid) == [0x21])
    }
}

/// The questions to each vehicle that comes with the program.
@Suite struct `Every simulated vehicle` {
    @Test(arguments: ["petrol", "diesel", "electric", "hybrid", "motorcycle", "onuds", "truck"])
    func `every vehicle is polled for its own signals, and no value is invented`(name: String)
        throws
    {
        let queue = try BatchQueue(full: .refuse)
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:\(name)?latency=0ms&wait=1ms&search=0ms"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables(), sinks: [queue])
        defer { vehicle.close() }
        let setup = try PollSetup.make([], [], vehicle, every: nil)
        vehicle.scan.poll(setup.plan)
        var batches: [ReadingBatch] = []
        let deadline = SystemClock.now() + .seconds(20)
        var readings: [Reading] = []
        while readings.count < 20, SystemClock.now() < deadline {
            var waiting = WaitList()
            _ = waiting.add(queue.descriptor)
            waiting.add(deadline: deadline)
            waiting.wait()
            batches.removeAll()
            _ = queue.take(&batches)
            for batch in batches {
                #expect(batch.linkErrors.isEmpty && batch.strayTexts.isEmpty)
                for case .reading(let reading) in batch.items where setup.wants(reading) {
                    readings.append(reading)
                }
            }
        }
        queue.openWide()
        #expect(readings.count >= 20)
        for reading in readings {
            guard case .number(let value) = reading.value,
                let range = vehicle.table[reading.signal].valueRange
            else { continue }
            #expect(range.contains(value), "\(vehicle.table[reading.signal].id) = \(value)")
        }
    }

    /// A name is asked once for whoever asks while it is awaited.
    @Test(arguments: [
        ("petrol", "5XXBD1GA8LX000042"), ("onuds", "5XXBD1GA9RX000043"),
        ("truck", "4XXBD5TA1NX000311"),
    ])
    func `every vehicle reports its VIN beside a poll`(name: String, vin: String) throws {
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:\(name)?latency=0ms&wait=1ms&search=0ms"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables())
        defer { vehicle.close() }
        let setup = try PollSetup.make([], [], vehicle, every: .milliseconds(200))
        vehicle.scan.poll(setup.plan)
        var query = VINQuery(vehicle, by: setup.profiles)
        let deadline = SystemClock.now() + .seconds(20)
        var found: VIN?
        while found == nil, SystemClock.now() < deadline, let descriptor = query.descriptor {
            var waiting = WaitList()
            _ = waiting.add(descriptor)
            waiting.add(deadline: deadline)
            waiting.wait()
            if case .vehicle(let vin) = query.take() { found = vin }
        }
        #expect(found?.text == vin)
    }
}
