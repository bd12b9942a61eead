import Adapters
import Glibc
import OBDCore
import SystemIO
import TripImport

enum DecodeSource {
    case standardInput
    case file(String)
    /// Hexadecimal from the command line.
    case text(String)

    var name: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        case .text: "the arguments"
        }
    }

    private static let chunkSize = 64 * 1024
    /// The most that is read of a device that is not a terminal; unit: bytes.
    private static let mostOfDevice = 1 << 20

    /// The sources of the arguments; standard input without any.
    ///
    /// Arguments are files or, if none of them is there, one answer: frames, hexadecimal, or any text that
    /// answers a command of the adapter. The arguments are lines of that answer if they contain blanks or are
    /// longer than any part of a line, else the words of its only line.
    static func all(
        _ arguments: [String], answering request: String?
    ) throws(Failure) -> [DecodeSource] {
        if arguments.isEmpty || arguments == ["-"] { return [.standardInput] }
        // Frames as can-utils writes them: 7E8#04410C1AF8.
        let frames = arguments.map { $0.contains(" ") ? $0 : "can0 \($0)" }
        if arguments.contains(where: { $0 == "-" || access($0, F_OK) == 0 }) {
            // A file that is missing is reported when its turn comes.
            return arguments.map { $0 == "-" ? .standardInput : .file($0) }
        }
        if FrameLogReader.isCandump(frames) { return [.text(frames.joined(separator: "\n"))] }
        let other = arguments.first { argument in
            argument.isEmpty
                || !argument.utf8.allSatisfy { Hex.value($0) != nil || $0 == 0x20 || $0 == 0x3A }
        }
        guard let other else { return [.text(answer(arguments))] }
        if let request, AdapterCommand(request) != nil {
            return [.text(arguments.joined(separator: " "))]
        }
        throw Failure(
            "\(other): \(SystemError.text(of: ENOENT)), and it is not hexadecimal",
            hint: "give files, or an answer such as 7E8 04 41 0C 1A F8", status: .noInput)
    }

    /// The text of an answer from its lines or words in `arguments`.
    private static func answer(_ arguments: [String]) -> String {
        // An identifier has at most eight digits.
        let areLines = arguments.allSatisfy { $0.utf8.count > 8 }
        var text = ""
        var endsLine = true
        for argument in arguments {
            let isLine = areLines || argument.utf8.contains(0x20)
            if !text.isEmpty { text += isLine || endsLine ? "\n" : " " }
            text += argument
            endsLine = isLine
        }
        return text
    }

    /// Passes the bytes of a text on as they arrive.
    ///
    /// - Throws: A ``Failure`` if the source cannot be read or is not text, or the errors of `body`.
    func forEachChunk(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        switch self {
        case .text(let text): try body(Array(text.utf8)[...])
        case .standardInput: try Self.read(STDIN_FILENO, name, body)
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(inputFile: path, errno: errno) }
            defer { close(descriptor) }
            try Self.read(descriptor, path, body)
        }
    }

    private static func read(
        _ descriptor: Int32, _ name: String, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        var buffer = [UInt8](repeating: 0, count: chunkSize)
        // A terminal ends when its user ends it, but a device such as /dev/zero never does.
        var status = stat()
        var rest = Int.max
        var isFirst = true
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
            isatty(descriptor) == 0
        {
            rest = mostOfDevice
        }
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest -= count
                if rest < 0 { throw Failure(inputFile: name, errno: EFBIG) }
                if isFirst, let failure = BinaryFile.failure(of: name, Array(buffer[..<count])) {
                    throw failure
                }
                isFirst = false
                try body(buffer[..<count])
            } else if count == 0 {
                return
            } else if errno != EINTR {
                throw Failure(inputFile: name, errno: errno)
            }
        }
    }
}
