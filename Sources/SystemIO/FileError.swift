/// A file that cannot be used as intended.
public enum FileError: Error, Hashable, Sendable {
    /// The file cannot be opened or read.
    case unreadable(_ path: String, errno: Int32)
    /// The file cannot be created or written.
    case unwritable(_ path: String, errno: Int32)
    /// The file is both an input and an output.
    case isSource(_ path: String)
    /// The file was changed while it was being read.
    case changed(_ path: String)
}
