import CSystem
import Glibc

/// Keeps programs apart that read a file, change it and replace it: each waits for the one before.
///
/// The lock is on another file in the same folder, because the lock on a replaced file would be lost. The
/// lock ends with the process. Its file is removed with it, unless the process is killed.
public final class FileLock {
    private let descriptor: Int32
    private let path: String

    /// Waits for the lock of the file at `path`, whose folder must exist.
    public init(beside path: String) throws(SystemError) {
        self.path = path + ".lock"
        while true {
            let descriptor = open(self.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw SystemError.last("open") }
            guard sys_wait_for_lock(descriptor) == 0 else {
                let error = SystemError.last("flock")
                close(descriptor)
                throw error
            }
            // The program that had the lock has removed the file, so that the lock on that file protects nothing.
            var (own, named) = (stat(), stat())
            if fstat(descriptor, &own) == 0, stat(self.path, &named) == 0,
                own.st_ino == named.st_ino, own.st_dev == named.st_dev
            {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }
}
