import Glibc

/// A file that is read from the beginning several times, in pieces.
///
/// A file that does not allow that (a pipe) is kept in memory.
public final class InputFile {
    /// The path as the user wrote it.
    public let path: String
    private let descriptor: Int32
    /// The whole content, if the file can only be read once.
    private let whole: [UInt8]?
    private let seen: stat
    private static let pieceSize = 256 * 1024

    /// Opens the file.
    public init(path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unreadable(path, errno: errno)
        }
        seen = status
        let kind = status.st_mode & S_IFMT
        var isOfSystem = false
        let isOpenAlready = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"].contains {
            path.hasPrefix($0)
        }
        if kind == S_IFCHR || kind == S_IFBLK, !isOpenAlready {
            close(descriptor)
            throw .isDevice(path)
        }
        if let real = realpath(path, nil) {
            defer { free(real) }
            let place = String(cString: real)
            isOfSystem = ["/proc/", "/sys/"].contains { place.hasPrefix($0) }
        }
        if kind == S_IFREG, isOfSystem {
            close(descriptor)
            throw .isOfSystem(path)
        }
        do throws(SystemError) {
            whole = status.st_mode & S_IFMT == S_IFREG ? nil : try Files.bytes(of: descriptor)
        } catch {
            throw .unreadable(path, errno: error.errno)
        }
    }

    /// The content of the file at `path`, read by other means.
    public init(path: String, contents: [UInt8]) {
        self.path = path
        descriptor = -1
        whole = contents
        seen = stat()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The beginning of the file: at least the first line, or more bytes than any line has.
    public func beginning() throws(FileError) -> [UInt8] {
        if let whole { return whole }
        var start: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        while !start.contains(0x0A), start.count < 1 << 20 {
            let count = try read(&buffer, at: start.count)
            if count == 0 { break }
            start += buffer[..<count]
        }
        return start
    }

    /// Calls `body` with the whole file, piece by piece.
    public func forEachPiece(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        if let whole { return try body(whole[...]) }
        var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
        var place = 0
        while true {
            let count = try read(&buffer, at: place)
            if count == 0 { return }
            try body(buffer[..<count])
            place += count
        }
    }

    private func read(_ buffer: inout [UInt8], at place: Int) throws(FileError) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(place))
            }
            if count >= 0 { return count }
            if errno != EINTR { throw .unreadable(path, errno: errno) }
        }
    }

    /// Whether the file was not written to since it was opened.
    public var isUnchanged: Bool {
        var status = stat()
        return whole != nil
            || fstat(descriptor, &status) == 0 && status.st_size == seen.st_size
                && status.st_mtim.tv_sec == seen.st_mtim.tv_sec
                && status.st_mtim.tv_nsec == seen.st_mtim.tv_nsec
    }
}
