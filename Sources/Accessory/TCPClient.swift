import CSystem
import Glibc
import OBDCore
import SystemIO

/// Connects to TCP servers, such as Wi-Fi adapters.
enum TCPClient {
    /// Connects to the first of the host's addresses that accepts the connection in time.
    static func connect(
        host: String, port: UInt16, name: String, within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        // A resolver that asks several name servers can take longer than a connection.
        let lookup = NameLookup(host: host, port: port)
        guard
            let addresses = try lookup.addresses(
                until: SystemClock.now() + .seconds(30), cancelledBy: cancel)
        else { return nil }
        let deadline = SystemClock.now() + limit
        var failure = AccessoryError.tcp(.timedOut(address: name))
        for address in addresses {
            let descriptor = sys_stream_socket(address.family, address.protocolNumber)
            if descriptor < 0 {
                failure = .system(call: "socket", address: name, errno: errno)
                continue
            }
            var session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
            let status = address.bytes.withUnsafeBytes { bytes in
                sys_connect(
                    descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                    socklen_t(bytes.count))
            }
            switch try StreamConnection.finish(
                descriptor, status: status, deadline: deadline, cancelledBy: cancel)
            {
            case .connected:
                session.tuneTCP()
                return session
            case .failed(let number): failure = .tcp(.unreachable(address: name, errno: number))
            case .timedOut: failure = .tcp(.timedOut(address: name))
            case .cancelled: return nil
            }
        }
        throw failure
    }
}
