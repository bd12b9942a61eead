import Diagnostics
import OBDCore

/// Reads Torque's lists of extended PIDs.
enum TorqueReader {
    private enum Column {
        static let name = 0
        static let short = 1
        static let request = 2
        static let equation = 3
        static let low = 4
        static let high = 5
        static let unit = 6
        static let header = 7
        static let start = 8
        static let scale = 10
    }

    /// Whether the cells of a line look like a row with a request, or like a heading.
    static func isRow(_ cells: [String]) -> Bool {
        guard cells.count >= 4 else { return false }
        if isHeading(cells) { return true }
        let request = cells[Column.request].lowercased()
        let digits = request.hasPrefix("0x") ? request.dropFirst(2) : request[...]
        return cells.count >= 6 && (4...8).contains(digits.count)
            && digits.utf8.allSatisfy { Hex.value($0) != nil }
    }

    private static func isHeading(_ cells: [String]) -> Bool {
        cells.count > 1 && cells[1].lowercased().filter { !$0.isWhitespace } == "shortname"
    }

    static func read(
        _ lines: [String], _ file: String, _ options: ImportOptions
    ) -> ImportedSource {
        var source = ImportedSource(file, .torque)
        for (index, line) in lines.enumerated() {
            let trimmed = Text.trimmed(line)
            guard let first = trimmed.first, first != "~", first != "#" else { continue }
            let cells = SourceLines.cells(line)
            if isHeading(cells) || cells.allSatisfy(\.isEmpty) { continue }
            source.rowCount += 1
            read(cells, line: index + 1, options, &source)
        }
        return source
    }

    private static func read(
        _ cells: [String], line: Int, _ options: ImportOptions, _ source: inout ImportedSource
    ) {
        func cell(_ place: Int) -> String { place < cells.count ? cells[place] : "" }
        let name = Text.line(cell(Column.name))
        let short = Text.line(cell(Column.short))
        do throws(RowFault) {
            guard cells.count >= 4 else { throw .malformed("a column") }
            let equation = cell(Column.equation)
            let dataID = try ForeignRequest.dataID(cell(Column.request)).0
            if options.builtIn.contains(dataID) { throw .builtIn }
            var record = ImportedRecord(dataID: dataID, line: line)
            (record.target, record.responder) = try ForeignRequest.address(cell(Column.header))
            try honour(cell(Column.start), &record)
            if record.target == nil, record.responder == nil { record.use(options.header) }
            let (expression, isMended) = try ExpressionReader.read(equation, as: .torque)
            var signal = try RowReading.signal(expression, scale: try scale(cell(Column.scale)))
            signal.name = name.isEmpty ? (short.isEmpty ? dataID.description : short) : name
            signal.id = short.isEmpty ? name : short
            if signal.kind == .number { signal.unit = UnitName.normal(cell(Column.unit)) }
            var row = ImportedRow(signal: signal, line: line, file: source.file)
            row.equation = Text.line(equation)
            row.role = SignalRole(text: signal.name, unit: signal.unit)
            // Ignore a limit that is not an exact fraction, because no gauge could show it.
            if let low = Fraction(decimal: cell(Column.low))?.double,
                let high = Fraction(decimal: cell(Column.high))?.double,
                low < high, signal.kind == .number
            {
                row.display = low...high
            }
            source.add(row, to: record)
            if isMended { source.warn(name, line, "an extra closing bracket was ignored") }
        } catch {
            source.leaveOut(name.isEmpty ? short : name, line, error)
        }
    }

    /// Takes only the addresses from the commands before the request.
    private static func honour(
        _ start: String, _ record: inout ImportedRecord
    ) throws(RowFault) {
        guard !start.isEmpty else { return }
        var commands = AdapterAddresses()
        if let target = record.target { commands.start(at: target) }
        commands.apply(start)
        let addresses = try commands.addresses()
        if let target = addresses.target { record.target = target }
        if let responder = addresses.responder { record.responder = responder }
        if !commands.others.isEmpty {
            record.notes.append(
                "the source sends \(Text.line(commands.others.joined(separator: " "))) before; it is not sent here"
            )
        }
    }

    private static func scale(_ text: String) throws(RowFault) -> Fraction {
        let digits = text.lowercased().hasPrefix("x") ? text.dropFirst() : text[...]
        guard !digits.isEmpty else { return .one }
        guard let scale = Fraction(decimal: digits), !scale.isZero else {
            throw .malformed("the scale")
        }
        return scale
    }
}

extension ImportedRecord {
    /// Sets the ECU to ask if the source names none.
    mutating func use(_ header: ECUAddress?) {
        guard let header else { return }
        target = header
        responder = ForeignRequest.answers(header)
    }
}
