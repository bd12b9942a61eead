import Diagnostics
import Formats
import OBDCore

// Readings.
extension ImportedObject {
    func reading(_ table: inout ImportTable) throws -> TripEntry {
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
            // The signal belongs to a table that is not loaded, or to another service.
            if let conversion = table.conversion(unit, of: nil) {
                unit = conversion.unit
                shown = .number(conversion(number))
            } else if ImportUnit.isAmbiguous(unit) {
                throw table.fault(unit, of: id, line: line)
            }
        } else if case .number(let number) = value, unit != known?.unit {
            guard let conversion = table.conversion(unit, of: known),
                conversion.unit == known?.unit
            else { throw table.fault(unit, of: id, line: line) }
            unit = conversion.unit
            shown = .number(conversion(number))
        }
        if case .number(let number) = shown, !number.isFinite {
            throw fault("a value beyond all numbers")
        }
        if dataID == nil, id == "ADAPTER_VOLTAGE", case .number(let volts) = shown {
            return .voltage(volts)
        }
        let signal = table.place(id, text("name") ?? id, unit, kind)
        if let label, let code = shown.whole { table.label(code, label, of: signal) }
        var reading = Reading(
            ecu: try ecu(), dataID: dataID, signal: signal, value: shown,
            raw: InlineBytes(try bytes("raw")), line: 0)
        reading.frame = keys["frame"]?.number.flatMap { UInt8(exactly: $0) }
        reading.dtc = text("dtc").flatMap { DTC($0) }
        return .items([.reading(reading)])
    }

    /// The value, the kind of signal for it, and the label of a code.
    private func value(
        _ known: Signal?
    ) throws -> (Reading.Value, Signal.Kind, label: String?) {
        let code = keys["code"]?.number.flatMap { UInt64(exactly: $0) }
        switch keys["value"] {
        case .number(let number)?:
            return (.number(number), .number, text("label"))
        case .bool(let flag)?: return (.flag(flag), .flag, nil)
        case .string(let text)?:
            guard let code else {
                let kind = known?.kind ?? .text
                if kind == .number {
                    throw fault("\"\(text)\" is not a number")
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
