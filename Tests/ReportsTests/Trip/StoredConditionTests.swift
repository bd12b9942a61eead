import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Testing
import TripStore

@testable import Reports

/// What the database knows of a vehicle that a workshop read several times.
@Suite final class `A stored condition` {
    private static let engine = ECUAddress(0x7E8, .can11)
    /// Its tenth character, L, is the model year 2020 (SAE J853).
    private static let vin = "5XXBD1GA8LX000042"
    private static let start = UTC(microseconds: 1_795_248_902_000_000)

    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore

    init() throws {
        store = try TripStore(path: folder.appending(path: "a.db").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A moment so many seconds after the start.
    private func moment(_ seconds: Int64) -> UTC {
        UTC(microseconds: Self.start.microseconds + seconds * 1_000_000)
    }

    /// Stores a reading of a second, with codes and the kilometres since codes were cleared (PID 31).
    private func scan(_ seconds: Int64, _ codes: [String] = [], sinceClear: Double? = nil) throws {
        let table = try PIDTables.standard()
        let writer = try store.startTrip(
            TripStart(
                purpose: .scan, anchor: TimeAnchor(monotonic: .zero, utc: moment(seconds)),
                vin: VIN(Self.vin)), table: table)
        for text in codes {
            let code = CodeReport(
                ecu: Self.engine, kind: .stored, code: .dtc(try #require(DTC(text))), line: 0)
            #expect(writer.offer([.code(code)], at: .zero))
        }
        let list = writer.offer(.codeList(Self.engine, .stored, codes: codes.count), at: .zero)
        #expect(list)
        if let sinceClear {
            let id = DataID(.currentData, 0x31)
            let signal = try #require(table.record(id)?.signals.first)
            let reading = Reading(
                ecu: Self.engine, dataID: id, signal: SignalIndex(rawValue: signal),
                value: .number(sinceClear), raw: [0, 0], line: 0)
            #expect(writer.offer([.reading(reading)], at: .zero))
        }
        try writer.end(.stopped, at: .zero + .seconds(1))
    }

    private func condition(of vehicle: String, _ seconds: Int64) throws -> VehicleCondition {
        try VehicleCondition(of: vehicle, at: moment(seconds), in: store)
    }

    private func findings(_ condition: VehicleCondition) throws -> VehicleFindings {
        VehicleFindings(
            condition, texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(), units: .metric,
            clock: { _ in "" })
    }

    @Test func `a vehicle with a name keeps its VIN and its model year`() throws {
        try scan(0)
        #expect(try store.setName("bay 2", ofVehicle: Self.vin) == .named)
        #expect(try store.vehicle("bay 2")?.vin?.text == Self.vin)
        #expect(try store.vehicle(Self.vin)?.name == "bay 2")
        #expect(try store.vehicle("bay 3") == nil)
        for vehicle in ["bay 2", Self.vin] {
            #expect(try condition(of: vehicle, 2).modelYear == 2020)
        }
    }

    @Test func `the report says how long ago codes were cleared, or that it is not known`() throws {
        let unknown =
            "How long ago codes were cleared is not known: the stored reading does not have it."
        try scan(0, sinceClear: 0)
        let first = try findings(condition(of: Self.vin, 2))
        #expect(
            first.cleared
                == "Codes were cleared 0 km ago: the absence of codes means little yet. "
                + "Monitors count from then on.")
        #expect(first.verdict.grade == .warn)
        // A counter of an earlier visit says nothing about this one.
        try scan(86_400)
        #expect(try findings(condition(of: Self.vin, 86_402)).cleared == unknown)
        // The database knows of a clear by obdscan itself.
        var cleared = try condition(of: Self.vin, 86_402)
        cleared.clearings = [(Self.engine, moment(86_000))]
        #expect(try findings(cleared).cleared?.hasPrefix("obdscan cleared codes on ") == true)
        let live = VehicleCondition(time: Self.start, codes: [], items: [])
        #expect(try findings(live).cleared == nil)
    }

    @Test func `the visit before is not an earlier command of the same visit`() throws {
        func before(_ seconds: Int64) throws -> UTC? {
            try store.scanOfVisit(before: moment(seconds), ofVehicle: Self.vin)
        }
        try scan(0, ["P0301"])
        #expect(try before(1) == nil)
        try scan(2)
        // Without an earlier visit, the first reading of this one is the best there is.
        #expect(try before(3) == moment(1))
        // A day later two commands read the vehicle one after the other.
        try scan(86_400)
        try scan(86_402)
        #expect(try before(86_403) == moment(3))
        #expect(try before(86_401) == moment(3))
    }

    @Test func `a code that was cleared before a comparison is still named`() throws {
        let now = VehicleCondition(time: Self.start, codes: [], items: [])
        let code = VehicleCondition.Code(
            ecu: Self.engine, code: .dtc(try #require(DTC("P0171"))), kinds: [.stored])
        var report = ConditionReport(
            vehicle: Self.vin, accessory: nil, vehicleProtocol: nil, time: Self.start,
            since: Self.start, lamps: [], change: ConditionChange(before: now, now: now),
            frames: [], table: try PIDTables.standard(), texts: PIDTables.codeTexts(),
            explanations: try PIDTables.codeExplanations(),
            output: OutputForm(format: .text))
        report.cleared = [(code, nil)]
        report.head.name = "bay 2"
        report.head.make = "Kia, model year 2020"
        #expect(report.findings.verdict.text.contains("no repair of P0171 is proven"))
        let line = report.text.split(separator: "\n").first { $0.hasPrefix("P0171") }
        #expect(line?.split(separator: " ").prefix(2) == ["P0171", "gone"], "\(report.text)")
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        #expect(page.contains("\(Self.vin) · bay 2 · Kia, model year 2020"))
        #expect(report.text.contains("bay 2"))
    }
}
