import Accessory
import CSystem
import Glibc
import SystemIO

/// The place where `simulate` serves.
public enum ServingPlace: Hashable, Sendable {
    /// A pseudo terminal; `link` is a symbolic link to it, or nil.
    case pty(link: String?)
    /// A TCP port; port 0 means any free one.
    case tcp(ServedHost)
    /// A DoIP gateway on TCP and UDP.
    case doip(ServedHost)
    /// An RFCOMM channel of this machine's Bluetooth controller.
    case rfcomm(channel: UInt8)
    /// A SocketCAN interface.
    case can(interface: String)
    /// A Bluetooth LE adapter of this name.
    case ble(name: String)
}

/// An address and port of this machine on which to serve.
public struct ServedHost: Hashable, Sendable {
    /// A numeric address, IPv6 without brackets.
    public var address: String
    /// The port; 0 means any free one.
    public var port: UInt16

    /// A port on the loopback interface, which only programs on this machine can reach.
    public init(port: UInt16) { self.init(address: "127.0.0.1", port: port) }

    /// An address and port.
    public init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Reads `PORT`, `ADDRESS` or `ADDRESS:PORT`, with brackets around an IPv6 address; nil for anything
    /// else.
    ///
    /// - Parameter usual: the default port; nil means that the text has to have one.
    public init?(_ text: String, port usual: UInt16? = nil) {
        if let port = Self.port(text[...]) {
            self.init(port: port)
            return
        }
        var address = text[...]
        var port: Substring?
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            address = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            address = text[..<colon]
            port = text[text.index(after: colon)...]
            if address.contains(":") { return nil }
        }
        guard let number = port.map(Self.port) ?? usual, Self.isNumeric(String(address)) else {
            return nil
        }
        self.init(address: String(address), port: number)
    }

    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }

    /// Four numbers or an IPv6 address; the system's resolver would also accept fewer numbers.
    private static func isNumeric(_ address: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, address, &bytes) == 1
            || inet_pton(AF_INET6, address, &bytes) == 1
    }

    /// `ADDRESS:PORT`.
    public var text: String { (address.contains(":") ? "[\(address)]" : address) + ":\(port)" }

    /// Whether only programs on this machine can reach the host.
    public var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    /// Whether the host means all addresses of this machine.
    public var isWildcard: Bool { address == "0.0.0.0" || address == "::" }

    /// The address in the form for bind(2), and its family; nil if it is not a numeric address.
    static func socketAddress(_ address: String, _ port: UInt16) -> (bytes: [UInt8], family: Int32)?
    {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &first) == 0, let first else { return nil }
        defer { freeaddrinfo(first) }
        let bytes = UnsafeRawBufferPointer(
            start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen))
        return (Array(bytes), first.pointee.ai_family)
    }
}

/// A pseudo terminal that stays open while programs connect and disconnect.
public struct PseudoTerminal: ~Copyable {
    /// The terminal's name: `/dev/pts/3`.
    public let path: String
    /// A symbolic link to the terminal, which is removed at the end.
    public let link: String?
    private let master: Int32
    private let slave: Int32

    /// Takes over the parts from ``open(link:)``.
    private init(path: String, link: String?, master: Int32, slave: Int32) {
        self.path = path
        self.link = link
        self.master = master
        self.slave = slave
    }

