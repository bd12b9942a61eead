import Accessory
import Diagnostics
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import Testing

@testable import VehicleScan

/// Sends every request to every simulated vehicle, in the tests' own process.
///
/// The expected values are those of the files in `Sources/Simulator/vehicles`.
@Suite struct `A simulated vehicle` {
    /// Runs `body` with a vehicle such as `petrol`.
    ///
    /// The simulation takes no time.
    private func ask(
        _ text: String, ecu: ECUAddress? = nil, _ body: (Vehicle) throws -> Void
    ) throws {
        let separator = text.contains("?") ? "&" : "?"
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:\(text)\(separator)latency=0ms&wait=1ms&search=0ms"),
            table: PIDTables.standard(), monitors: PIDTables.monitorTables(), ecu: ecu)
        defer { vehicle.close() }
        try body(vehicle)
    }

    @Test(arguments: [
        ("petrol", "5XXBD1GA8LX000042", [DiagnosticProfile.classicCAN]),
        ("diesel", "WXXBD2DA8MX000077", [.classicCAN]),
        ("electric", "7XXBD4EA7PX000256", [.classicCAN]),
        ("hybrid", "JXXBD3HA2NX000123", [.classicCAN]),
        ("onuds", "5XXBD1GA9RX000043", [.onUDS]),
        ("truck", "4XXBD5TA1NX000311", [.j1939]),
        ("motorcycle", "JXXBD6MA0PX000650", [.classicLegacy]),
    ])
    func `services and VIN are read`(
        name: String, vin: String, profiles: [DiagnosticProfile]
    ) throws {
        try ask(name) { vehicle in
            let services = try vehicle.services()
            #expect(services.isAnswered)
            #expect(services.profiles == profiles)
            #expect(try vehicle.vin(by: services.profiles)?.text == vin)
        }
    }

    @Test(arguments: [
        ("petrol", ["P0301", "P0420"], ["P0171"], ["P0301", "P0420"]),
        ("diesel", ["P2002"], ["P2002", "P0299"], ["P2002"]), ("electric", [], [], []),
        ("hybrid", [], [], []), ("motorcycle", ["P0031"], [], []),
        ("onuds", ["P0301-00", "P0420-00"], ["P0171-00"], ["P0301-00", "P0420-00"]),
    ])
    func `the codes of every ECU are read`(
        name: String, stored: [String], pending: [String], permanent: [String]
    ) throws {
        try ask(name) { vehicle in
            let scan = try CodeScan(vehicle, in: vehicle.services())
            func texts(_ kind: CodeReport.Kind) -> [String] {
                scan.codes.filter { $0.kind == kind }.compactMap { report in
                    if case .dtc(let code) = report.code { code.description } else { nil }
                }
            }
            #expect(texts(.stored) == stored)
            #expect(texts(.pending) == pending)
            #expect(texts(.permanent) == permanent)
            #expect(scan.problem(vehicle) == nil)
            #expect(scan.hasCodes(vehicle.table) == !stored.isEmpty)
        }
    }

    /// SAE J1939: DM1 has the active codes, DM2 the earlier ones.
    @Test func `the codes of a lorry's ECUs are read`() throws {
        try ask("truck") { vehicle in
            let scan = try CodeScan(vehicle, in: vehicle.services())
            let engine = scan.codes.filter { $0.ecu?.value == 0 && $0.kind == .stored }
            #expect(engine.map { "\($0.code)" }.count == 5)
            #expect(Set(scan.codes.compactMap { $0.ecu?.value }) == [0x00, 0x03, 0x0B, 0x3D])
        }
    }

    /// Seven of the eight modules answer.
    ///
    /// The radio is silent.
    @Test func `the codes of modules at other addresses are read`() throws {
        try ask("petrol") { vehicle in
            var steps: [ModuleScanProgress] = []
            let modules = try #require(
                try ModuleScan(vehicle, on: .can11At500) { steps.append($0) })
            let addresses = modules.modules.map(\.module.responder)
            #expect(addresses.contains(ECUAddress(0x7E8, .can11)))
            #expect(modules.modules.count == 7 && modules.unasked == 0)
            #expect(steps.last == .reading(7, of: 7))
        }
    }

    /// The brakes' serial number and the names are those of the vehicle file; the rest is refused.
    @Test func `the identification of modules is read`() throws {
        try ask("petrol") { vehicle in
            let found = try #require(try ModuleIdentities(vehicle, on: .can11At500))
            #expect(found.modules.count == 7 && found.unasked == 0)
            let brakes = try #require(
                found.modules.first {
                    vehicle.ecuNames.name(of: $0.module.responder) == "Brakes"
                })
            let texts = brakes.answers.flatMap(\.answer.items).compactMap { item in
                if case .reading(let reading) = item, case .text(let text) = reading.value {
                    text
                } else {
                    nil
                }
            }
            #expect(texts == ["OBDSIM-ABS-000042", "ABS-Brake Control"])
            #expect(brakes.refused == 14 && brakes.unanswered == 0)
            // The settings for single ECUs are gone: everybody is asked again.
            let vin = try vehicle.vin(by: [.classicCAN])
            #expect(vin?.text == "5XXBD1GA8LX000042")
        }
        try ask("truck") { vehicle in
            let modules = try ModuleIdentities(vehicle, on: .j1939)
            #expect(modules == nil)
        }
    }

    /// SAE J1979 service 02: the frame of P0301 has the values of the vehicle file.
    @Test func `a freeze frame is read`() throws {
        try ask("petrol") { vehicle in
            let frame = try FrameScan(0, vehicle, in: vehicle.services())
            #expect(frame.codes.map(\.code.description) == ["P0301"])
            #expect(frame.values.flatMap(\.answer.items).count >= 19)
        }
        try ask("onuds") { vehicle in
            let codes = try CodeScan(vehicle, in: vehicle.services()).codes
            #expect(try SnapshotScan(codes, vehicle, record: nil).hasFrames)
        }
    }

    @Test(arguments: ["petrol", "diesel", "hybrid", "onuds"])
    func `the monitors that ran since clearing are read`(name: String) throws {
        try ask(name) { vehicle in
            let services = try vehicle.services()
            let asked = try vehicle.readiness(in: services)
            let monitors = asked.flatMap(\.answer.items).filter { item in
                if case .monitor = item { true } else { false }
            }
            #expect(!monitors.isEmpty)
            #expect(!(try vehicle.readinessThisCycle(in: services, known: asked)).isEmpty)
        }
    }

    // MARK: Polling

    @Test func `the signals that the vehicle announces are polled`() throws {
        try ask("petrol") { vehicle in
            let setup = try PollSetup.make([], [], vehicle, every: nil)
            let asked = Set(setup.wants.map(\.dataID.id))
            #expect(asked.isSuperset(of: [0x04, 0x05, 0x0C, 0x0D, 0x11]))
            #expect(setup.readsVoltage)
        }
    }

    @Test func `the error names the signal that the vehicle lacks`() throws {
        try ask("truck") { vehicle in
            // Only SAE J1979 has the fuel trim.
            let trim = try SignalNames(vehicle.table).find("SHRTFT1")
            let error = #expect(throws: VehicleError.self) {
                try PollSetup.make([trim], [], vehicle, every: nil)
            }
            guard case .unknownSignal(let unknown) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(unknown.name == "SHRTFT1" && unknown.profiles == [.j1939])
        }
    }

    // MARK: Safety

    @Test
    func `codes are cleared while the vehicle stands, but not while its engine runs`() throws {
        try ask("petrol?engine=off") { vehicle in
            try StandstillCheck(vehicle).run()
            let services = try vehicle.services()
            let before = try CodeScan(vehicle, in: services)
            let clearing = try CodeClearing(before, vehicle, in: services, Consent())
            #expect(clearing.isConfirmed && clearing.change(since: before) == .gone)
            #expect(clearing.after.clearable.isEmpty)
        }
        try ask("petrol") { vehicle in
            #expect(throws: VehicleError.inMotion(.engineSpeed)) {
                try StandstillCheck(vehicle).run()
            }
        }
    }

    @Test func `no request that may write is sent without consent`() throws {
        try ask("petrol?engine=off") { vehicle in
            #expect {
                try vehicle.ask([0x04])
            } throws: { error in
                guard case .session(.refused(.needsConsent)) = error as? VehicleError else {
                    return false
                }
                return true
            }
        }
    }

    /// SPN 245 counts eighths of a kilometre.
    @Test func `the odometer is read from a group of SAE J1939, too`() throws {
        try ask("truck") { vehicle in
            let services = try vehicle.services()
            #expect(try vehicle.odometer(in: services)?.kilometres == 412_806.375)
        }
    }

    // MARK: Faults

    @Test func `with the ignition off the vehicle is missing`() throws {
        #expect {
            try ask("petrol?ignition=off") { _ in }
        } throws: { error in
            guard case .session(.initialisation(.noVehicle)) = error as? VehicleError else {
                return false
            }
            return true
        }
    }

    @Test func `with one chosen ECU the answers of others do not count`() throws {
        try ask("petrol", ecu: ECUAddress(0x7E9, .can11)) { vehicle in
            let asked = try vehicle.ask([0x01, 0x00])
            #expect(asked.answers.map(\.ecu) == [ECUAddress(0x7E9, .can11)])
        }
    }

    @Test func `the adapter is graded`() throws {
        try ask("petrol") { vehicle in
            let grade = try AdapterGrade.measure(
                vehicle, map: [0x01, 0x00], polling: .milliseconds(100))
            #expect(grade.answered > 0 && grade.plainTrips != nil)
            #expect(grade.abilities.headers == true && grade.longestAnswer ?? 0 >= 20)
            #expect(grade.recordsPerRequest == 6 && grade.readingsPerSecond ?? 0 > 0)
        }
    }
}
