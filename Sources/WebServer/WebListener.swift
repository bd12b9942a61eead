import CSystem
import Glibc
import SystemIO

/// A socket that accepts connections of browsers.
package final class WebListener: Sendable {
    package let address: ListenAddress
    /// The port, even if any free one was requested.
    package let port: UInt16
    let descriptor: Int32

    /// Listens at `address`.
    package init(_ address: ListenAddress) throws(SystemError) {
        let socket = sys_stream_socket(address.family, 0)
        guard socket >= 0 else { throw SystemError(call: "socket", errno: errno) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let result = SocketPlace(address).withAddress { Glibc.bind(socket, $0, $1) }
        guard result == 0, Glibc.listen(socket, 64) == 0 else {
            let number = errno
            close(socket)
            throw SystemError(call: "bind", errno: number)
        }
        self.address = address
        descriptor = socket
        port = SocketPlace(of: socket, getsockname)?.port ?? address.port
    }

    deinit { close(descriptor) }
}

/// Finds the local user at the other end of a connection.
enum LocalPeer {
    /// The user; nil if the kernel's list does not contain the connection.
    static func user(of socket: Int32) -> UInt32? {
        guard let here = SocketPlace(of: socket, getsockname),
            let there = SocketPlace(of: socket, getpeername)
        else { return nil }
        let mine = SocketOwners.Place(words: there.words, port: there.port)
        let theirs = SocketOwners.Place(words: here.words, port: here.port)
        if !here.isIPv6, let list = Files.text("/proc/net/tcp", limit: 4 << 20),
            let user = SocketOwners.user(of: mine, to: theirs, in: list)
        {
            return user
        }
        // An IPv6 socket can also have connections with IPv4 addresses.
        return Files.text("/proc/net/tcp6", limit: 4 << 20).flatMap {
            SocketOwners.user(of: mine.mapped, to: theirs.mapped, in: $0)
        }
    }
}
