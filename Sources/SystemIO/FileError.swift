import Glibc
public import OBDCore

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
    /// The path is a device, whose bytes never end or come from an adapter.
    case isDevice(_ path: String)
    /// The system makes the file's content when it is read: /proc and /sys.
    case isOfSystem(_ path: String)
}

extension FileError: Explained {
    /// The file, and what is wrong with it.
    public var explanation: Explanation {
        switch self {
        case .unreadable(let path, let number):
            Explanation(
                "\(path): \(SystemError.text(of: number))",
                hint: FileRemedy.reading(path, errno: number),
                number == EACCES || number == EPERM ? .noPermission : .noInput)
        case .unwritable(let path, let number):
            Explanation(
                "\(path): \(SystemError.text(of: number))",
                hint: FileRemedy.writing(path, errno: number),
                .cannotCreate)
        case .isSource(let path):
            Explanation(
                "\(path) is a file that is being read", hint: "name another file", .cannotCreate)
        case .changed(let path):
            Explanation(
                "\(path) was changed while it was read",
                hint: "nothing was stored; try again when the file is complete", .badInput)
        case .isDevice(let path):
            Explanation(
                "\(path) is a device, not a file",
                hint: "name a file; \"obdscan log -d \(path)\" records from an adapter", .noInput)
        case .isOfSystem(let path):
            Explanation(
                "\(path) shows the state of this computer and is not a stored file",
                hint: "name the file that another program wrote", .noInput)
        }
    }
}
