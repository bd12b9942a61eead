import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO
import VehicleScan

/// The condition of a vehicle: codes, readiness, counters since codes were cleared, and tests.
package struct ConditionScan {
    /// The part of the condition to read.
    package enum Depth {
        /// The codes, and the tests that belong to them.
        case codes
        case tests
        /// All tests, freeze frames and the odometer.
        case report
    }

    package let codes: CodeScan
    package let vin: VIN?
    package let time: UTC
    package let odometer: Odometer?
    /// Requests about the vehicle as a whole.
    private let counters: [QueryResult]
    private let tests: [QueryResult]
    private let frames: [QueryResult]
    private let isComplete: Bool
    private let voltage: Double?
    private let lights: [(ecu: ECUAddress?, isOn: Bool)]
    private let table: PIDTable
    private let words: CodeWords
    /// The codes that obdscan cleared before.
    private let past: ClearedCodes

    /// Requests everything that `codes` does not contain yet.
    package init(
        _ codes: CodeScan, _ connection: Vehicle, _ services: VehicleServices, _ depth: Depth,
        _ words: CodeWords
    ) throws {
        self.codes = codes
        table = connection.table
        counters = try Self.counters(connection, services)
        voltage =
            codes.codes.isEmpty ? nil : try connection.ask(.readVoltage).answer.reply.voltage
        vin = try connection.vin(by: services.profiles)
        let table = table
        lights = codes.ecus.compactMap { ecu in codes.lampIsOn(ecu, table).map { (ecu, $0) } }
        isComplete =
            codes.problem(connection) == nil
            && codes.ecus.allSatisfy { ecu in
                codes.codes.contains { $0.ecu == ecu } || codes.absence(of: ecu, table) == .noCodes
                    || codes.modules.contains { $0.module.responder == ecu }
            }
        var frames: [QueryResult] = []
        if depth == .report {
            if services.profiles != [.onUDS] {
                frames = try FrameScan(0, connection, in: services).asked
            }
            if services.profiles.contains(.onUDS) {
                frames += try SnapshotScan(codes.codes, connection, record: nil).asked
            }
        }
        self.frames = frames
        odometer = depth == .report ? try connection.odometer(in: services) : nil
        self.words = words
        time = connection.utc(codes.time)
        past = words.cleared(vin, time)
        tests =
            depth == .codes
            ? try Self.tests(
                of: codes.codes.map(\.code) + past.codes.map(\.code), connection, services, words)
            : try connection.monitorTests(in: services)
    }

    /// The counters since codes were cleared, the requirements and the fuel, as far as the vehicle announces
    /// them.
    private static func counters(
        _ connection: Vehicle, _ services: VehicleServices
    ) throws -> [QueryResult] {
        var supported = SupportedIDs()
        for map: UInt8 in [0x00, 0x20, 0x40] {
            var hasMore = false
            for asked in try connection.ask(.supportedPIDs(map), in: services) {
                if supported.take(asked) { hasMore = true }
            }
            if !hasMore { break }
        }
        var asked: [QueryResult] = []
        for pid in SinceClear.pids + [0x1C, 0x51] where supported.all.contains(pid) {
            asked += try connection.ask(.currentData([pid]), in: services)
        }
        return asked
    }

    /// The tests of service 06 that belong to the codes.
    private static func tests(
        of codes: [CodeReport.Code], _ connection: Vehicle, _ services: VehicleServices,
        _ words: CodeWords
    ) throws -> [QueryResult] {
        // Before CAN, tests have no monitor ids.
        let profiles = services.profiles.filter { $0 == .classicCAN || $0 == .onUDS }
        var wanted: Set<UInt8> = []
        for case .dtc(let code) in codes {
            let said = words.explanations.explanation(of: code, text: words.texts.text(of: code))
            for range in said?.tests ?? [] { wanted.formUnion(range) }
        }
        var supported = SupportedIDs()
        for map in Set(wanted.map { ($0 &- 1) & 0xE0 }).sorted() {
            for asked in try connection.ask(.supportedMonitors(map), by: profiles) {
                _ = supported.take(asked)
            }
        }
        var asked: [QueryResult] = []
        for id in supported.all where wanted.contains(id) {
            asked += try connection.ask(.monitorTests(id), by: profiles)
        }
        return asked
    }

    /// All requests and their answers.
    package var asked: [QueryResult] {
        codes.asked + counters + tests + frames + [odometer?.asked].compactMap(\.self)
    }

    package var askedTests: [QueryResult] { tests }

    private var condition: VehicleCondition {
        var condition = VehicleCondition(
            time: time, codes: codes.codes,
            items: (codes.status + counters + tests).flatMap(\.answer.items), vin: vin,
            onJ1939: codes.isOnJ1939, table: table)
        condition.names = codes.names
        condition.lights = lights
        condition.clearings = past.clearings
        return condition
    }

    package func findings(_ units: UnitSystem) -> VehicleFindings {
        VehicleFindings(
            condition, gone: past.gone(from: condition), isComplete: isComplete,
            texts: words.texts, explanations: words.explanations, voltage: voltage, units: units,
            clock: localTime)
    }

    /// The report, compared with `before` if that is not nil.
    package func report(
        of connection: Vehicle, before: VehicleCondition? = nil, head: ReportHead,
        _ output: OutputForm
    ) -> ConditionReport {
        let now = condition
        var report = ConditionReport(
            vehicle: vin?.text, accessory: connection.accessory,
            vehicleProtocol: connection.scan.link?.capabilities.vehicleProtocol?.title,
            time: time, since: before?.time, lamps: lights,
            change: ConditionChange(before: before, now: now),
            frames: frames.flatMap(\.answer.items), table: table, texts: words.texts,
            explanations: words.explanations, head: head, output: output)
        report.names = codes.names
        report.lampsBefore = before?.lights ?? []
        report.allLamps = codes.ecus.compactMap { ecu in codes.lamps(of: ecu).map { (ecu, $0) } }
        report.isComplete = isComplete
        report.voltage = voltage
        report.cleared = past.gone(from: now)
        return report
    }
}
