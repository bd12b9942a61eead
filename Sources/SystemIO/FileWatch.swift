import CSystem
import Glibc

/// Reports when a file is written to (inotify(7)).
public final class FileWatch: Sendable {
    /// Readable when the file was written to; -1 if the kernel has no watches left.
    public let descriptor: Int32
    private let path: String

    /// Watches the file at `path`, which need not exist yet.
    public init(_ path: String) {
        self.path = path
        descriptor = sys_inotify()
        renew()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches the file that now has the name, after it was created or replaced.
    public func renew() { if descriptor >= 0 { _ = sys_inotify_watch_writes(descriptor, path) } }

    /// Discards the pending events.
    public func take() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while descriptor >= 0, read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
