/// A table of one make or model that comes with the program and counts only when it is asked for.
public struct TablePack: Sendable {
    /// Where packs stand among the embedded files.
    static let folder = "packs/"

    /// The name to ask for it by: `nissan-leaf`.
    public var name: String
    /// Which vehicles it is of.
    public var title: String
    /// Its text.
    public var file: TableFile
}

extension PIDTables {
    /// The packs, by name.
    public static func packs() -> [TablePack] {
        EmbeddedFiles.all.compactMap { embedded in
            let path = embedded.path.description
            guard path.hasPrefix(TablePack.folder), path.hasSuffix(".pids") else { return nil }
            let file = TableFile(path: "pids/" + path, embedded: embedded.contents)
            let name = String(path.dropFirst(TablePack.folder.count).dropLast(".pids".count))
            return TablePack(name: name, title: TableReader.title(of: file) ?? name, file: file)
        }
    }

    /// The records of a pack.
    public static func records(of pack: TablePack) throws(TableError) -> [TableRecord] {
        try TableReader.records(of: pack.file, detail: .everything)
    }
}
