/// Why text could not be written.
public enum OutputError: Error, Hashable, Sendable {
    /// The reader of a pipe closed it.
    case readerGone
    /// Any other error of write(2).
    case failed(errno: Int32)
}
