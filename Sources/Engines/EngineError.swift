import OBDCore

/// Why a library cannot be used.
package enum EngineError: Explained, Hashable, Sendable {
    /// The library is not installed; with its purpose and the Debian packages that contain it.
    case missingLibrary(String, packages: String)
    /// There is no memory for a connection.
    case noMemory
    /// A certificate file does not exist or is not valid.
    case badCertificateFile(String)
}

extension EngineError {
    /// A library cannot be used.
    package var explanation: Explanation {
        switch self {
        case .missingLibrary(let what, let packages):
            Explanation(
                "\(what) needs a library that is not installed",
                hint: "sudo apt-get install \(packages)", .unavailable)
        case .noMemory: Explanation("there is no memory for a connection", .unavailable)
        case .badCertificateFile(let path):
            Explanation(
                "\(path) holds no certificates", hint: "ca-file names a file in PEM form",
                .configuration)
        }
    }
}
