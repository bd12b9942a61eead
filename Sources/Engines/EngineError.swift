/// Why a library cannot be used.
public enum EngineError: Error, Hashable, Sendable {
    /// The library is not installed: what it is for, and the Debian packages that have it.
    case missingLibrary(String, packages: String)
    /// There is no memory for a connection.
    case noMemory
    /// A file with certificates is not there or is not one.
    case badCertificateFile(String)
}
