import Diagnostics
import Formats
import Foundation
import OBDCore
import SystemIO
import TestSupport
import Testing
import TripStore

@testable import Reports

/// Exports of trips.
@Suite final class `Files of trips` {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore

    init() throws {
        store = try TripStore(path: folder.appending(path: "a.db").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let signals: [(pid: UInt32, id: String, unit: String)] = [
        (0x0C, "RPM", "rpm"), (0x0D, "VSS", "km/h"), (0x05, "ECT", "°C"),
        (0x5E, "FUEL_RATE", "L/h"),
    ]

    /// Only their names and numbers count here.
    private static let table = PIDTable.ofNumbers(signals)

    private func reading(
        _ name: String, _ value: Double, ecu: UInt32 = 0x7E8, frame: UInt8? = nil
    ) throws -> DiagnosticItem {
        let place = try #require(Self.signals.firstIndex { $0.id == name })
        var reading = TestSupport.reading(
            .number(value), DataID(.currentData, Self.signals[place].pid), signal: place,
            ecu: ECUAddress(ecu, .can11), raw: [0x01])
        reading.frame = frame
        return .reading(reading)
    }

    private final class Collected { var bytes: [UInt8] = [] }

    private func printed(_ body: (inout TextOutput) throws -> Void) throws -> String {
        let collected = Collected()
        var writer = TextOutput { bytes in collected.bytes += bytes }
        try body(&writer)
        try writer.flush()
        return String(decoding: collected.bytes, as: UTF8.self)
    }

    /// Four seconds of two ECUs, with a frozen value and a refusal.
    private func trip() throws -> TripReadings {
        let writer = try store.startTrip(
            TripStart(
                anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_767_225_600_000_000)),
                tags: ["sea"]), table: Self.table)
        for second in 0..<4 {
            let time = Instant.zero + .seconds(second)
            #expect(try writer.offer([reading("RPM", 800 + Double(second))], at: time))
            #expect(try writer.offer([reading("VSS", 50, ecu: 0x7E9)], at: time))
        }
        let end = Instant.zero + .seconds(3)
        #expect(try writer.offer([reading("ECT", 90, frame: 0)], at: end))
        let refusal = TripEvent(
            .negativeResponse, text: "busy", ecu: ECUAddress(0x7E9, .can11), service: Service(0x01))
        #expect(writer.offer(.event(refusal), at: end))
        try writer.end(.stopped, at: end)
        return try store.readings(ofTrip: writer.trip)
    }

