import Foundation
import OBDCore
import PIDTables
import Reports
import SystemIO
import Testing
import TripImport
import TripStore

/// Imports of files into the database.
@Suite final class `Files that are imported` {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore

    init() throws {
        store = try TripStore(path: folder.appending(path: "a.db").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func importing(_ name: String, _ text: String) throws -> (String, ImportRun) {
        let path = folder.appending(path: name).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let input = try InputFile(path: path)
        let format = try #require(try ImportFormat(input.beginning()))
        return (path, try ImportRun(input, format, standard: try PIDTables.standard()))
    }

    /// A file is known by its whole contents, not only by its times and its size.
    @Test(arguments: [
        "time,RPM\n2026-11-21T08:15:02Z,900\n", "time,RPM\n2026-11-21T08:15:03Z,800\n",
        "time,RPM\n2026-11-21T08:15:02Z,800\n2026-11-21T08:15:03Z,800\n",
        "time,VSS\n2026-11-21T08:15:02Z,800\n",
    ])
    func `a file that differs in any byte is another trip`(text: String) throws {
        let one = "time,RPM\n2026-11-21T08:15:02Z,800\n"
        let (_, first) = try importing("a.csv", one)
        #expect(try first.store(in: store) { _, _ in }.trips == [1])
        let (_, second) = try importing("b.csv", text)
        #expect(try second.store(in: store) { _, _ in }.trips == [2])
        let (_, again) = try importing("c.csv", one)
        let result = try again.store(in: store) { _, _ in }
        #expect(result.trips.isEmpty && result.known == 1)
        #expect(try store.trip(1).readings == 1)
    }

    @Test(arguments: ["2026-11-21T08:15:03Z,900\n", "2026-11-21T08:15:03Z,"])
    func `a file that changes during the import is not stored`(more: String) throws {
        let (path, run) = try importing("a.csv", "time,RPM\n2026-11-21T08:15:02Z,800\n")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(more.utf8))
        try file.close()
        #expect(throws: FileError.changed(path)) { _ = try run.store(in: store) { _, _ in } }
        #expect(try store.trips(.init(withScans: true)).isEmpty)
    }

    /// A trip begins before its first reading, because the set-up of the adapter is a part of it.
    @Test func `an imported trip keeps its begin`() throws {
        let start = "2026-11-21T08:15:00.000000Z"
        let (_, run) = try importing(
            "a.jsonl",
            """
            {"kind":"trip","id":7,"start":"\(start)"}
            {"time":"2026-11-21T08:15:02.000000Z","ecu":"7E8","service":"01","pid":"0C",\
            "signal":"RPM","value":800,"unit":"rpm","raw":"0C80"}

            """)
        #expect(try run.store(in: store) { _, _ in }.trips == [1])
        #expect(try store.trip(1).start.text == start)
    }

    /// The same file read with other names has the same moments; trips of other moments are not copies.
    @Test func `an import finds earlier ones with the same moments`() throws {
        let rows = "2026-11-21T08:15:02Z,800\n2026-11-21T08:15:03Z,801\n"
        for (name, text) in [
            ("a.csv", "time,RPM\n" + rows), ("b.csv", "time,Foo\n" + rows),
            ("c.csv", "time,Foo\n" + rows.replacing(":03Z", with: ":04Z")),
        ] {
            _ = try importing(name, text).1.store(in: store) { _, _ in }
        }
        #expect(try store.imports(alongside: 2) == [1])
        #expect(try store.imports(alongside: 1).isEmpty && store.imports(alongside: 3).isEmpty)
        try store.deleteTrips([1])
        #expect(try store.imports(alongside: 2).isEmpty)
    }

    private static let jsonLines = """
        {"kind":"trip","id":7,"start":"2026-11-21T08:15:00Z","vin":"1M8GDM9AXKP042788"}
        {"time":"2026-11-21T08:15:02Z","ecu":"7E8","service":"09","pid":"02","signal":"VIN",\
        "value":"1M8GDM9AXKP042788"}
        {"time":"2026-11-21T08:15:02Z","ecu":"7E8","service":"02","pid":"05","signal":"ECT",\
        "value":90,"unit":"°C","frame":0,"dtc":"P0301"}
        {"time":"2026-11-21T08:15:03Z","ecu":"7E8","service":"01","pid":"03","signal":"FUELSYSA",\
        "value":"closed loop","code":2}
        {"time":"2026-11-21T08:15:03Z","ecu":"7E8","service":"01","pid":"0C","signal":"RPM",\
        "value":800.25,"unit":"rpm"}
        {"time":"2026-11-21T08:15:04Z","ecu":"7E8","service":"01","pid":"0B","signal":"MAP",\
        "status":"notAvailable","code":255}

        """

    /// The wide table of the same trip: no start, no frozen value, states in words, and an empty cell.
    private static let wide = """
        time,7E8 VIN,7E8 FUELSYSA,7E8 RPM (rpm),7E8 MAP (kPa)
        2026-11-21T08:15:02Z,1M8GDM9AXKP042788,,,
        2026-11-21T08:15:03Z,,closed loop,800.25,

        """

    @Test func `a wide table keeps its vehicle`() throws {
        let (_, run) = try importing("a.csv", Self.wide)
        #expect(try run.store(in: store) { _, _ in }.trips == [1])
        #expect(try store.trip(1).vin == "1M8GDM9AXKP042788")
        #expect(try store.trip(1).readings == 3)
    }

    @Test(arguments: [
        ("a.jsonl", jsonLines, "b.csv", wide, true),
        // The numbers agree to within a hundredth, because programs round them.
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("800.25", with: "800"), true),
        // A difference of more than half of the last decimal place is not a rounding.
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("800.25", with: "800.5"), false),
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("800.25", with: "801"), false),
        // Another number, moment, signal, or a line less.
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("800.25", with: "900"), false),
        ("a.jsonl", jsonLines, "b.csv", wide.replacing(":02Z", with: ":01Z"), false),
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("RPM (rpm)", with: "VSS (km/h)"), false),
        ("a.jsonl", jsonLines, "b.csv", String(wide.prefix(96)), false),
        ("a.jsonl", jsonLines, "b.csv", wide.replacing("11-21", with: "11-23"), false),
    ])
    func `the same trip in another format is known`(
        first: String, one: String, second: String, two: String, isKnown: Bool
    ) throws {
        let (_, run) = try importing(first, one)
        #expect(try run.store(in: store) { _, _ in }.trips == [1])
        let (_, again) = try importing(second, two)
        let result = try again.store(in: store) { _, _ in }
        #expect(result.known == (isKnown ? 1 : 0) && result.trips.isEmpty == isKnown)
    }

    /// A trip that was exported, imported elsewhere and merged back, whichever database is merged.
    @Test(arguments: [
        (jsonLines, wide, true), (jsonLines, wide.replacing("800.25", with: "900"), false),
        // The table lacks the frozen value, so that the other holds more.
        (wide, jsonLines, true),
    ])
    func `a trip from the same file in another database is merged once`(
        here: String, there: String, isKnown: Bool
    ) throws {
        let other = try TripStore(path: folder.appending(path: "b.db").path)
        let (_, run) = try importing(here == Self.wide ? "a.csv" : "a.jsonl", here)
        #expect(try run.store(in: store) { _, _ in }.trips == [1])
        let (_, second) = try importing(there == Self.jsonLines ? "b.jsonl" : "b.csv", there)
        #expect(try second.store(in: other) { _, _ in }.trips == [1])
        let merged = try store.merge(from: other.path)
        #expect(merged.known == (isKnown ? 1 : 0) && merged.trips == (isKnown ? [] : [2]))
        #expect(merged.longer == (here == Self.wide ? 1 : 0))
    }
}