    /// Creates a pseudo terminal in raw mode, and the link to the terminal.
    public static func open(link: String?) throws(LocalLinkFault) -> PseudoTerminal {
        var name = [UInt8](repeating: 0, count: 64)
        let master = name.withUnsafeMutableBytes { bytes in
            sys_open_pty(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard master >= 0 else {
            throw .terminal(path: "/dev/ptmx", errno: errno)
        }
        let path = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        // Kept open, because otherwise the terminal would hang up whenever a program closes it.
        let slave = sys_open_tty(path)
        guard slave >= 0, sys_tty_make_raw(slave) == 0 else {
            throw .terminal(path: path, errno: errno)
        }
        if let link {
            // Only replace a link, because a file with that name belongs to the user.
            var status = stat()
            if lstat(link, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unlink(link) }
            guard symlink(path, link) == 0 else { throw .link(path: link, errno: errno) }
        }
        return PseudoTerminal(path: path, link: link, master: master, slave: slave)
    }

    deinit {
        if let link { unlink(link) }
        close(slave)
    }

    /// A session on the terminal's own end, which takes over the descriptor.
    public func session() -> DescriptorSession {
        DescriptorSession(descriptor: master, kind: .stream, name: path)
    }
}

/// A socket that listens for hosts.
public struct ListeningSocket: ~Copyable {
    /// The address for `-d`: `tcp:127.0.0.1:35000`.
    public let address: String
    /// The network address of the place; nil on Bluetooth.
    public let host: ServedHost?
    /// The descriptor for `poll`.
    public let descriptor: Int32

    deinit { close(descriptor) }

    private init(address: String, host: ServedHost? = nil, descriptor: Int32) {
        self.address = address
        self.host = host
        self.descriptor = descriptor
    }

    /// Listens on a TCP port; port 0 means any free one.
    ///
    /// - Parameter scheme: the scheme of its address for `-d`.
    public static func tcp(
        _ host: ServedHost, scheme: String = "tcp"
    ) throws(LocalLinkFault) -> ListeningSocket {
        guard let (bytes, family) = ServedHost.socketAddress(host.address, host.port) else {
            throw .socket(errno: EAFNOSUPPORT)
        }
        let socket = sys_stream_socket(family, 0)
        guard socket >= 0 else {
            throw .socket(errno: errno)
        }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, UInt32(MemoryLayout<Int32>.size))
        guard bytes.withUnsafeBytes({ bind(socket, $0, UInt32($0.count)) }), listen(socket, 4) == 0
        else {
            let number = errno
            close(socket)
            throw .port(host, errno: number)
        }
        var served = host
        served.port = port(of: socket)
        return ListeningSocket(
            address: "\(scheme):\(served.text)", host: served, descriptor: socket)
    }

    private static func port(of socket: Int32) -> UInt16 {
        var place = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var length = UInt32(place.count)
        place.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            getsockname(socket, base.assumingMemoryBound(to: sockaddr.self), &length)
        }
        // In both families the port follows the two bytes of the family, high byte first.
        return UInt16(place[2]) << 8 | UInt16(place[3])
    }

    /// Listens on an RFCOMM channel of any controller.
    public static func rfcomm(channel: UInt8) throws(LocalLinkFault) -> ListeningSocket {
        let socket = sys_stream_socket(sys_af_bluetooth(), sys_btproto_rfcomm())
        guard socket >= 0 else {
            throw .noBluetooth(errno: errno)
        }
        // struct sockaddr_rc: family, Bluetooth address (all zero = any), channel, one unused byte.
        let family = UInt16(sys_af_bluetooth())
        let place: [UInt8] =
            withUnsafeBytes(of: family) { Array($0) } + [0, 0, 0, 0, 0, 0, channel, 0]
        guard place.withUnsafeBytes({ bind(socket, $0, UInt32($0.count)) }), listen(socket, 1) == 0
        else {
            throw .channel(channel, errno: errno)
        }
        return ListeningSocket(address: "rfcomm channel \(channel)", descriptor: socket)
    }

    /// The next host; nil if `stop` became readable first.
    public borrowing func accept(stop: Int32) throws(SystemError) -> DescriptorSession? {
        var set = PollSet()
        while true {
            set.removeAll()
            let socket = set.add(descriptor)
            let flag = set.add(stop)
            try set.wait(until: nil)
            if set.isReadable(flag) { return nil }
            guard set.isReadable(socket) else { continue }
            let host = sys_accept(descriptor)
            // A host that has already disconnected is no reason to stop.
            guard host >= 0 else { continue }
            var session = DescriptorSession(descriptor: host, kind: .stream, name: address)
            session.tuneTCP()
            return session
        }
    }

    private static func bind(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ size: UInt32)
        -> Bool
    {
        guard let base = bytes.baseAddress else { return false }
        return Glibc.bind(socket, base.assumingMemoryBound(to: sockaddr.self), size) == 0
    }
}
