import Glibc
import SystemIO

/// The adapters that have answered this machine, in a file beside the user's tables.
///
/// A database may come from another machine, or have trips of another machine. An address in it may lead
/// anywhere from here.
package struct UsedAdapters {
    private let path: String?

    /// The list in a folder; nil for a machine that keeps none.
    package init(in folder: String? = dataFolder()) { path = folder.map { $0 + "/adapters" } }

    /// The keys, as ``AdapterMemories/key``.
    private var keys: [Substring] {
        path.flatMap { Files.text($0, limit: 1_048_576) }?.split(separator: "\n") ?? []
    }

    /// Whether this machine has used the adapter with this key.
    package func contains(_ key: String) -> Bool { keys.contains(key[...]) }

    /// Notes an adapter that has answered; nothing where the file cannot be written.
    package func note(_ key: String) {
        guard let path, !key.utf8.contains(where: { $0 < 0x20 }), !contains(key) else { return }
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        try? writeAll(Array((key + "\n").utf8), to: descriptor)
    }
}
