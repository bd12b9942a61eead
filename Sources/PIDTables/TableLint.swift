import Diagnostics
import OBDCore

extension PIDTables {
    /// The faults in these files, in the order of their lines.
    ///
    /// Each file is read up to its first syntax error. The readable part is checked for repetitions, bits,
    /// flags and codes, and every example is compared with its row.
    public static func lint(_ files: [TableFile]) -> [TableFinding] {
        var findings: [TableFinding] = []
        var records: [TableRecord] = []
        for file in files {
            do throws(TableError) {
                let found = try TableReader.records(of: file, detail: .everything)
                records += found
                if found.isEmpty {
                    findings.append(TableFinding(file: file.path, line: 1, .noRecord))
                }
            } catch {
                findings.append(
                    TableFinding(file: error.file, line: error.line, .text(error.fault)))
            }
        }
        var names = NameCheck()
        for record in records {
            names.check(record, &findings)
            RecordCheck(record).check(&findings)
        }
        let order = Dictionary(
            files.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
        return findings.sorted {
            (order[$0.file] ?? 0, $0.line) < (order[$1.file] ?? 0, $1.line)
        }
    }

    /// The faults in the embedded table, the packs and the texts of trouble codes; tests check that there are
    /// none.
    public static func lintStandard() -> [TableFinding] {
        lint(embeddedFiles()) + packs().flatMap { lint([$0.file]) } + lintCodes() + lintCauses()
    }
}

/// Finds repeated records and names in the files.
///
/// The same signal may be in two records (the counters of info types 08 and 0B), which is recognised by its
/// name for the user.
private struct NameCheck {
    private struct Key: Hashable {
        var service: Service
        var responder: ECUAddress?
        var name: String
    }

    private var records: [Key: Int] = [:]
    private var names: [Key: (record: DataID, line: Int, name: String)] = [:]

    mutating func check(_ record: TableRecord, _ findings: inout [TableFinding]) {
        func key(_ name: String) -> Key {
            Key(service: record.dataID.service, responder: record.responder, name: name)
        }
        let first = records.updateValue(record.line, forKey: key(record.dataID.idText))
        if let first {
            findings.append(
                TableFinding(
                    file: record.file, line: record.line,
                    .doubleRecord(record.dataID, firstLine: first)))
            return
        }
        for (signal, line) in zip(record.signals, record.signalLines) {
            func enter(_ text: String) -> Int? {
                let new = (record.dataID, line, signal.name)
                guard let earlier = names.updateValue(new, forKey: key(text)),
                    earlier.name != signal.name || earlier.record == record.dataID
                else { return nil }
                return earlier.line
            }
            func found(_ kind: TableFinding.Kind) {
                findings.append(TableFinding(file: record.file, line: line, kind))
            }
            // A CAN database may have names that differ only by case.
            let id = record.dataID.isHeard ? signal.id : signal.id.lowercased()
            if let first = enter(id) {
                found(.doubleSignal(signal.id, firstLine: first))
            }
            for alias in signal.aliases where alias != signal.id.lowercased() {
                if let first = enter(alias) { found(.doubleAlias(alias, firstLine: first)) }
            }
        }
    }
}

/// Checks one record with its bits, flags, codes and examples.
private struct RecordCheck {
    private let record: TableRecord
    private let table: PIDTable

    init(_ record: TableRecord) {
        self.record = record
        var table = PIDTable()
        table.add(record)
        self.table = table
    }

    func check(_ findings: inout [TableFinding]) {
        for index in record.signals.indices {
            checkSignal(index) { kind in
                findings.append(
                    TableFinding(file: record.file, line: record.signalLines[index], kind))
            }
        }
        for range in record.ranges {
            checkRange(range) { kind in
                findings.append(TableFinding(file: record.file, line: range.line, kind))
            }
        }
        for example in record.examples {
            checkExample(example) { kind in
                findings.append(TableFinding(file: record.file, line: example.line, kind))
            }
        }
    }

    private func checkSignal(_ index: Int, _ found: (TableFinding.Kind) -> Void) {
        let signal = record.signals[index]
        if index > 0, record.signals[index - 1].bitOffset > signal.bitOffset,
            record.signals[index - 1].isLittleEndian == signal.isLittleEndian
        {
            found(.order(signal.id, after: record.signals[index - 1].id))
        }
        if !record.shared.contains(index) {
            for other in record.signals[..<index] where overlaps(signal, other) {
                found(.overlap(signal.id, other.id))
            }
        }
        if let flag = signal.supportFlag {
            let other = record.signals[Int(flag.rawValue)]
            if other.bitLength != 1 { found(.wideFlag(other.id)) }
        }
        if signal.kind == .number, signal.multiplier == 0 { found(.noFactor(signal.id)) }
        if let formula = signal.formula { checkFormula(formula, of: signal, found) }
        checkCodes(signal, found)
        checkEvidence(index, found)
    }

    /// Whether two signals use the same bits of the same data.
    ///
    /// The same support map may have two names, as in service 06.
    private func overlaps(_ signal: Signal, _ other: Signal) -> Bool {
        guard signal.supportFlag == other.supportFlag, signal.condition == other.condition else {
            return false
        }
        if signal.kind == .supportMap && other.kind == .supportMap { return false }
        if signal.part != other.part { return false }
        if signal.isLittleEndian == other.isLittleEndian {
            return signal.bitOffset < other.bitOffset + other.bitLength
                && other.bitOffset < signal.bitOffset + signal.bitLength
        }
        return !bits(of: signal).isDisjoint(with: bits(of: other))
    }

