/// A recorded session: every chunk of bytes with its time and direction.
///
/// The text format, obdscan-transcript(5), represents every byte value exactly:
///
/// ```
/// obdscan-transcript 1
/// # adapter: ELM327 v2.1
/// # vehicle: 2008 Example Car
/// 0.000000 > ATE0\r
/// 0.004812 < ATE0\rOK\r\r>
/// ```
/// The magic line with the version of the format comes first, then the headers, then the chunks. A chunk has
/// the seconds since the start, `>` to the adapter or `<` from it, one blank, and the bytes. `\r`, `\n`, `\\`
/// and `\xHH` represent bytes that cannot be written directly, and a blank at the end of the line. Empty
/// lines and other lines that begin with `#` are ignored.
public struct Transcript: Hashable, Sendable {
    /// The direction of bytes; the raw value is its written form.
    public enum Direction: String, Hashable, Sendable {
        /// To the adapter.
        case toAdapter = ">"
        /// From the adapter.
        case fromAdapter = "<"
    }

    /// Bytes that were transferred together.
    public struct Chunk: Hashable, Sendable {
        /// The time since the start of the recording; not negative.
        public var time: Duration
        /// The direction.
        public var direction: Direction
        /// The bytes.
        public var bytes: [UInt8]

        /// Creates a chunk.
        public init(time: Duration, direction: Direction, bytes: [UInt8]) {
            self.time = time
            self.direction = direction
            self.bytes = bytes
        }
    }

    /// A fact about the origin of the recording: `# key: value`.
    public struct Header: Hashable, Sendable {
        /// Letters, digits, `-` and blanks.
        public var key: String
        /// One line.
        public var value: String

        /// Creates a header.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The first line of every transcript.
    public static let magic = "obdscan-transcript 1"

    /// The origin of the recording, in the order of the file.
    public var headers: [Header]
    /// All chunks, ordered by time.
    public var chunks: [Chunk]

    /// Creates a recording.
    public init(headers: [Header] = [], chunks: [Chunk] = []) {
        self.headers = headers
        self.chunks = chunks
    }

    /// Whether the first bytes of a file mark it as a transcript of any version.
    public static func isTranscript(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: "obdscan-transcript ".utf8)
    }
}

/// The fault in a transcript and its line.
public struct TranscriptError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// The first line is not the magic line.
        case notATranscript
        /// A version that this program does not know.
        case unknownVersion(String)
        /// A line that is neither a header nor a chunk.
        case malformedLine
        /// A time that is not a decimal number of seconds.
        case time(String)
        /// A time before that of the previous chunk.
        case timeRunsBackwards
        /// A direction that is neither `>` nor `<`.
        case direction(String)
        /// A backslash that does not begin a known escape.
        case escape(String)
        /// A byte that has to be escaped.
        case unescapedByte(UInt8)
    }

    /// The fault.
    public var fault: Fault
    /// The line, from 1.
    public var line: Int

    /// A fault in a line.
    public init(_ fault: Fault, line: Int) {
        self.fault = fault
        self.line = line
    }

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .notATranscript: "the first line is not \"\(Transcript.magic)\""
        case .unknownVersion(let text): "transcript version \(text) is not known"
        case .malformedLine: "neither a header nor a chunk"
        case .time(let text): "\"\(text)\" is not a time in seconds"
        case .timeRunsBackwards: "earlier than the chunk before"
        case .direction(let text): "\"\(text)\" is neither > nor <"
        case .escape(let text): "unknown escape \(text)"
        case .unescapedByte(let byte):
            "byte \(String(byte, radix: 16, uppercase: true)) has to be escaped"
        }
    }
}
