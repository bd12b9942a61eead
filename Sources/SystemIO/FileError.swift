/// A file that cannot be used as intended.
public enum FileError: Error, Hashable, Sendable {
    /// It cannot be opened or read.
    case unreadable(_ path: String, errno: Int32)
    /// It cannot be created or written.
    case unwritable(_ path: String, errno: Int32)
    /// It is both an input and an output.
    case isSource(_ path: String)
    /// It was changed while it was being read.
    case changed(_ path: String)
}
