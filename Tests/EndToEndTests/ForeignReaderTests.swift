import Foundation
import Testing

/// DuckDB and InfluxDB read our exports.
///
/// The test with gpsbabel is in `Positions`.
@Suite(
    .ownThreads,
    .enabled(if: Emulator.folder != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
struct `Foreign readers` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Logs numbers, flags, labels and text of two ECUs, and positions.
    private func logTrip() async throws -> String {
        func sentence(_ body: String) -> String {
            "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^)) + "\r\n"
        }
        let track = try workplace.file(
            "track.nmea",
            sentence("GPGGA,120000.00,4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,")
                + sentence("GPRMC,120000.00,A,4807.0380,N,01131.0000,E,22.4,054.7,221126,,,A"))
        let outcome = try await workplace.run(
            [
                "log", "rpm", "speed", "ect", "mil", "FUEL_TYP", "--duration", "2s", "-q", "--gps",
                track, "-d", "sim:?latency=20ms",
            ], within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let file = workplace.path("trip.jsonl")
        #expect(try await workplace.run(["export", "--to", file]).status == 0)
        let trip = try #require(
            try await workplace.run(["trips", "--format", "json"]).objects().first)
        #expect(try #require(trip["readings"] as? Int) > 100)
        return file
    }

    private func read(_ mode: String, _ file: String, _ more: [String] = []) async throws -> Outcome
    {
        let lines = try await logTrip()
        let layout = mode == "influx" ? [] : ["--layout", mode]
        let path = workplace.path(file)
        let export = try await workplace.run(["export", "--to", path] + layout)
        #expect(export.status == 0, "\(export)")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("foreign_readers.py").path
        return try await RunningProgram(
            try #require(Emulator.folder) + "/python", [script, mode, path, lines] + more,
            environment: workplace.environment
        ).finish(within: 60)
    }

    @Test(arguments: ["long", "wide"])
    func `DuckDB reads CSV`(layout: String) async throws {
        let outcome = try await read(layout, "trip.csv")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("the same: "), "\(outcome)")
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: (Emulator.folder ?? "") + "/influxd"),
            "no InfluxDB"))
    func `InfluxDB reads line protocol`() async throws {
        let server = try #require(Emulator.folder) + "/influxd"
        let outcome = try await read("influx", "trip.lp", [server])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("the same: "), "\(outcome)")
        #expect(outcome.output.contains("1 positions"), "\(outcome)")
    }

    /// A sheet, and the rows that a foreign program reads from the sheet and writes as CSV.
    private func sheet() async throws -> (sheet: String, rows: [[String]]) {
        let sheet = workplace.path("codes.xlsx")
        for file in [sheet, workplace.path("codes.csv")] {
            let outcome = try await workplace.run([
                "dtc", "--to", file, "--label", "=1+1", "--local-time", "-d",
                "sim:?latency=0&frozen=true",
            ])
            #expect(outcome.status == 0, "\(outcome)")
        }
        let text = try String(contentsOfFile: workplace.path("codes.csv"), encoding: .utf8)
        let rows = text.components(separatedBy: "\r\n").dropLast().map {
            // CSV cannot mark a cell as text. The apostrophe stops spreadsheets from calculating
            // the cell.
            $0.replacing("'=", with: "=").components(separatedBy: ",")
        }
        #expect(rows.count == 7)
        return (sheet, rows)
    }

    /// Leaves the time out, because it differs from run to run.
    private func compare(_ found: [[String]], _ rows: [[String]]) {
        let (one, other) = (found.map { $0.dropFirst() }, rows.map { $0.dropFirst() })
        #expect(one == other)
        #expect(found.dropFirst().allSatisfy { $0.first?.hasPrefix("20") ?? false })
    }

    @Test func `openpyxl reads the sheet of codes`() async throws {
        let (sheet, rows) = try await sheet()
        let script = """
            import openpyxl, sys
            def text(cell):
                if cell is None: return ""
                if isinstance(cell, bool): return str(cell).lower()
                return str(cell)
            for row in openpyxl.load_workbook(sys.argv[1]).active.iter_rows(values_only=True):
                print(",".join(map(text, row)))
            """
        let outcome = try await RunningProgram(
            try #require(Emulator.folder) + "/python", ["-W", "error", "-c", script, sheet],
            environment: workplace.environment
        ).finish(within: 60)
        #expect(outcome.status == 0, "\(outcome)")
        compare(outcome.output.split(separator: "\n").map { $0.components(separatedBy: ",") }, rows)
    }

    /// Times, numbers and texts of a trip's sheet are those of the wide table.
    @Test func `openpyxl reads the sheet of a trip`() async throws {
        let log = try await workplace.run([
            "log", "rpm", "ect", "vin", "-d", "sim:?latency=10ms", "--no-codes", "--duration", "4s",
            "-q",
        ])
        #expect(log.status == 0, "\(log)")
        for name in ["trip.xlsx", "trip.csv"] {
            let outcome = try await workplace.run([
                "export", "--to", workplace.path(name), "--layout", "wide", "--every", "1s",
            ])
            #expect(outcome.status == 0, "\(outcome)")
        }
        let script = """
            import csv, datetime, openpyxl, sys
            book = openpyxl.load_workbook(sys.argv[1])
            sheet = list(book.active.iter_rows(values_only=True))
            table = list(csv.reader(open(sys.argv[2], newline="")))
            assert len(sheet) == len(table), (len(sheet), len(table))
            # The sheet has names where the table has short ones; times in it have no zone.
            assert sheet[0][0].startswith("time") and "7E8 Engine speed (rpm)" in sheet[0], sheet[0]
            speed = sheet[0].index("7E8 Engine speed (rpm)")
            assert table[0][speed] == "7E8 RPM (rpm)"
            assert book.active.cell(2, speed + 1).number_format in ("0.0", "0.00", "General")
            summary = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
            assert summary["Readings"] > 4 and summary["Engine speed"] == "rpm", summary
            for cells, texts in zip(sheet[1:], table[1:]):
                time = datetime.datetime.fromisoformat(texts[0].rstrip("Z"))
                assert abs(cells[0] - time) < datetime.timedelta(milliseconds=1), (cells, texts)
                for cell, text in zip(cells[1:], texts[1:]):
                    same = cell == float(text) if isinstance(cell, (int, float)) else (cell or "") == text
                    assert same, (cell, text)
            print(sum(isinstance(cell, (int, float)) for row in sheet for cell in row) > 4)
            """
        let outcome = try await RunningProgram(
            try #require(Emulator.folder) + "/python",
            ["-W", "error", "-c", script, workplace.path("trip.xlsx"), workplace.path("trip.csv")],
            environment: workplace.environment
        ).finish(within: 60)
        #expect(outcome.status == 0 && outcome.output == "True\n", "\(outcome)")
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/bin/soffice"), "no LibreOffice"))
    func `LibreOffice opens the sheet of codes`() async throws {
        let (sheet, rows) = try await sheet()
        let outcome = try await RunningProgram(
            "/usr/bin/soffice",
            [
                "--headless", "--convert-to", "csv", "--outdir", workplace.path("office"), sheet,
            ], environment: workplace.environment
        ).finish(within: 120)
        let file = workplace.path("office/codes.csv")
        let text = try #require(
            try? String(contentsOfFile: file, encoding: .utf8), "\(outcome)")
        let found = text.split(separator: "\n").map { line in
            line.replacing("TRUE", with: "true").replacing("FALSE", with: "false")
                .components(separatedBy: ",")
        }
        compare(found, rows)
    }
}
