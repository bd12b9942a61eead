import CSystem
import Formats
import Glibc
import OBDCore
import SystemIO

/// A question that a person has to answer on the terminal.
struct Confirmation {
    /// The word that means yes; Enter alone never does.
    var word: String

    /// Whether there is a person to ask.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks on stderr and reads a line; false = anything but the word.
    ///
    /// - Throws: ``Interrupted`` if `interrupt` becomes readable before the answer.
    func ask(_ question: String, interruptedBy interrupt: Int32) throws(Interrupted) -> Bool {
        writeToStandardError("\(printable(question)) Type \(word) to continue: ")
        guard let line = try LineReader.next(STDIN_FILENO, interruptedBy: interrupt) else {
            writeToStandardError("\n")
            return false
        }
        return line == word
    }

    /// Asks before something that has no session; throws a ``Failure`` without the word.
    ///
    /// `what` is the message that the command did nothing; Ctrl-C ends the process with it.
    func require(_ question: String, otherwise what: String) throws {
        let inbox = try SignalInbox.ofProcess()
        defer { SignalInbox.letEndingsThrough() }
        do throws(Interrupted) {
            if try ask(question, interruptedBy: inbox.descriptor) { return }
        } catch {
            writeToStandardError("\n\(what)\n")
            try inbox.end()
        }
        throw Failure(notConfirmedBy: word, what)
    }
}

extension Failure {
    /// The user typed something other than `word`; `what` is the message that the command did nothing.
    init(notConfirmedBy word: String, _ what: String) {
        self.init(
            "not confirmed: \(what)",
            hint: "only the whole word \(word) confirms; --yes does not ask",
            status: .declined)
    }
}

/// A signal arrived while the program waited for input.
struct Interrupted: Explained {
    var explanation: Explanation { .ended }
}

/// Reads lines byte by byte, so that the bytes after the line remain for the next reader.
enum LineReader {
    /// The rest of a longer line is ignored; unit: bytes.
    private static let longestLine = 64 * 1024

    /// The next line without its end, LF or CR LF; nil at the end of input, or if the line did not end
    /// before `deadline`.
    ///
    /// A CR elsewhere is kept, because two commands would become one without it.
    static func next(
        _ descriptor: Int32, interruptedBy interrupt: Int32, until deadline: Instant? = nil
    ) throws(Interrupted) -> String? {
        var line: [UInt8] = []
        while true {
            var waiting = WaitList()
            let input = waiting.add(descriptor)
            let ending = waiting.add(interrupt)
            waiting.add(deadline: deadline)
            waiting.wait()
            if waiting.isReady(ending) { throw Interrupted() }
            if deadline != nil, !waiting.isReady(input) { return nil }
            var byte: UInt8 = 0
            let count = sys_read(descriptor, &byte, 1)
            if count <= 0, line.isEmpty { return nil }
            if count <= 0 || byte == 0x0A { break }
            if line.count < longestLine { line.append(byte) }
        }
        if line.last == 0x0D { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
