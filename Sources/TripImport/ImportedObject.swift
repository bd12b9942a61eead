import Diagnostics
import OBDCore

/// A JSON object with its line number.
struct ImportedObject {
    let keys: [String: JSONValue]
    let line: Int

    init(_ keys: [String: JSONValue], line: Int) {
        self.keys = keys
        self.line = line
    }

    func fault(_ reason: String) -> ImportFault { ImportFault(line: line, reason: reason) }

    func text(_ key: String) -> String? { keys[key]?.string }

    func byte(_ key: String) throws -> UInt8? {
        guard let text = text(key) else { return nil }
        guard let byte = UInt8(text, radix: 16) else {
            throw fault("\(key) \"\(text)\" is not a byte")
        }
        return byte
    }

    func bytes(_ key: String) throws -> [UInt8] {
        guard let text = text(key), !text.isEmpty else { return [] }
        guard let bytes = Hex.bytes(text) else {
            throw fault("\(key) \"\(text)\" is not hexadecimal")
        }
        return bytes
    }

    func ecu() throws -> ECUAddress? {
        guard let text = text("ecu"), !text.isEmpty else { return nil }
        guard let ecu = ECUAddress(text) else { throw fault("\"\(text)\" is not an ECU") }
        return ecu
    }

    func time(_ key: String = "time") throws -> UTC {
        guard let text = text(key) else { throw fault("there is no \(key)") }
        guard let time = UTC(text) else { throw fault("\(key) \"\(text)\" is not a date") }
        return time
    }

    /// The event for the object; nil if it does not belong to a trip.
    func event(_ table: inout ImportTable) throws -> ImportEvent? {
        if keys["signal"] != nil, keys["kind"]?.string ?? "reading" == "reading" {
            return .entry(try reading(&table), at: try time())
        }
        guard let kind = text("kind") else { throw fault("neither a signal nor a kind") }
        switch kind {
        case "trip":
            var tags: [String] = []
            if case .array(let values)? = keys["tags"] { tags = values.compactMap(\.string) }
            return .trip(
                name: text("name"), tags: tags, vin: text("vin").flatMap { VIN($0) },
                start: try time("start"))
        case "tripSignal", "summary", "device", "state", "check", "ecu": return nil
        case "note":
            guard let text = text("text"), !text.isEmpty else { throw fault("an empty note") }
            return .entry(.note(text), at: try time())
        case "position": return .entry(.position(try position()), at: try time())
        case "codeList":
            guard let list = text("status").flatMap({ CodeReport.Kind(rawValue: $0) }),
                let codes = keys["codes"]?.number.flatMap({ Int(exactly: $0) }), codes >= 0
            else { throw fault("no list of codes") }
            return .entry(.codeList(try ecu(), list, codes: codes), at: try time())
        case "event": return .entry(.event(try tripEvent()), at: try time())
        case "adapterStatus":
            let event = TripEvent(
                .adapterStatus, text: text("text") ?? "", code: text("status"))
            return .entry(.event(event), at: try time())
        case "error":
            let event = TripEvent(.decodeError, text: text("reason") ?? "", ecu: try ecu())
            return .entry(.event(event), at: try time())
        default: return .entry(.items([try item(kind)]), at: try time())
        }
    }

    func position() throws -> Position {
        guard let latitude = keys["latitude"]?.number,
            let longitude = keys["longitude"]?.number,
            var position = Position(latitude: latitude, longitude: longitude)
        else { throw fault("no place on earth") }
        position.altitude = keys["altitude"]?.number
        position.speed = keys["speed"]?.number
        position.course = keys["course"]?.number
        position.accuracy = keys["accuracy"]?.number
        if text("fixTime") != nil { position.fixTime = try time("fixTime") }
        return position
    }

    func tripEvent() throws -> TripEvent {
        guard let kind = text("event").flatMap({ TripEvent.Kind(rawValue: $0) }) else {
            throw fault("unknown event \"\(text("event") ?? "")\"")
        }
        var event = TripEvent(kind, text: text("text") ?? "", ecu: try ecu())
        event.service = try byte("service").map { Service($0) }
        event.code = text("code")
        event.duration = try keys["seconds"]?.number.map { seconds in
            // The limit is longer than any recording, because a huge value would overflow the
            // duration.
            guard (0...Self.longestEvent).contains(seconds) else {
                throw fault("\(seconds) s is not a length of time")
            }
            return .seconds(seconds)
        }
        return event
    }

    /// A century; unit: s.
    private static let longestEvent = 3.2e9

    func item(_ kind: String) throws -> DiagnosticItem {
        let ecu = try ecu()
        switch kind {
        case "code":
            guard let status = text("status").flatMap({ CodeReport.Kind(rawValue: $0) }) else {
                throw fault("no status of a code")
            }
            return .code(try code(status, ecu))
        case "monitor":
            guard let scope = text("scope").flatMap({ MonitorStatus.Scope(rawValue: $0) }),
                let monitor = text("monitor").flatMap({ MonitorStatus.Monitor(rawValue: $0) }),
                let supported = keys["supported"]?.bool
            else { throw fault("no monitor") }
            return .monitor(
                MonitorStatus(
                    ecu: ecu, scope: scope, monitor: monitor, supported: supported,
                    complete: keys["complete"]?.bool, line: 0))
        case "monitorTest":
            guard let tid = try byte("tid") else { throw fault("no tid") }
            var result = MonitorTestResult(ecu: ecu, tid: tid, raw: InlineBytes(), line: 0)
            result.mid = try byte("mid")
            result.monitor = text("monitor")
            result.test = text("test")
            result.component = try byte("component")
            result.uas = try byte("uas")
            result.value = keys["value"]?.number
            result.min = keys["min"]?.number
            result.max = keys["max"]?.number
            result.unit = text("unit")
            result.passed = keys["passed"]?.bool
            return .monitorTest(result)
        case "negativeResponse":
            guard let service = try byte("service"), let nrc = try byte("nrc") else {
                throw fault("no refusal")
            }
            return .negativeResponse(
                NegativeResponse(service: Service(service), nrc: NRC(nrc)), ecu: ecu, line: 0)
        case "message":
            let group = text("pgn").flatMap { UInt32($0, radix: 16) }
            return .message(
                ECUMessage(ecu: ecu, payload: try bytes("payload"), parameterGroup: group))
        default: throw fault("unknown kind \"\(kind)\"")
        }
    }

    func code(_ kind: CodeReport.Kind, _ ecu: ECUAddress?) throws -> CodeReport {
        let stored = text("code") ?? ""
        let occurrences = keys["occurrences"]?.number.flatMap { UInt8(exactly: $0) }
        guard
            let code = CodeReport.Code(
                stored: stored, failureType: try byte("failureType"),
                occurrences: occurrences, conversionMethod: nil)
        else { throw fault("\"\(stored)\" is not a trouble code") }
        var report = CodeReport(ecu: ecu, kind: kind, code: code, line: 0)
        report.statusByte = try byte("statusByte")
        report.severity = try byte("severity")
        if case .object(let lamps)? = keys["lamps"] {
            report.lamps = CodeReport.Lamps(
                malfunction: lamps["malfunction"]?.bool, redStop: lamps["redStop"]?.bool,
                amberWarning: lamps["amberWarning"]?.bool, protect: lamps["protect"]?.bool)
        }
        return report
    }
}
