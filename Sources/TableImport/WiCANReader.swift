import Diagnostics
import OBDCore

/// Reads vehicle profiles of the WiCAN adapter; a file contains one or many.
enum WiCANReader {
    static func isProfile(_ root: JSONNode) -> Bool {
        root["cars"] != nil
            || root["pids"] != nil && (root["car_model"] != nil || root["init"] != nil)
    }

    static func read(
        _ root: JSONNode, _ file: String, _ options: ImportOptions
    ) -> ImportedSource {
        var source = ImportedSource(file, .wican)
        for car in root["cars"]?.elements ?? [root] { read(car: car, options, &source) }
        return source
    }

    private static func read(
        car: JSONNode, _ options: ImportOptions, _ source: inout ImportedSource
    ) {
        if let other = car["extends"]?.text {
            source.warn(
                other, car.line, "the profile builds on another one, which is not read with it")
        }
        var addresses = AdapterAddresses()
        addresses.apply(car["init"]?.string ?? "")
        let pids = (car["pids"]?.elements ?? []).map { pid in
            var own = addresses
            own.apply(pid["pid_init"]?.string ?? "")
            return Request(pid, own)
        }
        // If one entry shows that an answer is long, that applies to all entries of the request.
        let long = Set(pids.filter(\.isLong).compactMap(\.key))
        for request in pids {
            let isLong = request.isLong || request.key.map { long.contains($0) } ?? false
            read(request, isLong: isLong, options, &source)
        }
    }

    /// An entry of a profile.
    private struct Request {
        var line: Int
        var parameters: [Parameter]
        var addresses: AdapterAddresses
        var text: String
        var dataID: DataID?
        /// Whether a position can only be in a second frame, or the profile has a second frame.
        var isLong = false

        init(_ pid: JSONNode, _ addresses: AdapterAddresses) {
            line = pid.line
            parameters = WiCANReader.parameters(of: pid)
            self.addresses = addresses
            text = pid["pid"]?.text ?? ""
            let last = parameters.compactMap { parameter in
                (try? ExpressionReader.read(parameter.expression, as: .wican))?.expression.bytes
                    .max()
            }.max()
            guard let request = try? ForeignRequest.dataID(text) else { return }
            dataID = request.0
            isLong = (last ?? 0) >= 8 || (request.frames ?? 1) > 1
        }

        var key: ImportedRecord.Key? {
            guard let dataID, let addresses = try? addresses.addresses() else { return nil }
            return .init(
                dataID: dataID, target: addresses.target, responder: addresses.responder)
        }
    }

    private struct Parameter {
        var name: String
        var expression: String
        var node: JSONNode
    }

    private static func parameters(of pid: JSONNode) -> [Parameter] {
        guard let node = pid["parameters"] else { return [] }
        if !node.elements.isEmpty {
            return node.elements.map {
                Parameter(
                    name: $0["name"]?.text ?? "", expression: $0["expression"]?.text ?? "", node: $0
                )
            }
        }
        return node.members.map { key, value in
            Parameter(
                name: key, expression: value.text ?? value["expression"]?.text ?? "", node: value)
        }
    }

    private static func read(
        _ request: Request, isLong: Bool, _ options: ImportOptions,
        _ source: inout ImportedSource
    ) {
        source.rowCount += request.parameters.count
        var record: ImportedRecord
        do throws(RowFault) {
            let dataID = try ForeignRequest.dataID(request.text).0
            if options.builtIn.contains(dataID) { throw .builtIn }
            record = ImportedRecord(dataID: dataID, line: request.line)
            (record.target, record.responder) = try request.addresses.addresses()
        } catch {
            for parameter in request.parameters {
                source.leaveOut(parameter.name, parameter.node.line, error)
            }
            return
        }
        if record.target == nil, record.responder == nil { record.use(options.header) }
        if !request.addresses.others.isEmpty {
            let others = Text.line(request.addresses.others.joined(separator: " "))
            record.notes.append("the source sends \(others) before; it is not sent here")
        }
        // WiCAN counts the bytes of whole frames. If the positions fit into a single frame, the
        // answer must have only one, because a longer answer would not match the record.
        let header = record.dataID.digits == 4 ? 3 : 2
        record.length = isLong ? (8 - header)...4095 : 1...(7 - header)
        for parameter in request.parameters {
            do throws(RowFault) {
                try take(parameter, isLong: isLong, header: header, record, &source)
            } catch {
                source.leaveOut(parameter.name, parameter.node.line, error)
            }
        }
    }

    private static func take(
        _ parameter: Parameter, isLong: Bool, header: Int, _ record: ImportedRecord,
        _ source: inout ImportedSource
    ) throws(RowFault) {
        // An empty expression removes a parameter of another profile.
        guard !Text.trimmed(parameter.expression).isEmpty else {
            throw .malformed("the expression")
        }
        let (expression, isMended) = try ExpressionReader.read(parameter.expression, as: .wican)
        let moved = try expression.moved { place throws(RowFault) in
            guard let byte = payloadPlace(place, isLong: isLong), byte >= header else {
                throw .protocolByte(place)
            }
            return byte - header
        }
        var signal = try RowReading.signal(moved)
        signal.id = parameter.name
        signal.name = Text.line(parameter.node["name"]?.text ?? parameter.name)
        guard !signal.name.isEmpty else { throw .malformed("the name") }
        if signal.kind == .number {
            signal.unit =
                parameter.node["unit"]?.text.map { UnitName.normal($0) } ?? unit(parameter.name)
        }
        var row = ImportedRow(signal: signal, line: parameter.node.line, file: source.file)
        row.equation = Text.line(parameter.expression)
        row.role = SignalRole(word: parameter.name)
        if let low = double(parameter.node["min"]), let high = double(parameter.node["max"]),
            low < high, signal.kind == .number
        {
            row.display = low...high
        }
        source.add(row, to: record)
        if isMended {
            source.warn(
                parameter.name, parameter.node.line, "an extra closing bracket was ignored")
        }
    }

    private static func double(_ node: JSONNode?) -> Double? {
        node?.text.flatMap { Fraction(decimal: $0)?.double }
    }

    /// The payload position of byte `frame` in the frames; nil for a byte of the protocol.
    static func payloadPlace(_ frame: Int, isLong: Bool) -> Int? {
        if !isLong { return (1...7).contains(frame) ? frame - 1 : nil }
        if frame < 8 { return frame >= 2 ? frame - 2 : nil }
        return frame % 8 == 0 ? nil : 6 + (frame / 8 - 1) * 7 + frame % 8 - 1
    }

    /// The unit, if a parameter's name determines it.
    private static func unit(_ name: String) -> String {
        switch name.uppercased() {
        case "SOC", "SOC_D", "SOH", "LV_SOC": "%"
        case "HV_V", "LV_V": "V"
        case "HV_A", "LV_A": "A"
        default: ""
        }
    }
}
