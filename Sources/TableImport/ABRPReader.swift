import Diagnostics
import OBDCore

/// Reads signal lists of A Better Routeplanner.
enum ABRPReader {
    static func isList(_ root: JSONNode) -> Bool { root.members.contains { isRow($0.value) } }

    private static func isRow(_ node: JSONNode) -> Bool { node["equation"]?.string != nil }

    static func read(
        _ root: JSONNode, _ file: String, _ options: ImportOptions
    ) -> ImportedSource {
        var source = ImportedSource(file, .abrp)
        for (name, node) in root.members where isRow(node) {
            source.rowCount += 1
            do throws(RowFault) {
                try take(name, node, options, &source)
            } catch {
                source.leaveOut(name, node.line, error)
            }
        }
        return source
    }

    private static func take(
        _ name: String, _ node: JSONNode, _ options: ImportOptions, _ source: inout ImportedSource
    ) throws(RowFault) {
        let equation = node["equation"]?.string ?? ""
        let dataID = try request(node["command"]?.text ?? "")
        if options.builtIn.contains(dataID) { throw .builtIn }
        var record = ImportedRecord(dataID: dataID, line: node.line)
        let ecu = Text.trimmed(node["ecu"]?.text ?? "")
        if !ecu.isEmpty {
            record.responder = try ForeignRequest.address(ecu).target
            if let responder = record.responder {
                let asked = responder.physicalRequest
                if ForeignRequest.answers(asked) == responder { record.target = asked }
            }
        } else {
            record.use(options.header)
        }
        if record.target == nil, let header = options.header { record.target = header }
        let (expression, isMended) = try ExpressionReader.read(equation, as: .abrp)
        var signal = try RowReading.signal(expression)
        signal.id = name
        signal.name = Text.line(name)
        if signal.name.isEmpty { throw .malformed("the name") }
        if signal.kind == .number { signal.unit = unit(name) }
        var row = ImportedRow(signal: signal, line: node.line, file: source.file)
        row.equation = Text.line(equation)
        row.role = SignalRole(word: name)
        if let low = double(node["minValue"]), let high = double(node["maxValue"]), low < high,
            signal.kind == .number
        {
            row.display = low...high
        }
        source.add(row, to: record)
        if isMended {
            source.warn(name, node.line, "an extra closing bracket was ignored")
        }
    }

    private static func double(_ node: JSONNode?) -> Double? {
        node?.text.flatMap { Fraction(decimal: $0)?.double }
    }

    /// Parses a request, or a whole frame with length, request and padding.
    private static func request(_ text: String) throws(RowFault) -> DataID {
        let digits = text.filter { !$0.isWhitespace }
        if digits.count == 16, let bytes = Hex.bytes(digits), let count = bytes.first,
            (2...7).contains(count)
        {
            return try ForeignRequest.dataID(Hex.string(Array(bytes[1...Int(count)]))).0
        }
        return try ForeignRequest.dataID(digits).0
    }

    private static func unit(_ name: String) -> String {
        switch name {
        case "soc", "soh": "%"
        case "voltage": "V"
        case "current": "A"
        case "power": "kW"
        case "speed": "km/h"
        case "odometer", "est_battery_range": "km"
        case "batt_temp", "ext_temp", "cabin_temp": "°C"
        case "capacity": "kWh"
        default: ""
        }
    }
}
