/// A file that cannot be used as it was meant to be.
public enum FileError: Error, Hashable, Sendable {
    /// It cannot be opened or read.
    case unreadable(_ path: String, errno: Int32)
    /// It cannot be made or written.
    case unwritable(_ path: String, errno: Int32)
    /// It is read from, and shall be written to.
    case isSource(_ path: String)
    /// It was written to while it was read.
    case changed(_ path: String)
}
