import Glibc
public import OBDCore

/// Why text could not be written.
public enum OutputError: Error, Hashable, Sendable {
    /// The reader of a pipe closed it.
    case readerGone
    /// Any other error of write(2).
    case failed(errno: Int32)
}

extension OutputError: Explained {
    /// A fault of standard output.
    public var explanation: Explanation {
        switch self {
        case .readerGone: .ended
        case .failed(let number):
            Explanation(
                "standard output: \(SystemError.text(of: number))",
                hint: number == ENOSPC
                    ? "make room on the disk, then run it again"
                    : "check that the redirected output can be written", .cannotCreate)
        }
    }
}
