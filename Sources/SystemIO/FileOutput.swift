import CSystem
import Glibc

/// Writes whole byte arrays to a descriptor that the caller owns.
public struct FileOutput: Sendable {
    private let descriptor: Int32

    /// Writes to `descriptor`.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes all of `bytes`; blocks until the kernel has accepted them.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                sys_write(descriptor, all.baseAddress?.advanced(by: done), all.count - done)
            }
            if count < 0 { throw SystemError.last("write") }
            done += count
        }
    }
}
