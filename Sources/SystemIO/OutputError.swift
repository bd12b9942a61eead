/// Why text could not be written.
public enum OutputError: Error, Hashable, Sendable {
    /// The reader of a pipe closed its end.
    case readerGone
    /// Any other fault of write(2).
    case failed(errno: Int32)
}
