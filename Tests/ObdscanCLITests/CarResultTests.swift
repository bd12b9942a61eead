import Formats
import Foundation
import OBDCore
import Reports
import SystemIO
import Testing

@testable import ObdscanCLI

@Suite struct `One line per vehicle of a batch` {
    private static func row(
        label: String? = nil, vin: String? = nil, ecu: String? = "7E8", light: Bool? = nil,
        code: String? = nil, failureType: UInt8? = nil, drive: String? = nil,
        error: String? = nil
    ) -> Row {
        Row(
            "codeRow",
            [
                "time": "2026-11-26T10:00:00Z".field, "device": "tcp:10.0.0.1:35000".field,
                "label": .text(label), "vin": .text(vin),
                "ecu": .text(ecu), "light": .flag(light), "code": .text(code),
                "failureType": .hex(failureType),
                "driveOn": .text(drive), "error": .text(error),
            ])
    }

    @Test(
        arguments: [
            ([row(light: false)], "tcp:10.0.0.1:35000: no codes"),
            (
                [
                    row(label: "bay 3", vin: "V", light: true, code: "P0301", drive: "soon"),
                    row(label: "bay 3", vin: "V", light: true, code: "P0301", drive: "soon"),
                    row(label: "bay 3", vin: "V", light: true, code: "P0217", drive: "stop"),
                    row(label: "bay 3", vin: "V", ecu: "7E9", light: false),
                ], "bay 3 (V): P0301 P0217; check engine light on; drive on: no, stop"
            ),
            (
                [row(vin: "V"), row(vin: "V", ecu: "7E9", error: "did not answer")],
                "V: 7E9 did not answer"
            ),
            (
                [row(ecu: nil, error: "tcp:10.0.0.1:35000: no route")],
                "tcp:10.0.0.1:35000: no route"
            ),
        ] as [([Row], String)])
    func `a line for a car has codes, light and advice`(rows: [Row], text: String) {
        #expect(CarResult(rows).text == text)
    }

    /// Nothing replaces a table before the new one is complete.
    @Test(arguments: ["codes.csv", "codes.jsonl", "codes.xlsx"])
    func `the file of a batch appears only when its table is complete`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        let before = Data("yesterday's".utf8)
        try before.write(to: file)
        let table = try CodeTable(
            file.path, standard: -1, appends: false, chosen: nil, format: .text, subject: .code,
            isLocalTime: false, separator: nil)
        try table.add([Self.row(code: "P0301")])
        #expect(try Data(contentsOf: file) == before)
        try table.finish()
        let after = try Data(contentsOf: file)
        #expect(after != before)
        #expect(name.hasSuffix("xlsx") || String(decoding: after, as: UTF8.self).contains("P0301"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }

    /// Rows about codes and rows about vehicles do not come into one table.
    @Test(arguments: ["codes.csv", "codes.jsonl"])
    func `a table has either rows per code or rows per car`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: name).path
        func open(_ subject: CodeBatch.Subject) throws -> CodeTable {
            try CodeTable(
                path, standard: -1, appends: true, chosen: nil, format: .text, subject: subject,
                isLocalTime: false, separator: nil)
        }
        for _ in 1...2 {
            try open(.vehicle).add([Self.row(code: "P0301"), Self.row(code: "P0420")])
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8)
            .split(whereSeparator: \.isNewline)
        #expect(lines.count { $0.contains("P0301 P0420") } == 2)
        #expect(throws: CodeTable.Fault.self) { try open(.code) }
    }

    @Test func `the last sentence counts each vehicle once`() {
        var tally = CarTally()
        for rows in [
            [Self.row(code: "P0301"), Self.row(code: "P0302")], [Self.row()], [Self.row()],
            [Self.row(ecu: nil, error: "x")], [Self.row(), Self.row(ecu: "7E9", error: "x")],
        ] {
            tally.count(CarResult(rows))
        }
        #expect(
            tally.sentence
                == "5 vehicles: 1 with codes, 2 without, 1 not known, 1 not read "
                + "(tcp:10.0.0.1:35000).")
        #expect(CarTally().sentence == "0 vehicles.")
    }

    @Test func `a vehicle that was read before is recognised by its VIN`() {
        var tally = CarTally()
        #expect(tally.count(CarResult([Self.row(vin: "A")])) == nil)
        #expect(tally.count(CarResult([Self.row()])) == nil)
        #expect(tally.count(CarResult([Self.row()])) == nil)
        #expect(tally.count(CarResult([Self.row(label: "bay 3", vin: "A")])) == 1)
        #expect(tally.count(CarResult([Self.row(vin: "A")])) == 4)
    }

    @Test(
        arguments: [
            (
                [
                    row(light: false, code: "P0420", drive: "weeks"),
                    row(light: false, code: "P0301", drive: "soon"),
                    row(light: false, code: "P0301", drive: "soon"),
                    row(ecu: "7E9", light: true, code: "C1234", failureType: 0x11),
                    row(ecu: "7E9", light: true, code: "C1234", failureType: 0x87),
                ], "true,P0420 P0301 C1234-11 C1234-87,soon,C1234-11 C1234-87,null"
            ),
            ([row(light: false)], "false,,null,null,null"),
            // An ECU that did not answer is not known to have no codes.
            (
                [row(error: "did not answer"), row(ecu: nil, error: "no route")],
                "null,null,null,null,7E8 did not answer; no route"
            ),
        ] as [([Row], String)])
    func `one row has all codes of a vehicle`(rows: [Row], ending: String) throws {
        let row = try #require(CodeBatch.vehicle(rows))
        #expect(row.keys == CodeBatch.Subject.vehicle.columns)
        let cells = ["light", "codes", "driveOn", "unrated", "error"].map {
            row[$0].shown ?? "null"
        }
        #expect(cells.joined(separator: ",") == ending)
        #expect(row["device"].shown == "tcp:10.0.0.1:35000")
    }

    @Test func `a vehicle without an answer has no row`() { #expect(CodeBatch.vehicle([]) == nil) }
}

extension String {
    fileprivate var field: FieldValue { .text(self) }
}
