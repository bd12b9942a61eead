import Accessory
import CSystem
import Glibc
import SystemIO

/// Where `simulate` serves.
public enum ServingPlace: Hashable, Sendable {
    /// A pseudo terminal; `link` is a symbolic link to it, nil = none.
    case pty(link: String?)
    /// A TCP port on the loopback; 0 = any free one.
    case tcp(port: UInt16)
    /// An RFCOMM channel of this machine's Bluetooth controller.
    case rfcomm(channel: UInt8)
    /// An interface of SocketCAN.
    case can(interface: String)
}

/// A pseudo terminal that stays open while programs come and go.
public struct PseudoTerminal: ~Copyable {
    /// Its name: `/dev/pts/3`.
    public let path: String
    /// A symbolic link to it; removed at the end.
    public let link: String?
    private let master: Int32
    private let slave: Int32

    /// Takes over what ``open(link:)`` made.
    private init(path: String, link: String?, master: Int32, slave: Int32) {
        self.path = path
        self.link = link
        self.master = master
        self.slave = slave
    }

    /// Makes one, raw, and the link to it.
    public static func open(link: String?) throws(LocalLinkFault) -> PseudoTerminal {
        var name = [UInt8](repeating: 0, count: 64)
        let master = name.withUnsafeMutableBytes { bytes in
            sys_open_pty(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard master >= 0 else {
            throw .terminal(path: "/dev/ptmx", errno: errno)
        }
        let path = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        // Held open, or the terminal would hang up whenever a program closes it.
        let slave = sys_open_tty(path)
        guard slave >= 0, sys_tty_make_raw(slave) == 0 else {
            throw .terminal(path: path, errno: errno)
        }
        if let link {
            // Only a link is replaced: a file of that name is someone's.
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

    /// The session on its own side; takes the descriptor over.
    public func session() -> DescriptorSession {
        DescriptorSession(descriptor: master, kind: .stream, name: path)
    }
}

/// A socket that waits for hosts.
public struct ListeningSocket: ~Copyable {
    /// What `-d` takes: `tcp:127.0.0.1:35000`.
    public let address: String
    /// For `poll`.
    public let descriptor: Int32

    deinit { close(descriptor) }

    private init(address: String, descriptor: Int32) {
        self.address = address
        self.descriptor = descriptor
    }

    /// Listens on the loopback; port 0 = any free one.
    public static func tcp(port: UInt16) throws(LocalLinkFault) -> ListeningSocket {
        let socket = sys_stream_socket(AF_INET, 0)
        guard socket >= 0 else {
            throw .socket(errno: errno)
        }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, UInt32(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = UInt32(MemoryLayout<sockaddr_in>.size)
        guard withUnsafeBytes(of: &place, { bind(socket, $0, size) }), listen(socket, 4) == 0 else {
            throw .port(port, errno: errno)
        }
        var length = size
        withUnsafeMutableBytes(of: &place) { bytes in
            guard let base = bytes.baseAddress else { return }
            getsockname(socket, base.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return ListeningSocket(
            address: "tcp:127.0.0.1:\(UInt16(bigEndian: place.sin_port))", descriptor: socket)
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

    /// The next host; nil when `stop` became readable first.
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
            // A host that went away again in the meantime is no reason to stop.
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