    private func file(
        ecu: UInt32? = nil, _ body: (inout TripFileWriter, inout TextOutput) throws -> Void
    ) throws -> [String] {
        var writer = TripFileWriter(
            parts: [try trip()], units: .metric,
            progress: { _ in },
            isNarrowed: false, ecu: ecu.map { ECUAddress($0, .can11) })
        let text = try printed { try body(&writer, &$0) }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func `a table ends with the last moment and has no column for frozen values`() throws {
        var form = TripTableForm()
        form.isRelative = true
        let wide = try file { try $0.writeCSV(form, &$1) }
        #expect(wide.first == "time,7E8 RPM (rpm),7E9 VSS (km/h)")
        #expect(wide.count == 5)
        #expect(wide.last?.hasSuffix(",803,50") == true, "\(wide)")
        form.every = .seconds(1)
        let grid = try file { try $0.writeCSV(form, &$1) }
        #expect(grid.first?.hasSuffix(",7E8 RPM (rpm),7E9 VSS (km/h)") == true, "\(grid)")
        #expect(grid.last?.hasSuffix(",803,50") == true, "\(grid)")
        #expect(grid.count == 5)
    }

    /// In Kuksa's form a name has one value for the vehicle, although several ECUs report the name.
    @Test func `the first ECU counts for the vehicle, the light of any ECU, and all codes`() throws
    {
        var table = PIDTable()
        table.add(
            DataID(.currentData, 1), name: "status", length: 1...1,
            signals: [
                Signal(
                    id: "VSS", name: "VSS", bitOffset: 0, bitLength: 8, kind: .number, unit: "km/h"),
                Signal(id: "MIL", name: "MIL", bitOffset: 0, bitLength: 1, kind: .flag, unit: ""),
                Signal(
                    id: "DTC_CNT", name: "codes", bitOffset: 1, bitLength: 7, kind: .number,
                    unit: ""),
            ])
        let writer = try store.startTrip(
            TripStart(
                anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_767_225_600_000_000))),
            table: table)
        func take(_ signal: Int, _ value: Reading.Value, by ecu: UInt32, at second: Int) {
            let reading = TestSupport.reading(
                value, DataID(.currentData, 1), signal: signal, ecu: ECUAddress(ecu, .can11),
                raw: [1])
            #expect(writer.offer([.reading(reading)], at: .zero + .seconds(second)))
        }
        let engine: UInt32 = 0x7E8, gearbox: UInt32 = 0x7E9
        take(0, .number(50), by: engine, at: 0)
        take(0, .number(49), by: gearbox, at: 1)
        take(1, .flag(true), by: engine, at: 2)
        take(1, .flag(false), by: gearbox, at: 3)
        take(2, .number(2), by: engine, at: 4)
        take(2, .number(1), by: gearbox, at: 5)
        take(1, .flag(false), by: engine, at: 6)
        try writer.end(.stopped, at: .zero + .seconds(6))
        var file = TripFileWriter(
            parts: [try store.readings(ofTrip: writer.trip)], units: .metric, progress: { _ in },
            isNarrowed: false, ecu: nil)
        let lines = try printed { try file.writeKuksa(&$0) }.split(whereSeparator: \.isNewline)
        // The names of COVESA's Vehicle Signal Specification, and the pauses between the lines above.
        #expect(
            lines == [
                "field,signal,value,delay", "current,Vehicle.Speed,50,2",
                "current,Vehicle.OBD.Status.IsMILOn,true,1",
                "current,Vehicle.OBD.Status.IsMILOn,true,1",
                "current,Vehicle.Diagnostics.DTCCount,2,1",
                "current,Vehicle.Diagnostics.DTCCount,3,1",
                "current,Vehicle.OBD.Status.IsMILOn,false,0",
            ], "\(lines)")
    }

    /// Import reads these names as positions, and the zone from the first heading.
    @Test func `a wide table has the positions, and its heading names the time zone`() throws {
        let writer = try store.startTrip(
            TripStart(
                anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_767_225_600_000_000))),
            table: Self.table)
        #expect(try writer.offer([reading("RPM", 800)], at: .zero))
        var position = try #require(Position(latitude: 48.1374, longitude: -11.5755))
        position.altitude = 519.5
        #expect(writer.offer(.position(position), at: .zero + .milliseconds(400)))
        try writer.end(.stopped, at: .zero + .seconds(1))
        let readings = try store.readings(ofTrip: writer.trip)
        func lines(_ form: TripTableForm, isNarrowed: Bool = false) throws -> [String] {
            var file = TripFileWriter(
                parts: [readings], units: .metric, progress: { _ in }, isNarrowed: isNarrowed,
                ecu: nil)
            return try printed { try file.writeCSV(form, &$0) }
                .split(whereSeparator: \.isNewline).map(String.init)
        }
        var form = TripTableForm()
        let heads = ",latitude (°),longitude (°),altitude (m),GPS speed (km/h),bearing (°)"
        #expect(
            try lines(form) == [
                "time,7E8 RPM (rpm)" + heads, "2026-01-01T00:00:00.000000Z,800,,,,,",
                "2026-01-01T00:00:00.400000Z,,48.1374,-11.5755,519.5,,",
            ])
        (form.every, form.fill) = (.seconds(1), .none)
        #expect(
            try lines(form) == [
                "\"time [every 1 s, as read]\",7E8 RPM (rpm)" + heads,
                "2026-01-01T00:00:00.000000Z,800,48.1374,-11.5755,519.5,,",
            ])
        // Who chose signals gets these alone.
        #expect(try lines(form, isNarrowed: true).first?.contains("latitude") == false)
        form = TripTableForm()
        form.isLocal = true
        let head = try #require(try lines(form).first)
        #expect(head.hasPrefix("time (UTC+") || head.hasPrefix("time (UTC-"), "\(head)")
    }

    @Test func `with one chosen ECU nothing of other ECUs is exported`() throws {
        let json = try file(ecu: 0x7E8) { try $0.writeJSON(&$1) }
        #expect(json.count == 5 && json.allSatisfy { $0.contains("\"7E8\"") }, "\(json)")
        let lines = try file(ecu: 0x7E8) { try $0.writeLineProtocol(&$1) }
        #expect(lines.count == 5 && lines.allSatisfy { $0.contains("7E8") }, "\(lines)")
        // The whole trip has eleven objects: the trip, nine readings, and a refusal.
        #expect(try file { try $0.writeJSON(&$1) }.count == 11)
        #expect(try file { try $0.writeLineProtocol(&$1) }.count == 10)
    }

    @Test func `without a position there is no track, and KML has one trip`() throws {
        let trip = try trip()
        func writer(_ parts: [TripReadings]) -> TripFileWriter {
            TripFileWriter(
                parts: parts, units: .metric, progress: { _ in }, isNarrowed: false, ecu: nil)
        }
        #expect(throws: TripReportError.noPositions(trips: [trip.trip.id])) {
            var writer = writer([trip])
            _ = try printed { try writer.writeGPX(&$0) }
        }
        #expect(throws: TripReportError.severalTripsInKML) {
            var writer = writer([trip, trip])
            _ = try printed { try writer.writeKML(&$0) }
        }
    }

    @Test func `a page plots the named signals and lists those without numbers`() throws {
        let trip = try trip()
        #expect(throws: TripReportError.noNumbers(trip: trip.trip.id, signal: "speed", near: nil)) {
            try TripReport(trip, store, .metric, FuelProfile(), plotting: ["speed"])
        }
        // The table knows the names that users give to signals.
        let report = try TripReport(
            trip, store, .metric, FuelProfile(), plotting: ["speed"],
            signalNamed: { $0 == "speed" ? "VSS" : nil })
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        #expect(page.contains("VSS") && page.hasPrefix("<!DOCTYPE html>"))
        // Two ECUs: the summary has both, and each row names its own.
        #expect(page.contains("<dd>7E8, 7E9</dd>"))
        #expect(page.contains(">7E8</td>") && page.contains(">RPM</td>"))
    }

    /// Whether a sensor is fitted is not a state of the vehicle, whatever the flag's name.
    @Test func `a page has the states of flags except support flags`() throws {
        let flags = [(0x65, "PTO_STAT", "Power take-off"), (0x66, "MAFA_SUP", "Air meter A")]
        var table = PIDTable()
        for (pid, id, name) in flags {
            table.add(
                DataID(.currentData, UInt32(pid)), name: name, length: 1...5,
                signals: [Signal(id: id, name: name, bitOffset: 0, bitLength: 1, kind: .flag)])
        }
        let writer = try store.startTrip(
            TripStart(anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 0))),
            table: table)
        for second in 0...1 {
            let readings = flags.indices.map { place in
                DiagnosticItem.reading(
                    TestSupport.reading(
                        .flag(true), DataID(.currentData, UInt32(flags[place].0)), signal: place,
                        ecu: ECUAddress(0x7E8, .can11), raw: [0x80]))
            }
            #expect(writer.offer(readings, at: .zero + .seconds(second)))
        }
        try writer.end(.stopped, at: .zero + .seconds(1))
        let trip = try store.readings(ofTrip: writer.trip)
        let page = String(
            decoding: try TripReport(trip, store, .metric, FuelProfile()).page.bytes, as: UTF8.self)
        #expect(page.contains("Power take-off") && !page.contains("Air meter A"))
    }

    @Test func `two trips are compared side by side`() throws {
        let (first, second) = (try trip(), try trip())
        let csv = try printed {
            try TripComparison(first, second, OutputForm(format: .csv)) { _ in FuelProfile() }
                .print(&$0)
        }
        let rows = csv.split(whereSeparator: \.isNewline)
        #expect(rows.count == 5, "\(csv)")
        #expect(rows[1].hasPrefix("trip,1,") && rows[2].hasPrefix("trip,2,"))
        #expect(rows[3].hasPrefix("tripComparison,") && rows[3].contains(",7E8,RPM,rpm,"))
        #expect(rows[3].hasSuffix(",4,800,801.5,803,4,800,801.5,803"), "\(csv)")
    }

    // MARK: Calibration

    /// One litre in ten minutes, from a vehicle with a VIN or without one.
    private func fuelLine(_ vin: VIN?, rate: Double = 6) throws -> FuelReport.Line {
        let writer = try store.startTrip(
            TripStart(
                anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_767_225_600_000_000)),
                vin: vin), table: Self.table)
        for second in 0...600 {
            #expect(
                try writer.offer([reading("FUEL_RATE", rate)], at: .zero + .seconds(second)))
            #expect(try writer.offer([reading("VSS", 60)], at: .zero + .seconds(second)))
        }
        try writer.end(.stopped, at: .zero + .seconds(600))
        let readings = try store.readings(ofTrip: writer.trip)
        let profile = FuelProfile(kind: .diesel)
        return FuelReport.Line(
            trip: readings.trip, use: try TripFuel.use(of: readings, profile), profile: profile)
    }

    private func report(_ lines: [FuelReport.Line]) -> FuelReport {
        FuelReport(lines: lines, output: OutputForm(format: .text))
    }

    /// Ten minutes of 6 L/h are a litre, and of 60 km/h they are 10 km.
    @Test func `fuel is added up per vehicle`() throws {
        let vins = ["1HGCM82633A004352", "5XXBD1GA8LX000042"]
        let lines = [
            try fuelLine(VIN(vins[0])), try fuelLine(VIN(vins[1]), rate: 12),
            try fuelLine(VIN(vins[0])),
        ]
        let text = try printed { try report(lines).print(&$0) }
        let totals = text.components(separatedBy: "\n\n").last?.split(separator: "\n").dropFirst()
        let shown = totals?.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(shown == ["\(vins[0]) 2", "\(vins[1]) 1"], "\(text)")
        let alone = try printed { try report([lines[0], lines[2]]).print(&$0) }
        #expect(!alone.contains(vins[0]) && alone.hasSuffix(" kg CO₂\n"), "\(alone)")
        let json = try printed {
            try FuelReport(lines: lines, output: OutputForm(format: .json)).print(&$0)
        }
        let objects = try json.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let trips = objects.filter { $0["kind"] as? String == "tripFuel" }
        #expect(trips.map { $0["vin"] as? String } == [vins[0], vins[1], vins[0]])
        let sums = objects.filter { $0["kind"] as? String == "vehicleFuel" }
        #expect(sums.map { $0["vin"] as? String } == vins)
        for (sum, kilometres) in zip(sums, [20.0, 10.0]) {
            #expect(abs((sum["amount"] as? Double ?? 0) - 2) < 0.02)
            #expect(abs((sum["distanceKm"] as? Double ?? 0) - kilometres) < 0.2)
        }
    }

    /// The odometer counts on while the program does not poll; fuel is only counted while it does.
    @Test func `a distance that differs from the trip's is explained`() throws {
        var line = try fuelLine(nil)
        #expect(try !printed { try report([line]).print(&$0) }.contains("odometer"))
        line.trip.distance = 25
        let text = try printed { try report([line]).print(&$0) }
        #expect(
            text.hasSuffix(
                "\nConsumption counts the 10.0 km in which fuel was read; the odometer shows 25.0 km.\n"
            ), "\(text)")
    }

    @Test func `a fill-up gives the factor that makes the sums equal`() throws {
        let vin = VIN("1HGCM82633A004352")
        let found = try report([fuelLine(vin), fuelLine(vin)]).calibration(filled: 2.2)
        #expect(abs(found.factor - 1.1) < 0.01 && found.vin == vin?.text)
        #expect(try report([fuelLine(nil)]).calibration(filled: 1).vin == nil)
    }

    // Two fillings to one mark may differ by a litre: 2.2 L would be known to 45 %.
    @Test func `a calibration needs ten litres, and amounts with one say so`() throws {
        let vin = VIN("1HGCM82633A004352")
        let two = try report([fuelLine(vin), fuelLine(vin)])
        let fault = TripReportError.tooLittleFilled(amount: 2.2, unit: "L", .metric)
        #expect(throws: fault) { try two.calibration(filled: 2.2, saves: true) }
        #expect(fault.explanation.message.hasPrefix("2.20 L are too little"))
        let many = try report(Array(repeating: fuelLine(vin), count: 10))
        #expect(throws: TripReportError.self) { try many.calibration(filled: 9.9, saves: true) }
        let kept = try many.calibration(filled: 11, saves: true)
        #expect(abs(kept.factor - 1.1) < 0.01)
        var line = try fuelLine(vin)
        #expect(try !printed { try report([line]).print(&$0) }.contains("calibrated"))
        line.profile.calibration = 1.604
        let text = try printed { try report([line]).print(&$0) }
        #expect(
            text.hasSuffix("The amounts are calibrated (fuel.calibration): ×1.604.\n"), "\(text)")
        let use = try #require(line.use)
        let amount = try #require(TripFuel.amountText(use, .metric, line.profile))
        #expect(amount.hasSuffix(" (calibrated ×1.604)"), "\(amount)")
    }

    @Test func `the error for a track says which formats are complete`() {
        let hint = TripReportError.noPositions(trips: [1]).explanation.hint
        #expect(hint == "JSON Lines hold everything, long CSV (--layout long) every reading")
    }

    @Test func `the error for a fill-up says why it cannot be compared`() throws {
        let one = try fuelLine(VIN("1HGCM82633A004352"))
        #expect(throws: TripReportError.severalVehicles(2)) {
            try report([one, fuelLine(nil)]).calibration(filled: 2)
        }
        var silent = one
        silent.use = nil
        #expect(throws: TripReportError.noFuel) { try report([silent]).calibration(filled: 2) }
        #expect(throws: TripReportError.silentTrip(one.trip.id)) {
            try report([one, silent]).calibration(filled: 2)
        }
        #expect {
            try report([one]).calibration(filled: 20)
        } throws: { error in
            if case TripReportError.noMatterOfCalibration = error { true } else { false }
        }
    }
}
