/// An included table for one make or model, which is only used on request.
public struct TablePack: Sendable {
    /// The folder of packs among the embedded files.
    static let folder = "packs/"

    /// The name of the pack at a path below `pids/`; nil if it is not a pack.
    static func name(at path: String) -> String? {
        let ending = ".pids"
        guard path.hasPrefix(folder), path.hasSuffix(ending) else { return nil }
        return String(path.dropFirst(folder.count).dropLast(ending.count))
    }

    /// The name for requesting it: `nissan-leaf`.
    public var name: String
    /// The vehicles for which it is valid.
    public var title: String
    /// Its text.
    public var file: TableFile
}

extension PIDTables {
    /// The names of all packs, ascending, without reading their text.
    public static var packNames: [String] {
        EmbeddedFiles.all.compactMap { TablePack.name(at: $0.path.description) }
    }

    /// The packs, ordered by name.
    public static func packs() -> [TablePack] {
        EmbeddedFiles.all.compactMap { embedded in
            let path = embedded.path.description
            guard let name = TablePack.name(at: path) else { return nil }
            let file = TableFile(
                path: "pids/" + path,
                embedded: embedded.contents.withUTF8Buffer { [UInt8]($0) })
            return TablePack(name: name, title: TableReader.title(of: file) ?? name, file: file)
        }
    }

    /// The records of a pack.
    public static func records(of pack: TablePack) throws(TableError) -> [TableRecord] {
        try TableReader.records(of: pack.file, detail: .everything)
    }
}
