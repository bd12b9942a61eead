import Foundation
import Testing

@testable import ObdscanCLI

/// Decodes every recorded conversation of `Tests/Transcripts` as a user would, and compares the
/// result with a second source (`*.facts.tsv`).
///
/// The README of that folder describes the format.
@Suite struct `Recorded conversations` {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Transcripts")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".facts.tsv") }
            .map { String($0.dropLast(".facts.tsv".count)) }.sorted()
    }()

    /// A row of a facts file.
    struct Fact: CustomStringConvertible {
        var line: Int
        var ecu, service, pid, signal, value, unit: String
        var description: String {
            "line \(line) \(ecu) \(service):\(pid) \(signal) = \(value) \(unit)"
        }
    }

    @Test func `the recordings are found`() {
        #expect(Self.names.count >= 10)
    }

    @Test(arguments: names)
    func `decoded values equal those of the second source`(name: String) throws {
        let input = try Data(contentsOf: Self.folder.appending(path: "\(name).txt"))
        let objects = try Self.decode(input)
        let table = try String(
            contentsOf: Self.folder.appending(path: "\(name).facts.tsv"), encoding: .utf8)
        var checked = 0
        var told = 0
        for row in table.split(separator: "\n").dropFirst() {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            guard cells.count >= 8, let line = Int(cells[0]) else { continue }
            let fact = Fact(
                line: line, ecu: cells[1], service: cells[2], pid: cells[3], signal: cells[4],
                value: cells[5], unit: cells[6])
            // The recorder's own program may have rounded a value or made a mistake: count it, but
            // do not require it. The same goes for data that only a person can join (`.joined`).
            if fact.signal.contains("thread") || fact.signal.hasSuffix(".joined") {
                told += 1
                continue
            }
            let near = objects.filter { ($0["line"] as? Int) == fact.line }
            #expect(
                near.contains { Self.states($0, fact) } || Self.isImplied(fact, near),
                "\(fact); decoded: \(near)")
            checked += 1
        }
        #expect(checked + told > 0 || table.split(separator: "\n").count == 1)
    }

    private static func decode(_ input: Data) throws -> [[String: Any]] {
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["decode", "--format", "json"]) as? DecodeCommand)
        var output: [UInt8] = []
        _ = try command.decode(Array(input), into: &output)
        return try String(decoding: output, as: UTF8.self).split(separator: "\n").map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private static func text(_ value: Any?) -> String? {
        switch value {
        case let number as NSNumber: number.stringValue
        case let text as String: text
        default: nil
        }
    }

    /// An empty list has no object.
    ///
    /// The count of such a list in the facts is 0.
    private static func isImplied(_ fact: Fact, _ near: [[String: Any]]) -> Bool {
        // Lamps are part of the objects of codes. Without a code there is no object that could have
        // them.
        if fact.signal == "LAMPS" {
            return !near.contains { $0["code"] is String && $0["ecu"] as? String == fact.ecu }
        }
        guard fact.signal == "CODES", let count = Int(fact.value) else { return false }
        let codes = near.filter {
            $0["code"] is String && (fact.ecu.isEmpty || $0["ecu"] as? String == fact.ecu)
        }
        return codes.count == count && !near.contains { $0["kind"] as? String == "error" }
    }

    private static func states(_ object: [String: Any], _ fact: Fact) -> Bool {
        let kind = object["kind"] as? String
        switch fact.signal {
        case "error": return kind == "error"
        case "status": return object["status"] as? String == fact.value
        case "NRC":
            return kind == "negativeResponse" && object["nrc"] as? String == fact.value
                && object["service"] as? String == fact.service && sameECU(object, fact)
        case "payload":
            return object["payload"] as? String == fact.value && sameECU(object, fact)
        case "length":
            return (object["payload"] as? String).map { String($0.utf8.count / 2) } == fact.value
        case "frame":
            return object["data"] as? String == fact.value
                && (fact.ecu.isEmpty || object["id"] as? String == fact.ecu)
        case "NACK":
            // SAE J1939-21: an acknowledgement of PGN 00E800 with control byte 1.
            return object["pgn"] as? String == "00E800"
                && (object["payload"] as? String)?.hasPrefix("01") == true && sameECU(object, fact)
        case "LAMPS": return sameECU(object, fact) && statesLamps(object, fact.value)
        case "DTC" where fact.service != "02":
            let words = fact.value.split(separator: " ")
            let code = words.first.map(String.init) ?? ""
            let plain = (object["code"] as? String).map {
                $0 + ((object["failureType"] as? String).map { "-" + $0 } ?? "")
            }
            guard object["code"] as? String == code || plain == code, sameECU(object, fact) else {
                return false
            }
            guard words.count == 3 else { return true }
            // `P0133-11 status 2F`, `SPN91/FMI2 count 2`
            return words[1] == "count"
                ? text(object["occurrences"]) == String(words[2])
                : object["statusByte"] as? String == String(words[2])
        default: return statesValue(object, fact, kind)
        }
    }

    /// The value of a signal, or a result of service 06.
    private static func statesValue(
        _ object: [String: Any], _ fact: Fact, _ kind: String?
    ) -> Bool {
        guard sameECU(object, fact) else { return false }
        if fact.signal.hasPrefix("TID") && kind == "monitorTest"
            || fact.signal.hasPrefix("CID") && kind == "monitorTest"
        {
            return statesTest(object, fact)
        }
        guard object["pid"] as? String == fact.pid || fact.pid.isEmpty else { return false }
        guard let signal = object["signal"] as? String,
            signal == fact.signal || (signal == "ADAPTER_VOLTAGE" && fact.signal == "VOLTAGE")
                || (signal.hasPrefix("MC_") && fact.signal == "MESSAGES")
        else { return false }
        if fact.value == "notAvailable" { return object["status"] as? String == fact.value }
        if fact.unit == "code" { return text(object["code"]) == fact.value }
        if fact.unit == "bool" {
            return (object["value"] as? Bool).map {
                $0 == (fact.value == "1" || fact.value == "true")
            }
                ?? false
        }
        if let number = object["value"] as? Double, let expected = Double(fact.value) {
            return abs(number - expected) <= max(1e-4, abs(expected) * 1e-5)
        }
        if object["value"] is NSNull { return ["", "none", "null"].contains(fact.value) }
        return text(object["value"]) == fact.value
    }

    /// `TID88.UAS81.value.raw`, `TID88.UAS81.passed`, `CID05.value`.
    ///
    /// This test compares limits by sign and verdict. The tests of the scaling IDs cover their
    /// scaling.
    private static func statesTest(_ object: [String: Any], _ fact: Fact) -> Bool {
        let parts = fact.signal.split(separator: ".").map(String.init)
        guard let first = parts.first, let last = parts.last else { return false }
        let id = String(first.dropFirst(3))
        let field = first.hasPrefix("TID") ? "tid" : "component"
        guard object[field] as? String == id else { return false }
        if parts.count > 2, parts[1].hasPrefix("UAS"),
            object["uas"] as? String != String(parts[1].dropFirst(3))
        {
            return false
        }
        if last == "passed" {
            if fact.value == "none" { return object["passed"] is NSNull }
            return object["passed"] as? Bool == (fact.value == "1" || fact.value == "true")
        }
        let key = last == "raw" ? parts[parts.count - 2] : last
        guard let expected = Double(fact.value) else { return false }
        guard let number = object[key] as? Double else { return false }
        return expected == 0 || last == "raw"
            ? (number < 0) == (expected < 0) || number == 0
            : abs(number - expected) < 1e-6
    }

    /// `MIL on, RSL off, AWL off, PL notAvailable`.
    private static func statesLamps(_ object: [String: Any], _ value: String) -> Bool {
        guard let lamps = object["lamps"] as? [String: Any] else { return false }
        let keys = ["MIL": "malfunction", "RSL": "redStop", "AWL": "amberWarning", "PL": "protect"]
        return value.split(separator: ",").allSatisfy { part in
            let words = part.split(separator: " ")
            guard words.count == 2, let key = keys[String(words[0])] else { return false }
            switch words[1] {
            case "on": return lamps[key] as? Bool == true
            case "off": return lamps[key] as? Bool == false
            default: return lamps[key] is NSNull
            }
        }
    }

    private static func sameECU(_ object: [String: Any], _ fact: Fact) -> Bool {
        fact.ecu.isEmpty || object["ecu"] as? String == fact.ecu
    }
}
