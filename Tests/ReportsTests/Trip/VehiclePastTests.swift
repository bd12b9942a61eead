import Diagnostics
import Formats
import Foundation
import OBDCore
import SystemIO
import TestSupport
import Testing
import TripStore

@testable import Reports

/// What diagnose takes from the other trips of a vehicle in a database.
@Suite final class `The past of a vehicle` {
    private static let day: Int64 = 86_400_000_000
    private static let vin = "1HGCM82633A004352"
    private static let start = UTC(microseconds: 1_795_248_902_000_000)
    private static let signals: [(pid: UInt32, id: String, unit: String)] = [
        (0x0C, "RPM", "rpm"), (0x0B, "MAP", "kPa"), (0x33, "BARO", "kPa"), (0x05, "ECT", "°C"),
        (0x0D, "VSS", "km/h"), (0x04, "LOAD_PCT", "%"),
    ]

    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore

    init() throws { store = try TripStore(path: folder.appending(path: "a.db").path) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func begin(
        _ day: Int64, _ vin: String?, _ purpose: TripStart.Purpose = .log
    ) throws -> TripWriter {
        try store.startTrip(
            TripStart(
                purpose: purpose,
                anchor: TimeAnchor(
                    monotonic: .zero,
                    utc: UTC(microseconds: Self.start.microseconds + day * Self.day)),
                vin: vin.map { VIN($0) } ?? nil), table: .ofNumbers(Self.signals))
    }

    /// A minute with the ignition on, in which the manifold has half a kPa less than `air` on average.
    @discardableResult
    private func trip(_ day: Int64, air: Double = 101, vin: String? = vin) throws -> Int64 {
        let writer = try begin(day, vin)
        for second in 0..<60 {
            let pressure = 100 + Double(second % 2)
            let items = [(0x0C, 0.0), (0x0B, pressure), (0x33, air)].enumerated().map {
                place, item in
                DiagnosticItem.reading(
                    reading(
                        .number(item.1), DataID(.currentData, UInt32(item.0)), signal: place,
                        raw: [0x01]))
            }
            #expect(writer.offer(items, at: .zero + .seconds(second)))
        }
        try writer.end(.stopped, at: .zero + .seconds(60))
        return writer.trip
    }

    private func diagnosis(_ trip: Int64) throws -> TripDiagnosis {
        try TripDiagnosis(
            of: store.readings(ofTrip: trip), in: store, DriveKnowledge(causes: Causes.table))
    }

    private func usual(_ trip: Int64) throws -> DriftHistory.Usual? {
        try diagnosis(trip).verdict.features.first { $0.id == "map.off-baro" }?.usual
    }

    @Test func `ten earlier trips of the same vehicle show what is usual`() throws {
        for day in Int64(0)..<10 { try trip(day) }
        // Those of another vehicle, of none, and later ones do not count.
        for day in Int64(0)..<10 { try trip(day, air: 102, vin: "WVWZZZ1KZAW000001") }
        for day in Int64(0)..<10 { try trip(day, air: 102, vin: nil) }
        let judged = try trip(10)
        try trip(11, air: 102)
        let found = try #require(try usual(judged))
        #expect(
            abs(found.mean + 0.5) < 0.05 && found.drives == 10
                && found.since == Self.start.microseconds)
        let text = try diagnosis(judged).text(OutputForm(format: .text))
        #expect(
            text.contains("OWN PAST") && text.contains("-0.5 kPa in 10 trips since "), "\(text)")
        let row = try #require(
            try diagnosis(judged).rows.first { $0["feature"].shown == "map.off-baro" })
        #expect(row["usualTrips"].shown == "10" && row["frame"].shown == nil)
        // Nine do not, and nothing is said of the past.
        let ninth = try diagnosis(
            try #require(try store.trips().first { $0.start >= Self.start }?.id))
        #expect(!ninth.text(OutputForm(format: .text)).contains("OWN PAST"))
    }

    @Test func `what was measured is kept, and measured again when a trip changes`() throws {
        let ids = try (Int64(0)..<12).map { try trip($0) }
        let judged = try trip(12)
        _ = try usual(judged)
        let kept = try store.measures(ofRevision: DriveWatch.revision)
        #expect(kept.keys.sorted() == ids)
        // What is kept is taken: here another number than that of the readings.
        let lines = try #require(kept[ids[0]]).split(separator: "\n").map { line in
            line.hasPrefix("map.off-baro ") ? "map.off-baro -2.5 0.1 59 0 59000000" : String(line)
        }
        let text = lines.joined(separator: "\n")
        #expect(text != kept[ids[0]])
        store.keep([(try store.trip(ids[0]), text)], ofRevision: DriveWatch.revision)
        #expect(abs(try #require(try usual(judged)).mean + 8 / 12) < 0.05)
        // A split takes it away, and both halves are measured; a deleted trip is no past.
        let cut = UTC(microseconds: Self.start.microseconds + 30_500_000)
        _ = try store.splitTrip(ids[0], at: cut)
        #expect(abs(try #require(try usual(judged)).mean + 0.5) < 0.05)
        #expect(try usual(judged)?.drives == 13)
        try store.deleteTrips([ids[1], ids[2]])
        #expect(try usual(judged)?.drives == 11)
        // Words of another program are measured anew.
        store.keep(
            [(try store.trip(ids[3]), "no numbers\nat all")], ofRevision: DriveWatch.revision)
        #expect(try usual(judged)?.drives == 11)
    }

    @Test func `a repair begins anew`() throws {
        let ids = try (Int64(0)..<12).map { try trip($0) }
        let judged = try trip(12)
        try store.setTags(["Repair"], ofTrip: ids[5])
        #expect(try usual(judged) == nil)
        try store.setTags([], ofTrip: ids[5])
        #expect(try usual(judged)?.drives == 12)
        try store.setTags(["repair"], ofTrip: judged)
        #expect(try usual(judged) == nil)
        // 61 days without a drive.
        #expect(try usual(try trip(73)) == nil)
    }

    /// A scan on another day, with a stored code and its frame.
    private func scan(_ day: Int64, rpm: Double) throws {
        let writer = try begin(day, Self.vin, .scan)
        let engine = ECUAddress(0x7E8, .can11)
        let code = try #require(DTC("P0301"))
        var items: [DiagnosticItem] = [
            .code(CodeReport(ecu: engine, kind: .stored, code: .dtc(code), line: 0))
        ]
        for (place, pid, value) in [
            (0, 0x0C, rpm), (3, 0x05, 88), (4, 0x0D, 0), (5, 0x04, 22.4),
        ] {
            var frozen = reading(
                .number(value), DataID(.freezeFrame, UInt32(pid)), signal: place, raw: [0x01])
            (frozen.frame, frozen.dtc) = (0, code)
            items.append(.reading(frozen))
        }
        let time = Instant.zero + .seconds(1)
        #expect(writer.offer(items, at: time))
        #expect(writer.offer(.codeList(engine, .stored, codes: 1), at: time))
        try writer.end(.stopped, at: .zero + .seconds(2))
    }

    @Test func `the freeze frame of the nearest scan within a week shows where a code was set`()
        throws
    {
        let drive = try trip(10)
        #expect(try diagnosis(drive).verdict.past.frames.isEmpty)
        try scan(15, rpm: 1_500)
        try scan(11, rpm: 780)
        try scan(30, rpm: 2_500)
        let found = try diagnosis(drive)
        #expect(found.verdict.past.frames.map(\.code) == ["P0301"])
        let text = found.text(OutputForm(format: .text, columns: 200))
        let day = String(
            localTime(UTC(microseconds: Self.start.microseconds + 11 * Self.day)).prefix(10))
        #expect(
            text.contains(
                "Freeze frame of P0301 (read on \(day)): set at idle, 780 rpm, 0 km/h, coolant 88 °C, load 22 %."
            ),
            "\(text)")
        // Three weeks later nothing is known of it.
        #expect(try diagnosis(try trip(60)).verdict.past.frames.isEmpty)
    }
}
