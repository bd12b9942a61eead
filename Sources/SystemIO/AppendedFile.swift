import Glibc

/// A file to which a program only appends.
public final class AppendedFile: Sendable {
    /// The descriptor of the file.
    public let descriptor: Int32
    /// The beginning of the file, 1 kB at most; nil if the file is empty.
    public let beginning: [UInt8]?

    /// Opens a file, or creates it; its content stays.
    public init(_ path: String) throws(SystemError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o666)
        guard descriptor >= 0 else {
            beginning = nil
            throw SystemError.last("open")
        }
        guard lseek(descriptor, 0, SEEK_END) > 0 else {
            beginning = nil
            return
        }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        beginning = Array(buffer.prefix(max(0, count)))
    }

    deinit { close(descriptor) }
}
