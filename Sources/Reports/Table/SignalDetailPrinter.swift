import Adapters
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripImport

/// Prints all facts of a table about records and signals.
package struct SignalDetailPrinter {
    private let form: OutputForm
    private let palette: Palette
    private var isFirst = true
    private var rows: RowWriter?

    package init(_ form: OutputForm) {
        self.form = form
        palette = form.palette
    }

    /// The voltage at the adapter, which no table describes.
    package mutating func printVoltage(to writer: inout TextOutput) throws(OutputError) {
        var record = TableRecord(
            dataID: PIDTables.adapterVoltageID, name: Signal.adapterVoltage.name, length: 0...0,
            file: "", line: 0)
        record.signals = [.adapterVoltage]
        record.notes = ["measured by the adapter: AT RV"]
        try print(record, only: nil, to: &writer)
    }

    /// A record with all its signals, or with the one at `place`.
    package mutating func print(
        _ record: TableRecord, only place: Int?, to writer: inout TextOutput
    ) throws(OutputError) {
        let shown = place.map { [$0] } ?? Array(record.signals.indices)
        if form.format == .text {
            if !isFirst { try writer.write("\n") }
            try writer.write(text(record, shown))
        } else {
            for index in shown {
                let row = row(record, index)
                let rows = self.rows ?? RowWriter(form.format, columns: row.keys)
                self.rows = rows
                try writer.append { self.rows?.append(row, to: &$0) }
            }
        }
        isFirst = false
    }

    // MARK: Text

    private func text(_ record: TableRecord, _ shown: [Int]) -> String {
        let name = Self.id(of: record)?.description ?? AdapterAction.readVoltage.command
        var lines = palette(.bold, printable(name))
        lines += printable("  \(record.name)") + "\n"
        var facts = TextTable([])
        if record.length.upperBound > 0 {
            facts.add(["length", .init(Self.length(record.length))])
        }
        if let target = record.target { facts.add(["header", .init(target.description)]) }
        if let responder = record.responder { facts.add(["reply", .init(responder.description)]) }
        if !record.vehicles.isEmpty {
            facts.add(["vehicles", .init(record.vehicles.map(\.text).joined(separator: " "))])
        }
        if !record.years.isEmpty {
            let years = record.years.map { "\($0.lowerBound) to \($0.upperBound)" }
            facts.add(["model years", .init(years.joined(separator: ", "))])
        }
        for source in record.sources { facts.add(["source", .init(source)]) }
        for note in record.notes { facts.add(["note", .init(note)]) }
        if !record.file.isEmpty { facts.add(["file", .init("\(record.file):\(record.line)")]) }
        lines += facts.text(palette, indent: 2)
        for index in shown {
            lines += "\n" + text(record.signals[index], record, index)
        }
        let examples = record.examples.filter { example in
            example.values.contains { shown.contains($0.signal) }
        }
        if !examples.isEmpty {
            lines += "\n  " + palette(.dim, "examples") + "\n"
            var rows = TextTable([])
            for example in examples {
                let values = example.values.filter { shown.contains($0.signal) }.map {
                    "\(record.signals[$0.signal].id)=\($0.value.text)"
                }
                rows.add([
                    .init(Hex.string(example.data)), .init(values.joined(separator: " ")),
                    .init(example.source, .dim),
                ])
            }
            lines += rows.text(palette, indent: 4)
        }
        return lines
    }

    private func text(_ signal: Signal, _ record: TableRecord, _ index: Int) -> String {
        var lines = "  " + palette(.accent, printable(signal.id)) + printable("  \(signal.name)")
        if record.unverified.contains(index) { lines += "  " + palette(.warning, "unverified") }
        lines += "\n"
        var facts = TextTable([])
        if signal.bitLength > 0 {
            facts.add(["bits", .init(signal.bitsText + (signal.isLittleEndian ? " little" : ""))])
            facts.add(["value", .init(Self.formula(signal, in: record))])
        }
        if let range = signal.valueRange {
            let unit = signal.unit.isEmpty ? "" : " " + signal.unit
            facts.add([
                "range", .init("\(plain(range.lowerBound)) to \(plain(range.upperBound))\(unit)"),
            ])
        }
        if let condition = Self.condition(signal, record) {
            facts.add(["only if", .init(condition)])
        }
        if !signal.notAvailable.isEmpty {
            facts.add(["no value", .init(Self.patterns(signal).joined(separator: " "))])
        }
        if !signal.aliases.isEmpty {
            facts.add(["aliases", .init(signal.aliases.joined(separator: " "))])
        }
        if [DataID.frames, DataID.parameterGroups].contains(record.dataID.service) {
            facts.add(["heard", .init(HeardFilter.rule(for: signal))])
        }
        for (code, label) in signal.labels {
            facts.add(["", .init("\(Self.hex(code))  \(label)")])
        }
        return lines + facts.text(palette, indent: 4)
    }

    // MARK: JSON and CSV

    private func row(_ record: TableRecord, _ index: Int) -> Row {
        let signal = record.signals[index]
        return Row(
            "signalDetail",
            [
                "service": .text(Self.id(of: record)?.service.description),
                "pid": .text(Self.id(of: record)?.idText), "record": .text(record.name),
                "minBytes": .integer(record.length.lowerBound),
                "maxBytes": .integer(record.length.upperBound),
                "header": .text(record.target?.description),
                "reply": .text(record.responder?.description),
                "vehicles": .words(record.vehicles.map(\.text)), "signal": .text(signal.id),
                "name": .text(signal.name), "type": .text(Self.kind(signal)),
                "bits": .text(signal.bitsText), "signed": .flag(signal.isSigned),
                "littleEndian": .flag(signal.isLittleEndian),
                "multiplier": .number(signal.multiplier), "divisor": .number(signal.divisor),
                "offset": .number(signal.offset),
                "formula": .text(Self.formula(signal, in: record)), "unit": .filled(signal.unit),
                "min": .number(signal.valueRange?.lowerBound),
                "max": .number(signal.valueRange?.upperBound),
                "onlyIf": .text(Self.condition(signal, record)),
                "noValue": .words(Self.patterns(signal)), "aliases": .words(signal.aliases),
                "labels": .texts(signal.labels.map { "\(Self.hex($0.code)) \($0.label)" }),
                "unverified": .flag(record.unverified.contains(index)),
                "sources": .texts(record.sources), "notes": .texts(record.notes),
                "examples": .texts(examples(record, index)),
            ])
    }

    private func examples(_ record: TableRecord, _ index: Int) -> [String] {
        record.examples.flatMap { example in
            example.values.filter { $0.signal == index }.map {
                "\(Hex.string(example.data)) \($0.value.text): \(example.source)"
            }
        }
    }

    // MARK: Words

    private static func id(of record: TableRecord) -> DataID? {
        record.dataID == PIDTables.adapterVoltageID ? nil : record.dataID
    }

    private static func length(_ length: ClosedRange<Int>) -> String {
        length.count == 1
            ? counted(length.lowerBound, "byte")
            : "\(length.lowerBound) to \(length.upperBound) bytes"
    }

    private static func kind(_ signal: Signal) -> String {
        switch signal.kind {
        case .number: "number"
        case .flag: "flag"
        case .enumeration: "enum"
        case .supportMap: "map"
        case .code: "code"
        case .text: "text"
        case .bytes: "bytes"
        }
    }

    private static func condition(_ signal: Signal, _ record: TableRecord) -> String? {
        if let flag = signal.supportFlag { return record.signals[Int(flag.rawValue)].id }
        guard let condition = signal.condition else { return nil }
        let texts = condition.ranges.map {
            $0.lowerBound == $0.upperBound
                ? hex($0.lowerBound) : "\(hex($0.lowerBound))..\(hex($0.upperBound))"
        }
        return record.signals[Int(condition.signal.rawValue)].id + "="
            + texts.joined(separator: ",")
    }

    private static func patterns(_ signal: Signal) -> [String] {
        signal.notAvailable.map {
            $0.pattern == $0.last ? hex($0.pattern) : "\(hex($0.pattern))..\(hex($0.last))"
        }
    }

    static func hex(_ raw: UInt64) -> String {
        let text = String(raw, radix: 16, uppercase: true)
        return text.count % 2 == 0 ? text : "0" + text
    }
}
