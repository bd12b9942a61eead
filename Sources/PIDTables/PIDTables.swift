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

    /// The embedded table with users' own files over it; a later record replaces an earlier one of
    /// the same identifier.
    ///
    /// - Parameter packs: the tables that the vehicle may choose; users' own records replace theirs.
    public static func load(
        _ userFiles: [TableFile], automatic packs: [TablePack] = []
    ) throws(TableError) -> PIDTable {
        var table = PIDTable()
        table.add(
            adapterVoltageID, name: Signal.adapterVoltage.name, length: 0...0,
            signals: [.adapterVoltage])
        func add(
            _ files: [TableFile], of pack: String? = nil, isOwn: Bool = false
        ) throws(TableError) {
            for file in files {
                for record in try TableReader.records(of: file, detail: .decoding) {
                    table.add(record, of: pack, isNamed: file.isNamed, isOwn: isOwn)
                }
            }
        }
        try add(embeddedFiles())
        for pack in packs { try add([pack.file], of: pack.name) }
        try add(userFiles, isOwn: true)
        return table
    }

    /// Checks one file of a user; throws its first fault.
    public static func check(_ file: TableFile) throws(TableError) {
        _ = try TableReader.records(of: file, detail: .decoding)
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
    /// Adds a record of a table's text, perhaps of a pack about which the vehicle decides.
    public mutating func add(
        _ record: TableRecord, of pack: String? = nil, isNamed: Bool = false, isOwn: Bool = false
    ) {
        add(
            record.dataID, name: record.name, length: record.length, signals: record.signals,
            target: record.target, responder: record.responder, vehicles: record.vehicles,
            years: record.years, pack: pack, isNamed: isNamed, isOwn: isOwn)
    }

    /// The signal of `AT RV`: the voltage at the adapter's own pins.
    public var adapterVoltage: SignalIndex? {
        record(PIDTables.adapterVoltageID).map { SignalIndex(rawValue: $0.signals.lowerBound) }
    }
}
