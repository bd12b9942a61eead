/// Why a library cannot be used.
public enum EngineError: Error, Hashable, Sendable {
    /// The library is not installed; with its purpose and the Debian packages that contain it.
    case missingLibrary(String, packages: String)
    /// There is no memory for a connection.
    case noMemory
    /// A certificate file does not exist or is not valid.
    case badCertificateFile(String)
}
