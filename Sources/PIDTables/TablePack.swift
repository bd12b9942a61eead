public import OBDCore

/// A table of one make or model that comes with the program.
///
/// A pack counts if the user names it, or if the vehicle is one of the pack's own.
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
    /// The vehicles of the pack.
    public var title: String
    /// The pack's text.
    public var file: TableFile
    /// The vehicles for which the pack is chosen; empty = only when the user names it.
    public var vehicles: [VINPattern] = []
}

extension PIDTables {
    /// The names of all packs, ascending, without reading their text.
    public static var packNames: [String] {
        EmbeddedFiles.all.compactMap { TablePack.name(at: $0.path.description) }
    }

    /// The packs, ordered by name.
    public static func packs() -> [TablePack] {
        let vehicles = packVehicles()
        return EmbeddedFiles.all.compactMap { embedded in
            let path = embedded.path.description
            guard let name = TablePack.name(at: path) else { return nil }
            let file = TableFile(
                path: "pids/" + path,
                embedded: embedded.contents.withUTF8Buffer { [UInt8]($0) })
            return TablePack(
                name: name, title: TableReader.title(of: file) ?? name, file: file,
                vehicles: vehicles[name] ?? [])
        }
    }

    /// The packs that a vehicle's own number can choose.
    public static func automaticPacks() -> [TablePack] { packs().filter { !$0.vehicles.isEmpty } }

    /// Which vehicles a pack is chosen for: lines of its name, a tab, and patterns between blanks.
    private static func packVehicles() -> [String: [VINPattern]] {
        let path = TablePack.folder + "vehicles.tsv"
        let text = EmbeddedFiles.all.first { $0.path.description == path }?.contents.description
        var found: [String: [VINPattern]] = [:]
        for line in (text ?? "").split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t")
            guard cells.count == 2 else { continue }
            found[String(cells[0]), default: []] += cells[1].split(separator: " ").compactMap {
                VINPattern($0)
            }
        }
        return found
    }

    /// The records of a pack.
    public static func records(of pack: TablePack) throws(TableError) -> [TableRecord] {
        try TableReader.records(of: pack.file, detail: .everything)
    }
}
