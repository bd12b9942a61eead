import Glibc
import SystemIO

/// A file whose space lets `publish` start on a full disk, because an open database needs some itself.
///
/// Only a server that gets the trips makes it possible to delete them, so publishing has to begin first.
struct SpaceReserve {
    private static let size = 1 << 20
    /// The disk has so much space when the reserve is made; unit: bytes.
    private static let plenty: Int64 = 16 << 20

    let path: String

    /// The reserve beside a trip database: `obdscan.db` has `obdscan.publish.reserve`.
    init(beside database: String) {
        path =
            (database.hasSuffix(".db") ? String(database.dropLast(3)) : database)
            + ".publish.reserve"
    }

    /// Gives the space to the databases if the disk has nearly none.
    func release() {
        if let free = Files.freeSpace(at: path), free < Int64(Self.size) { unlink(path) }
    }

    /// Reserves the space if the disk has plenty.
    func renew() {
        guard !Files.exists(path), let free = Files.freeSpace(at: WorkFolder.folder(of: path)),
            free >= Self.plenty
        else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some file systems cannot reserve; a file without space is of no use.
        if posix_fallocate(descriptor, 0, off_t(Self.size)) != 0 { unlink(path) }
    }
}
