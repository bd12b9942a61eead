import Diagnostics
import OBDCore

/// Readings as CSV, one per line, with the keys of the JSON object as columns.
///
/// The writer caches text for each signal, so use one writer for a whole output.
public struct CSVLong: Sendable {
    /// The source of readings for which the cached cells of a signal are valid.
    private struct Source: Hashable, Sendable {
        var ecu: ECUAddress?
        var dataID: DataID?
        var frame: UInt8?
        var dtc: DTC?
        var parameterCode: J1939Code?
        var factor = 1.0
        var offset = 0.0
    }

    private let table: PIDTable
    private let units: UnitSystem
    private let separator: UInt8
    // Separate arrays by signal, because a struct of all would be copied for every reading.
    private var sources: [Source?]
    /// The cells between time and value.
    private var heads: [[UInt8]]
    /// The unit's cell, `,rpm,`.
    private var tails: [[UInt8]]
    private var timeText: TimeText
    /// The cells of the trip and its vehicle, if there are several trips.
    private let trip: [UInt8]

    /// A writer for readings of `table`; `trip` is the trip with its VIN if there are several.
    public init(
        table: PIDTable, units: UnitSystem = .metric, times: TimeStyle = .utc,
        separator: Unicode.Scalar = ",", trip: (number: Int64, vin: String?)? = nil
    ) {
        self.table = table
        let separator = UInt8(ascii: separator)
        self.separator = separator
        var cells: [UInt8] = []
        if let trip {
            cells = [separator] + Array(String(trip.number).utf8) + [separator]
            CSVText.append(trip.vin, to: &cells, separator: separator)
        }
        self.trip = cells
        self.units = units
        timeText = TimeText(times)
        sources = Array(repeating: nil, count: table.signals.count)
        heads = Array(repeating: [], count: table.signals.count)
        tails = heads
    }

    /// Appends the heading.
    public func appendHeader(to output: inout [UInt8]) {
        let keys =
            "time,ecu,service,pid,frame,dtc,signal,name,value,unit,code,status,checkDigit,raw"
            + (trip.isEmpty ? "" : ",trip,vin")
        output.append(contentsOf: keys.utf8.map { $0 == UInt8(ascii: ",") ? separator : $0 })
        CSVText.endLine(&output)
    }

    /// Appends a reading; ignores signals that are not in the table.
    public mutating func append(
        _ reading: borrowing Reading, time: UTC?, to output: inout [UInt8]
    ) {
        let index = Int(reading.signal.rawValue)
        guard index >= 0, index < sources.count else { return }
        // Usually, a signal has a single source.
        var source = sources[index]
        if source == nil || source?.ecu != reading.ecu || source?.dataID != reading.dataID
            || source?.frame != reading.frame || source?.dtc != reading.dtc
            || source?.parameterCode != reading.parameterCode
        {
            source = prepare(reading, index)
        }
        if let time { timeText.append(time, to: &output) }
        output.append(contentsOf: heads[index])
        append(reading, factor: source?.factor ?? 1, offset: source?.offset ?? 0, to: &output)
        for byte in reading.raw { Hex.append(byte, to: &output) }
        output.append(contentsOf: trip)
        CSVText.endLine(&output)
    }

    private func append(
        _ reading: borrowing Reading, factor: Double, offset: Double, to output: inout [UInt8]
    ) {
        var code: UInt64?
        var status: Reading.Missing?
        switch reading.value {
        case .number(let value):
            let shown = value * factor + offset
            if shown.isFinite { NumberText.append(shown, to: &output) }
        case .flag(let value): JSONText.append(value, to: &output)
        case .label(let label):
            CSVText.append(
                ReadingText.label(label, of: table[reading.signal]), to: &output,
                separator: separator)
            code = label
        case .text(let text): CSVText.append(text, to: &output, separator: separator)
        case .supportMap(let raw):
            CSVText.append(
                ReadingText.supportMap(raw, base: reading.dataID?.id ?? 0), to: &output,
                separator: separator)
            code = UInt64(raw)
        case .missing(let reason, let raw):
            status = reason
            code = raw
        }
        output.append(contentsOf: tails[Int(reading.signal.rawValue)])
        if let code { output.append(contentsOf: String(code).utf8) }
        output.append(separator)
        if let status { output.append(contentsOf: status.rawValue.utf8) }
        output.append(separator)
        if let checkDigit = reading.checkDigit { JSONText.append(checkDigit, to: &output) }
        output.append(separator)
    }

    private mutating func prepare(_ reading: borrowing Reading, _ index: Int) -> Source {
        let signal = table[reading.signal]
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        let cells = [
            reading.ecu?.printed, reading.dataID?.service.description, reading.dataID?.idText,
            reading.frame.map { String($0) }, reading.dtc?.text ?? reading.parameterCode?.text,
            signal.id, signal.name,
        ]
        var (head, tail) = ([separator], [separator])
        for cell in cells {
            CSVText.append(cell, to: &head, separator: separator)
            head.append(separator)
        }
        CSVText.append(conversion?.unit ?? signal.unit, to: &tail, separator: separator)
        tail.append(separator)
        heads[index] = head
        tails[index] = tail
        let source = Source(
            ecu: reading.ecu, dataID: reading.dataID, frame: reading.frame, dtc: reading.dtc,
            parameterCode: reading.parameterCode,
            factor: conversion?.factor ?? 1, offset: conversion?.offset ?? 0)
        sources[index] = source
        return source
    }
}
