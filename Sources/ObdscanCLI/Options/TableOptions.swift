import ArgumentParser
import Diagnostics
import Glibc
import PIDTables

/// Which PID tables count.
struct TableOptions: ParsableArguments {
    @Option(
        name: .customLong("pids"),
        help: ArgumentHelp(
            "Add PID tables from a file or folder; may be repeated.",
            discussion: "Tables in $XDG_DATA_HOME/obdscan/pids are always added.",
            valueName: "path"),
        completion: .file())
    var paths: [String] = []

    /// The files that the options name, and the user's own before them, in the order of loading.
    func files(adding extra: [String] = []) throws(Failure) -> [TableFile] {
        var files: [TableFile] = []
        if let home = dataFolder(), access(home + "/pids", F_OK) == 0 {
            files += try TableFile.all(at: home + "/pids")
        }
        for path in paths + extra { files += try TableFile.all(at: path) }
        return files
    }
}

/// The embedded PID table with the user's tables over it.
func loadTable(
    _ options: TableOptions, adding extra: [String] = []
) throws(Failure) -> PIDTable {
    let files = try options.files(adding: extra)
    do {
        return try PIDTables.load(files)
    } catch {
        throw Failure(error)
    }
}

extension TableFile {
    /// Files that a folder may hold; more are a mistake.
    private static let mostFiles = 10_000

    /// The table at `path`, or every `.pids` file of the folder there, by name.
    static func all(at path: String) throws(Failure) -> [TableFile] {
        guard let folder = opendir(path) else {
            return [TableFile(path: path, contents: try ObdscanCLI.contents(of: path))]
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder), names.count < mostFiles {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".pids") { names.append(name) }
        }
        var files: [TableFile] = []
        for name in names.sorted() {
            files.append(
                TableFile(
                    path: path + "/" + name,
                    contents: try ObdscanCLI.contents(of: path + "/" + name)))
        }
        return files
    }
}

/// `$XDG_DATA_HOME/obdscan`; nil without a home directory.
func dataFolder() -> String? {
    if let folder = environment("XDG_DATA_HOME"), folder.hasPrefix("/") {
        return folder + "/obdscan"
    }
    return environment("HOME").map { $0 + "/.local/share/obdscan" }
}

/// All bytes of a file that a user named.
func contents(of path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(inputFile: path, errno: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            bytes.append(contentsOf: buffer[..<count])
        } else if count == 0 {
            return bytes
        } else if errno != EINTR {
            throw Failure(inputFile: path, errno: errno)
        }
    }
}
