import CSystem
import Glibc

/// Keeps programs apart that read a file, change it and replace it: each waits for the one before.
///
/// The lock is on another file in the same folder, because the lock on a replaced file would be lost. The
/// lock ends with the process.
public final class FileLock {
    private let descriptor: Int32

    /// Waits for the lock of the file at `path`, whose folder must exist.
    public init(beside path: String) throws(SystemError) {
        descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open") }
        guard sys_wait_for_lock(descriptor) == 0 else { throw SystemError.last("flock") }
    }

    deinit { close(descriptor) }
}
