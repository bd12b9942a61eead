import CSystem
import Glibc
import SystemIO

/// `unix:PATH`: a UNIX domain stream socket on which another program serves an adapter.
public struct UnixSocketTransport: Transport {
    /// The path of the socket.
    public var path: String

    /// The forms of the address.
    public static let form = TransportForm("unix", short: "unix:PATH", takesFile: true)

    /// A socket by its path.
    public init(path: String) { self.path = path }

    /// Reads the path.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("path"), in: text) }
        self.init(path: String(rest))
    }

    /// `unix:PATH`.
    public var description: String { "unix:\(path)" }

    /// The absolute path of the socket after all symbolic links are resolved.
    public var identity: String { "unix:\(Files.resolve(path) ?? path)" }

    /// The absolute path, because a relative path means another file in another folder.
    public var memoryKey: String? { identity }

    /// Connects; on a UNIX socket this succeeds or fails at once.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let descriptor = sys_stream_socket(AF_UNIX, 0)
        if descriptor < 0 { throw .system(call: "socket", address: name, errno: errno) }
        // From here on the session closes the descriptor on every path.
        let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
        if sys_connect_unix(descriptor, path) < 0 { throw error(errno) }
        return session
    }

    /// The program that serves the socket decides how long a session lasts.
    public var remedyWhenClosed: String {
        "does the program that serves it still run? It may serve one program at a time"
    }

    /// The meaning of a failed connection (connect(2), unix(7)).
    private func error(_ number: Int32) -> AccessoryError {
        switch number {
        case ENOENT, ENOTDIR: return .unixSocket(.notFound(path: path))
        // Linux reports this error for any file that is not a socket, too.
        case ECONNREFUSED:
            return .unixSocket(isSocket ? .refused(path: path) : .notASocket(path: path))
        case EACCES, EPERM:
            return .unixSocket(
                .permissionDenied(path: path, group: Files.groupName(of: path)))
        case EPROTOTYPE: return .unixSocket(.notAStream(path: path))
        // The queue of waiting connections is full.
        case EAGAIN: return .unixSocket(.busy(path: path))
        case ENAMETOOLONG: return .unixSocket(.pathTooLong(path: path))
        default: return .system(call: "connect", address: name, errno: number)
        }
    }

    private var isSocket: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}

/// The faults of a UNIX-domain socket.
public enum UnixSocketFault: AccessoryFault {
    /// The path does not exist.
    case notFound(path: String)
    /// The path is not a socket.
    case notASocket(path: String)
    /// The socket is a datagram socket.
    case notAStream(path: String)
    /// The permissions of the socket or of a folder forbid opening.
    ///
    /// Members of `group` may use it; nil if membership does not help.
    case permissionDenied(path: String, group: String?)
    /// The socket exists, but no program listens.
    case refused(path: String)
    /// The program has not accepted the earlier connections yet.
    case busy(path: String)
    /// The path does not fit into a socket address (sun_path).
    case pathTooLong(path: String)

    /// The maximum length of a path; unit: bytes (unix(7): 108 with the terminating NUL).
    static let longestPath = 107

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .notFound(let path):
            FaultWords(
                .device, "\(path): the socket does not exist",
                hint: "start the program that serves it, or correct the path")
        case .notASocket(let path):
            FaultWords(
                .device, "\(path) is not a socket",
                hint: "name a serial line by its path alone, a recording as replay:\(path)")
        case .notAStream(let path):
            FaultWords(
                .device, "\(path) is a socket for datagrams, not for a stream",
                hint: "let the program that serves it open a stream socket (SOCK_STREAM)")
        case .permissionDenied(let path, let group):
            FaultWords(
                .permissions,
                "\(path): permission denied" + (group.map { "; it belongs to group \($0)" } ?? ""),
                hint: group.map { "sudo usermod -aG \($0) $USER, then log in again" }
                    ?? "namei -l \(path) shows who may use it", category: .noPermission)
        case .refused(let path):
            FaultWords(
                .link, "\(path): no program listens on this socket",
                hint:
                    "start the program that serves it; a program that has ended may leave its socket"
            )
        case .busy(let path):
            FaultWords(
                .free, "\(path): the program that serves it takes no more connections",
                hint: "end the other programs that use it, then try again")
        case .pathTooLong(let path):
            FaultWords(
                .device,
                "unix: the path has \(path.utf8.count) bytes, and \(Self.longestPath) are the limit",
                hint: "name it from its folder: \(Self.shortForm(of: path))", category: .usage)
        }
    }

    /// How to refer to a socket with a long path.
    private static func shortForm(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return "-d unix:NAME"
        }
        return "cd \(path[..<slash]), then -d unix:\(path[path.index(after: slash)...])"
    }
}

extension AccessoryError {
    /// A fault of a UNIX-domain socket.
    public static func unixSocket(_ fault: UnixSocketFault) -> AccessoryError {
        AccessoryError(fault)
    }
}
