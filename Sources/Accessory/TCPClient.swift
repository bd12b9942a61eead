import CAccessory
import Glibc
import OBDCore

/// Connects to TCP servers: Wi-Fi adapters.
enum TCPClient {
    /// Connects to the first of the host's addresses that takes the connection in time.
    static func connect(
        host: String, port: UInt16, name: String, within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        var status = getaddrinfo(host, String(port), &hints, &first)
        if status != 0 {
            // A machine without a network has no configured address family, but still itself.
            hints.ai_flags = 0
            status = getaddrinfo(host, String(port), &hints, &first)
        }
        guard status == 0, let first else {
            throw .nameNotResolved(host: host, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(first) }
        var failure = AccessoryError.connectTimedOut(address: name)
        let deadline = SystemClock.now() + limit
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = ca_stream_socket(address.ai_family, address.ai_protocol)
            if descriptor < 0 {
                failure = .system(call: "socket", address: name, errno: errno)
                continue
            }
            let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
            let status = ca_connect(descriptor, address.ai_addr, address.ai_addrlen)
            switch try StreamConnection.finish(
                descriptor, status: status, deadline: deadline, cancelledBy: cancel)
            {
            case .connected:
                _ = ca_tcp_tune(descriptor)
                return session
            case .failed(let number): failure = .unreachable(address: name, errno: number)
            case .timedOut: failure = .connectTimedOut(address: name)
            case .cancelled: return nil
            }
        }
        throw failure
    }
}
