import Diagnostics
import OBDCore
import TripExport
import TripStore

/// Reads the JSON Lines that obdscan writes.
enum JSONImport {
    static func read(
        _ bytes: [UInt8], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 <= 0x20 }) { continue }
            guard let object = JSONReader.object(line) else {
                throw ImportFault(line: number, reason: "no JSON object")
            }
            if let event = try Object(object, line: number).event(&table) { try emit(event) }
        }
    }

    /// One object and where it stands.
    struct Object {
        let keys: [String: JSONValue]
        let line: Int

        init(_ keys: [String: JSONValue], line: Int) {
            self.keys = keys
            self.line = line
        }

        func fault(_ reason: String) -> ImportFault { ImportFault(line: line, reason: reason) }

        func text(_ key: String) -> String? { keys[key]?.string }

        private func byte(_ key: String) throws -> UInt8? {
            guard let text = text(key) else { return nil }
            guard let byte = UInt8(text, radix: 16) else {
                throw fault("\(key) \"\(text)\" is no byte")
            }
            return byte
        }

        private func bytes(_ key: String) throws -> [UInt8] {
            guard let text = text(key), !text.isEmpty else { return [] }
            guard let bytes = Hex.bytes(text) else {
                throw fault("\(key) \"\(text)\" is not hexadecimal")
            }
            return bytes
        }

        private func ecu() throws -> ECUAddress? {
            guard let text = text("ecu"), !text.isEmpty else { return nil }
            guard let ecu = ECUAddress(text) else { throw fault("\"\(text)\" is no ECU") }
            return ecu
        }

        private func time(_ key: String = "time") throws -> UTC {
            guard let text = text(key) else { throw fault("there is no \(key)") }
            guard let time = UTC(text) else { throw fault("\(key) \"\(text)\" is no date") }
            return time
        }

        /// What the object says; nil for one that is not of a trip.
        func event(_ table: inout ImportTable) throws -> ImportEvent? {
            if keys["signal"] != nil { return .entry(try reading(&table), at: try time()) }
            guard let kind = text("kind") else { throw fault("neither a signal nor a kind") }
            switch kind {
            case "trip":
                var tags: [String] = []
                if case .array(let values)? = keys["tags"] { tags = values.compactMap(\.string) }
                return .trip(
                    name: text("name"), tags: tags, vin: text("vin").flatMap { VIN($0) },
                    start: try time("start"))
            case "tripSignal", "summary", "accessory", "state", "check": return nil
            case "note":
                guard let text = text("text"), !text.isEmpty else { throw fault("an empty note") }
                return .entry(.note(text), at: try time())
            case "position": return .entry(.position(try position()), at: try time())
            case "codeList":
                guard let list = text("list").flatMap({ CodeReport.Kind(rawValue: $0) }),
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

        private func position() throws -> TripPosition {
            guard let latitude = keys["latitude"]?.number,
                let longitude = keys["longitude"]?.number,
                var position = TripPosition(latitude: latitude, longitude: longitude)
            else { throw fault("no place on earth") }
            position.altitude = keys["altitude"]?.number
            position.speed = keys["speed"]?.number
            position.course = keys["course"]?.number
            position.accuracy = keys["accuracy"]?.number
            if text("fixTime") != nil { position.fixTime = try time("fixTime") }
            return position
        }

        private func tripEvent() throws -> TripEvent {
            guard let kind = text("event").flatMap({ TripEvent.Kind(rawValue: $0) }) else {
                throw fault("unknown event \"\(text("event") ?? "")\"")
            }
            var event = TripEvent(kind, text: text("text") ?? "", ecu: try ecu())
            event.service = try byte("service").map { Service($0) }
            event.code = text("code")
            event.duration = try keys["seconds"]?.number.map { seconds in
                // Longer than anybody logs; what is no length of time would stop the program.
                guard (0...Self.longestEvent).contains(seconds) else {
                    throw fault("\(seconds) s is no length of time")
                }
                return .seconds(seconds)
            }
            return event
        }

        /// A century; unit: s.
        private static let longestEvent = 3.2e9

        private func item(_ kind: String) throws -> DiagnosticItem {
            let ecu = try ecu()
            switch kind {
            case "stored", "pending", "permanent":
                return .code(try code(CodeReport.Kind(rawValue: kind) ?? .stored, ecu))
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

        private func code(_ kind: CodeReport.Kind, _ ecu: ECUAddress?) throws -> CodeReport {
            let stored = text("code") ?? ""
            let occurrences = keys["occurrences"]?.number.flatMap { UInt8(exactly: $0) }
            guard
                let code = CodeReport.Code(
                    stored: stored, failureType: try byte("failureType"),
                    occurrences: occurrences, conversionMethod: nil)
            else { throw fault("\"\(stored)\" is no trouble code") }
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

        // MARK: Readings

        private func reading(_ table: inout ImportTable) throws -> TripEntry {
            guard let id = text("signal"), !id.isEmpty else { throw fault("an empty signal") }
            let known = table.known(id)?.signal
            var dataID: DataID?
            if let service = text("service"), let pid = text("pid"), !service.isEmpty {
                guard let found = DataID("\(service):\(pid)") else {
                    throw fault("\(service):\(pid) identifies nothing")
                }
                dataID = found
            }
            let (value, kind, label) = try value(known)
            var unit = text("unit") ?? ""
            var shown = value
            if case .number(let number) = value, known == nil {
                // A signal of a table that is not loaded, or of another service.
                if let conversion = table.conversion(unit, of: nil) {
                    unit = conversion.unit
                    shown = .number(conversion(number))
                } else if ImportUnit.isAmbiguous(unit) {
                    throw fault(table.fault(unit, of: id))
                }
            } else if case .number(let number) = value, unit != known?.unit {
                guard let conversion = table.conversion(unit, of: known),
                    conversion.unit == known?.unit
                else { throw fault(table.fault(unit, of: id)) }
                unit = conversion.unit
                shown = .number(conversion(number))
            }
            if dataID == nil, id == "ADAPTER_VOLTAGE", case .number(let volts) = shown {
                return .voltage(volts)
            }
            let signal = table.place(id, text("name") ?? id, unit, kind)
            if let label, case .label(let code) = shown { table.label(code, label, of: signal) }
            var reading = Reading(
                ecu: try ecu(), dataID: dataID, signal: signal, value: shown,
                raw: InlineBytes(try bytes("raw")), line: 0)
            reading.frame = keys["frame"]?.number.flatMap { UInt8(exactly: $0) }
            reading.dtc = text("dtc").flatMap { DTC($0) }
            return .items([.reading(reading)])
        }

        /// The value, what kind of signal has it, and the label of a code.
        private func value(
            _ known: Signal?
        ) throws -> (Reading.Value, Signal.Kind, label: String?) {
            let code = keys["code"]?.number.flatMap { UInt64(exactly: $0) }
            switch keys["value"] {
            case .number(let number)?:
                guard number.isFinite else { throw fault("a value beyond all numbers") }
                return (.number(number), .number, nil)
            case .bool(let flag)?: return (.flag(flag), .flag, nil)
            case .string(let text)?:
                guard let code else {
                    let kind = known?.kind ?? .text
                    if kind == .number {
                        throw fault("\"\(text)\" is no value of a number")
                    }
                    return (.text(text), [.code, .bytes].contains(kind) ? kind : .text, nil)
                }
                let isMap = known?.kind == .supportMap || isSupportMap
                if isMap, let raw = UInt32(exactly: code) {
                    return (.supportMap(raw: raw), .supportMap, nil)
                }
                return (.label(code: code), .enumeration, text)
            default:
                let kind = known?.kind ?? (code == nil ? .number : .enumeration)
                guard let status = text("status"), !status.isEmpty else {
                    guard let code else { throw fault("neither a value nor a status") }
                    return (.label(code: code), .enumeration, nil)
                }
                guard let reason = Reading.Missing(rawValue: status) else {
                    throw fault("unknown status \"\(status)\"")
                }
                return (.missing(reason, code: code), kind, nil)
            }
        }

        private var isSupportMap: Bool { text("signal")?.hasPrefix("PIDSUP") ?? false }
    }
}

/// Reads the CSV with a line a reading that obdscan writes.
enum LongImport {
    static func read(
        _ bytes: [UInt8], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var csv = CSVReader(bytes)
        let header = csv.next() ?? []
        var trip: JSONValue?
        while let row = csv.next() {
            if row == header { continue }
            guard row.count == header.count else {
                throw ImportFault(
                    line: csv.line, reason: "\(row.count) cells, the heading has \(header.count)")
            }
            var keys: [String: JSONValue] = [:]
            for (name, cell) in zip(header, row) where !cell.isEmpty {
                keys[name] = .string(CSVReader.undefused(cell))
            }
            keys["value"] = value(keys, table)
            for name in ["code", "frame"] {
                guard let text = keys[name]?.string else { continue }
                guard let number = Double(text) else {
                    throw ImportFault(line: csv.line, reason: "\(name) \"\(text)\" is no number")
                }
                keys[name] = .number(number)
            }
            if let number = keys["trip"], number != trip {
                trip = number
                try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
            }
            let object = JSONImport.Object(keys, line: csv.line)
            if let event = try object.event(&table) { try emit(event) }
        }
    }

    /// CSV does not tell numbers from text; the signal does, or the text itself.
    private static func value(_ keys: [String: JSONValue], _ table: ImportTable) -> JSONValue {
        guard let text = keys["value"]?.string else { return .null }
        let kind = keys["signal"]?.string.flatMap { table.known($0)?.signal.kind }
        switch kind {
        case .text, .code, .bytes: return .string(text)
        case .number, .flag, .enumeration, .supportMap, nil: break
        }
        if keys["code"] != nil { return .string(text) }
        if text == "true" || text == "false" { return .bool(text == "true") }
        // "inf", "nan" and "0x10" are no decimals.
        let isDecimal = text.utf8.allSatisfy { $0 < 0x3A || $0 == 0x65 || $0 == 0x45 }
        return isDecimal ? Double(text).map { .number($0) } ?? .string(text) : .string(text)
    }
}
