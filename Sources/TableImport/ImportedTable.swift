import Diagnostics
import OBDCore

/// Several sources merged into one table of ours.
package struct ImportedTable: Sendable {
    /// A source in the head of the table.
    package struct Origin: Sendable {
        package var file: String
        package var format: TableFormat
        /// SHA-256 of the file's content.
        package var digest: String
        /// The day of the file's last change; nil = unknown.
        package var date: String?

        package init(file: String, format: TableFormat, digest: String, date: String?) {
            self.file = Text.line(file)
            self.format = format
            self.digest = digest
            self.date = date
        }
    }

    package let origins: [Origin]
    /// The records, sorted by request.
    package private(set) var records: [ImportedRecord] = []
    /// Rows that are left out, and warnings.
    package private(set) var findings: [ImportFinding] = []
    /// The number of rows in all sources.
    package let rowCount: Int
    /// The number of rows in the table; a row from several sources counts once.
    package private(set) var takenCount = 0
    /// The results of comparing recorded answers.
    package private(set) var recorded = RecordedCounts()

    /// Merges sources: rows of the same request form one record, and ids become unique.
    package init(_ sources: [ImportedSource], from origins: [Origin]) {
        self.origins = origins
        rowCount = sources.reduce(0) { $0 + $1.rowCount }
        var places: [ImportedRecord.Key: Int] = [:]
        for source in sources {
            findings += source.findings
            recorded.agree += source.recorded.agree
            recorded.differ += source.recorded.differ
            recorded.clamped += source.recorded.clamped
            recorded.unusable += source.recorded.unusable
            for record in source.records {
                if let place = places[record.key] {
                    merge(record, into: place)
                } else {
                    places[record.key] = records.count
                    records.append(record)
                }
            }
        }
        let formats = Dictionary(
            sources.map { ($0.file, $0.format) }, uniquingKeysWith: { first, _ in first })
        knownIDs = [:]
        for place in records.indices {
            records[place].confirm(formats)
            records[place].dropRepeated()
        }
        settleAddresses()
        settleResponders()
        records.sort(by: Self.isBefore)
        nameRows()
        for place in records.indices {
            takenCount += records[place].rows.count + records[place].repeatedRows
        }
        let order = Dictionary(
            origins.enumerated().map { ($1.file, $0) }, uniquingKeysWith: { first, _ in first })
        findings.sort {
            (order[$0.file] ?? 0, $0.line, $0.name) < (order[$1.file] ?? 0, $1.line, $1.name)
        }
    }

    /// Adds the rows of one record to another one with the same request.
    private mutating func merge(_ record: ImportedRecord, into place: Int) {
        // Two sources of the same message have their own signals, and multiplexers with the same names.
        guard records[place].isJoinable(with: record), !record.dataID.isHeard else {
            let other = records[place].rows.first
            let fault = RowFault.otherLayout(
                file: other?.file ?? "", line: other?.line ?? records[place].line)
            for row in record.rows {
                findings.append(
                    ImportFinding(
                        file: row.file, line: row.line, name: row.signal.name,
                        outcome: .leftOut(fault)))
            }
            return
        }
        // Examples refer to rows by the ids of their source, and two sources may use the same id.
        var record = record
        let known = knownIDs[place] ?? Set(records[place].rows.map(\.signal.id))
        knownIDs[place] = nil
        var repeated: Set<String> = []
        for index in record.rows.indices where known.contains(record.rows[index].signal.id) {
            repeated.insert(record.rows[index].signal.id)
            record.rows[index].isProven = false
        }
        record.drop(examplesOf: repeated)
        knownIDs[place] = known.union(record.rows.map(\.signal.id))
        records[place].rows += record.rows
        records[place].examples += record.examples
        records[place].repeatedRows += record.repeatedRows
        records[place].add(record.notes)
    }

    /// The rows' ids by record while records are merged.
    private var knownIDs: [Int: Set<String>] = [:]

    private static func isBefore(_ left: ImportedRecord, _ right: ImportedRecord) -> Bool {
        if left.dataID != right.dataID { return left.dataID < right.dataID }
        func key(_ address: ECUAddress?) -> (Int, UInt32, UInt8) {
            guard let address else { return (-1, 0, 0) }
            return (Int(address.form.rawValue), address.value, address.extended ?? 0)
        }
        if left.responder != right.responder { return key(left.responder) < key(right.responder) }
        return key(left.target) < key(right.target)
    }

    // MARK: Addresses

    /// Removes request addresses that could belong to something else; answers can still be decoded.
    private mutating func settleAddresses() {
        for place in records.indices {
            guard let target = records[place].target else { continue }
            guard !target.takes(records[place].dataID.requestPayload) else { continue }
            records[place].target = nil
            let text =
                "\(target) is not an address that only carries diagnostics; obdscan does not ask there"
            records[place].notes.append("the source asks at \(target)")
            for row in records[place].rows { warn(row, text) }
        }
        // Requests would go to all ECUs, but flow control to the address that belongs to the answer.
        for record in records where record.hasUnaskableReply {
            for row in record.rows {
                findings.append(
                    ImportFinding(
                        file: row.file, line: row.line, name: row.signal.name,
                        outcome: .leftOut(.unaskable(record.responder))))
            }
        }
        records.removeAll(where: \.hasUnaskableReply)
    }

    /// Distinguishes records with the same identifier by the ECU that answers.
    private mutating func settleResponders() {
        var groups: [DataID: [Int]] = [:]
        for (place, record) in records.enumerated() {
            groups[record.dataID, default: []].append(place)
        }
        var dropped: Set<Int> = []
        for group in groups.values where group.count > 1 {
            for place in group where records[place].responder == nil {
                records[place].responder = records[place].target?.usualResponder
            }
            var first: [ECUAddress?: Int] = [:]
            for place in group {
                guard let earlier = first[records[place].responder] else {
                    first[records[place].responder] = place
                    continue
                }
                // Two ways to ask the same ECU are the same record.
                if records[earlier].target == nil {
                    records[earlier].target = records[place].target
                }
                merge(records[place], into: earlier)
                dropped.insert(place)
            }
            for earlier in first.values { records[earlier].dropRepeated() }
        }
        knownIDs = [:]
        records = records.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    }

    private mutating func warn(_ row: ImportedRow, _ reason: String) {
        findings.append(
            ImportFinding(
                file: row.file, line: row.line, name: row.signal.name, outcome: .warned(reason)))
    }

    // MARK: Names

    /// A name in the form for comparisons by commands.
    private static func nameKey(_ text: String) -> String {
        text.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private mutating func nameRows() {
        var taken: Set<String> = []
        var roles: Set<SignalRole> = []
        var numbers: [String: Int] = [:]
        for place in records.indices {
            records[place].sortRows()
            var names: [String: String] = [:]
            for index in records[place].rows.indices {
                let old = records[place].rows[index].signal.id
                // A CAN database may have names that differ only by case or by `_`.
                let isHeard = records[place].dataID.isHeard
                var base = isHeard ? old : Text.identifier(old)
                if base.isEmpty { base = "S" + records[place].dataID.idText }
                var id = base
                var number = numbers[base] ?? 2
                while !taken.insert(isHeard ? id : Self.nameKey(id)).inserted {
                    id = "\(base)_\(number)"
                    number += 1
                }
                numbers[base] = number
                records[place].rows[index].signal.id = id
                // With two rows of the old name, examples refer to the first.
                if names[old] == nil { names[old] = id }
            }
            records[place].rename(names)
        }
        nameHeard(&taken)
        // Give each measured quantity its name once, unless it is another signal's id.
        for place in records.indices {
            for index in records[place].rows.indices {
                guard let role = records[place].rows[index].role,
                    !taken.contains(Self.nameKey(role.rawValue)), roles.insert(role).inserted
                else { continue }
                records[place].rows[index].signal.aliases = [role.rawValue]
            }
        }
    }
}

extension ImportedTable {
    /// Gives signals of messages the name without their message, where it is the only one of that name.
    private mutating func nameHeard(_ taken: inout Set<String>) {
        var counts: [String: Int] = [:]
        func short(_ row: ImportedRow) -> String {
            String(row.signal.id.split(separator: ".").last ?? "").lowercased()
        }
        for record in records where record.dataID.isHeard {
            for row in record.rows { counts[short(row), default: 0] += 1 }
        }
        for place in records.indices where records[place].dataID.isHeard {
            for index in records[place].rows.indices {
                let name = short(records[place].rows[index])
                guard counts[name] == 1, taken.insert(Self.nameKey(name)).inserted else { continue }
                records[place].rows[index].signal.aliases = [name]
            }
        }
    }
}

extension ImportedRecord {
    private struct Place: Hashable {
        var bit: Int
        var name: String
    }

    private struct Measure: Hashable {
        var offset, length: Int
        var isSigned, isLittle: Bool
        var factor, constant: Double
    }

    /// Counts rows as proven that programs of two kinds read alike: their lists have other authors.
    mutating func confirm(_ formats: [String: TableFormat]) {
        var sources: [Measure: Set<TableFormat>] = [:]
        var measures: [Measure?] = []
        for row in rows {
            let signal = row.signal
            guard signal.kind == .number, signal.formula == nil, let format = formats[row.file]
            else {
                measures.append(nil)
                continue
            }
            let measure = Measure(
                offset: signal.bitOffset, length: signal.bitLength, isSigned: signal.isSigned,
                isLittle: signal.isLittleEndian, factor: signal.multiplier / signal.divisor,
                constant: signal.offset)
            measures.append(measure)
            sources[measure, default: []].insert(format)
        }
        for (index, measure) in measures.enumerated() {
            guard let measure, sources[measure]?.count ?? 0 > 1 else { continue }
            rows[index].isProven = true
        }
    }

    /// Keeps one of several equal rows.
    mutating func dropRepeated() {
        // Rows of a message that are alike may have other multiplexers.
        if dataID.isHeard { return }
        var kept: [ImportedRow] = []
        var known: [Place: [Int]] = [:]
        for row in rows {
            let place = Place(bit: row.signal.bitOffset, name: row.signal.name)
            let same = known[place]?.first { kept[$0].isSame(as: row) }
            if same != nil {
                repeatedRows += 1
                continue
            }
            // If many rows differ slightly, compare only with the first few.
            if known[place]?.count ?? 0 < 16 { known[place, default: []].append(kept.count) }
            kept.append(row)
        }
        rows = kept
    }

    /// Sorts by position; big-endian signals come first, as tables require.
    mutating func sortRows() {
        rows = rows.enumerated().sorted { left, right in
            let (first, second) = (left.element.signal, right.element.signal)
            if first.isLittleEndian != second.isLittleEndian { return !first.isLittleEndian }
            if first.bitOffset != second.bitOffset { return first.bitOffset < second.bitOffset }
            if first.bitLength != second.bitLength { return first.bitLength > second.bitLength }
            return left.offset < right.offset
        }.map(\.element)
    }

    /// Renames rows in examples and conditions.
    mutating func rename(_ names: [String: String]) {
        for index in rows.indices {
            if let id = rows[index].condition?.id { rows[index].condition?.id = names[id] ?? id }
        }
        for example in examples.indices {
            for value in examples[example].values.indices {
                let old = examples[example].values[value].id
                examples[example].values[value].id = names[old] ?? old
            }
        }
    }

    /// Removes the values of rows from the examples.
    mutating func drop(examplesOf ids: Set<String>) {
        guard !ids.isEmpty else { return }
        for example in examples.indices {
            examples[example].values.removeAll { ids.contains($0.id) }
        }
        examples.removeAll { $0.values.isEmpty }
    }
}
