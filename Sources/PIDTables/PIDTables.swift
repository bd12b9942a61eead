public import Diagnostics
public import OBDCore

/// The embedded tables, and users' own tables, which take precedence.
public enum PIDTables {
    /// The identifier of the adapter's own voltage in a table, which no vehicle uses.
    public static let adapterVoltageID = DataID(Service(0x00), 0)

    /// The embedded table.
    public static func standard() throws(TableError) -> PIDTable {
        try load([])
    }

    /// The embedded table with users' files; a later record replaces an earlier one with the same identifier.
    public static func load(_ userFiles: [TableFile]) throws(TableError) -> PIDTable {
        var table = PIDTable()
        table.add(
            adapterVoltageID, name: Signal.adapterVoltage.name, length: 0...0,
            signals: [.adapterVoltage])
        for file in embeddedFiles() + userFiles {
            for record in try TableReader.records(of: file, detail: .decoding) {
                table.add(record)
            }
        }
        return table
    }

    /// The records of the embedded table and of users' files with all their details, in the order of the
    /// files.
    public static func records(_ userFiles: [TableFile] = []) throws(TableError) -> [TableRecord] {
        var records: [TableRecord] = []
        for file in embeddedFiles() + userFiles {
            records += try TableReader.records(of: file, detail: .everything)
        }
        return records
    }

    /// The files of the embedded table.
    static func embeddedFiles() -> [TableFile] {
        embeddedTexts().map { path, contents in
            TableFile(path: path, embedded: contents.withUTF8Buffer { [UInt8]($0) })
        }
    }

    /// The paths and texts of the embedded table, without copies.
    static func embeddedTexts() -> [(path: String, contents: StaticString)] {
        EmbeddedFiles.all.compactMap { file in
            let path = file.path.description
            guard path.hasSuffix(".pids"), !path.hasPrefix(TablePack.folder) else { return nil }
            return ("pids/" + path, file.contents)
        }
    }
}

extension PIDTable {
    /// Adds a record.
    public mutating func add(_ record: TableRecord) {
        add(
            record.dataID, name: record.name, length: record.length, signals: record.signals,
            target: record.target, responder: record.responder, vehicles: record.vehicles,
            years: record.years)
    }

    /// The signal of `AT RV`: the voltage at the adapter's own pins.
    public var adapterVoltage: SignalIndex? {
        record(PIDTables.adapterVoltageID).map { SignalIndex(rawValue: $0.signals.lowerBound) }
    }
}
