import Glibc

// Every error that can end a command, mapped to message, remedy and exit code. The switches are
// exhaustive: whoever adds a case is asked here what the user is told.

extension Failure {
    /// A fault of standard output.
    init(_ error: OutputError) {
        switch error {
        case .readerGone:
            self = .silent(.done)
        case .failed(let number):
            self.init(
                "standard output: \(describe(errno: number))",
                hint: number == ENOSPC ? "make room on the disk, then run it again" : nil,
                status: .cannotCreate)
        }
    }
}

/// The system's words for an error number: `No such file or directory`.
func describe(errno number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
