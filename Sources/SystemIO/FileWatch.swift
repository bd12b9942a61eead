import CSystem
import Glibc

/// Tells when a file is written to (inotify(7)).
public final class FileWatch: Sendable {
    /// Readable when the file was written to; -1 where the kernel has no watches left.
    public let descriptor: Int32
    private let path: String

    /// Watches the file at `path`, which need not be there yet.
    public init(_ path: String) {
        self.path = path
        descriptor = sys_inotify()
        renew()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches the file that has the name now: one that came later, or another one.
    public func renew() { if descriptor >= 0 { _ = sys_inotify_watch_writes(descriptor, path) } }

    /// Takes what was told.
    public func take() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while descriptor >= 0, read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