    /// The signal's bits, counted from the least significant bit of byte A.
    private func bits(of signal: Signal) -> Set<Int> {
        let range = signal.bitOffset..<signal.bitOffset + signal.bitLength
        return signal.isLittleEndian
            ? Set(range) : Set(range.map { $0 & ~7 | 7 - $0 & 7 })
    }

    private func checkCodes(_ signal: Signal, _ found: (TableFinding.Kind) -> Void) {
        let highest: UInt64 =
            signal.bitLength >= 64 ? .max : (1 << UInt64(signal.bitLength)) - 1
        var seen: Set<UInt64> = []
        for (code, _) in signal.labels where !seen.insert(code).inserted || code > highest {
            found(.code(signal.id, raw: code))
        }
        if signal.kind == .number, !signal.labels.isEmpty, !signal.distinguishesRawValues {
            found(.labels(signal.id))
        }
        for none in signal.notAvailable where none.last > highest {
            found(.code(signal.id, raw: none.last))
        }
    }

    private func checkFormula(
        _ formula: Signal.Formula, of signal: Signal, _ found: (TableFinding.Kind) -> Void
    ) {
        let highest: UInt64 =
            signal.bitLength >= 64 ? .max : (1 << UInt64(signal.bitLength)) - 1
        let places = formula.points.map { $0.raw }
        let ascends = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
        if !places.isEmpty, places.count < 2 || !ascends || places.contains(where: { $0 > highest })
        {
            found(.points(signal.id))
        }
        let pieces = formula.pieces.map(\.values).sorted { $0.lowerBound < $1.lowerBound }
        let overlap = zip(pieces, pieces.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
        if overlap || pieces.contains(where: { $0.upperBound > highest }) {
            found(.pieces(signal.id))
        }
        // A piece without a factor is a constant; if it has no offset either, it is a mistake.
        let isSlip = formula.pieces.contains {
            $0.multiplier == 0 && $0.offset == 0 && $0.values.count > 1
        }
        if isSlip && !formula.isList { found(.noFactor(signal.id)) }
        if let operand = formula.operand {
            let other = record.signals[Int(operand.signal.rawValue)]
            if other.kind != .number || other.formula?.operand != nil {
                found(.operand(other.id, of: signal.id))
            }
        }
    }

    /// Compares the smallest and the largest raw value with the stated range.
    private func checkRange(
        _ range: TableRecord.StatedRange, _ found: (TableFinding.Kind) -> Void
    ) {
        let signal = record.signals[range.signal]
        guard let computed = signal.valueRange else {
            found(
                .range(
                    signal.id, said: "\(range.low.text) to \(range.high.text)",
                    computed: "nothing known"))
            return
        }
        if !range.low.agrees(with: .number(computed.lowerBound), raw: nil)
            || !range.high.agrees(with: .number(computed.upperBound), raw: nil)
        {
            found(
                .range(
                    signal.id, said: "\(range.low.text) to \(range.high.text)",
                    computed: "\(computed.lowerBound) to \(computed.upperBound)"))
        }
    }

    // MARK: Evidence

    /// Checks the evidence; support flags and maps are proven by the signals to which they refer.
    private func checkEvidence(_ index: Int, _ found: (TableFinding.Kind) -> Void) {
        let signal = record.signals[index]
        let place = SignalIndex(rawValue: Int32(truncatingIfNeeded: index))
        let isProof = record.signals.contains { $0.supportFlag == place }
        guard !isProof, signal.kind != .supportMap, !record.unverified.contains(index) else {
            return
        }
        let shown = record.examples.flatMap { example in
            example.values.filter { $0.signal == index }.map { (example.data, $0.value) }
        }
        let hasValue = shown.contains { _, value in
            switch value {
            case .number, .flag, .raw, .text: true
            case .missing, .absent: false
            }
        }
        guard hasValue else {
            found(.noExample(signal.id))
            return
        }
        if signal.isSigned && signal.kind == .number {
            let sign: UInt64 = 1 << UInt64(signal.bitLength - 1)
            let raws = Set(shown.compactMap { signal.raw(in: $0.0) })
            if !raws.contains(sign) || !raws.contains(sign - 1) { found(.noExtreme(signal.id)) }
        }
    }

    private func checkExample(_ example: TableExample, _ found: (TableFinding.Kind) -> Void) {
        let isShort = example.values.contains { $0.value == .missing(.tooShort) }
        if !isShort, !record.length.contains(example.data.count) {
            found(.exampleLength(example.data.count, wanted: record.length))
            return
        }
        for (index, value) in example.values {
            let signal = record.signals[index]
            let place = SignalIndex(rawValue: Int32(truncatingIfNeeded: index))
            var decoded = table.value(of: place, in: example.data)
            if case .missing(.tooShort, _)? = decoded, !isShort {
                decoded = signal.shortText(in: example.data) ?? decoded
            }
            let raw = signal.raw(in: example.data)
            if !value.agrees(with: decoded, raw: raw) {
                found(.example(signal.id, said: value.text, decoded: TableExample.text(decoded)))
            } else if case .number(_, let decimals) = value,
                signal.formula == nil,
                signal.step < TableExample.Value.unit(decimals: decimals) * 0.999,
                !value.isExactly(decoded)
            {
                found(.coarse(signal.id, said: value.text))
            }
        }
    }
}
