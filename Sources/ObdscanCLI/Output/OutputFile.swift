import Glibc

/// A file that appears whole or not at all.
enum OutputFile {
    /// Writes what `body` writes to `path`, to standard output without one or for `-`.
    ///
    /// A file is written beside its place and moved there when it is complete; devices and pipes
    /// are written directly.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        guard let path, path != "-" else {
            var writer = TextOutput.standard
            try body(&writer)
            try writer.flush()
            return
        }
        var status = stat()
        let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        let place = isSpecial ? path : path + ".partial"
        let flags = O_WRONLY | O_CLOEXEC | (isSpecial ? 0 : O_CREAT | O_TRUNC)
        let descriptor = open(place, flags, 0o644)
        guard descriptor >= 0 else { throw Failure(outputFile: path, errno: errno) }
        do {
            var writer = TextOutput(descriptor: descriptor)
            try body(&writer)
            try writer.flush()
        } catch {
            close(descriptor)
            if !isSpecial { unlink(place) }
            if case OutputError.failed(let number) = error {
                throw Failure(outputFile: path, errno: number)
            }
            throw error
        }
        let isWritten = close(descriptor) == 0 && (isSpecial || rename(place, path) == 0)
        guard isWritten else {
            let number = errno
            if !isSpecial { unlink(place) }
            throw Failure(outputFile: path, errno: number)
        }
    }
}
