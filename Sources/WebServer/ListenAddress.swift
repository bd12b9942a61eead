import Glibc

/// An address to listen at: `127.0.0.1:8327`, `[::1]:8327`, `localhost:8327`, `0.0.0.0:8327`.
package struct ListenAddress: Hashable, Sendable {
    /// The host as the user gave it, IPv6 without brackets.
    package var host: String
    /// The port; 0 = any free one.
    package var port: UInt16
    /// Whether the address is reachable only from this machine.
    package var isLoopback: Bool
    /// Whether the address includes all addresses of the machine.
    package var isAny: Bool

    let family: Int32
    /// The address in network byte order.
    let bytes: [UInt8]

    /// Parses an address and a port; nil for anything else.
    ///
    /// Names other than `localhost` are refused, because they would have to be resolved first.
    package init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: 0x3A),
            let port = UInt16(text[colon...].dropFirst())
        else { return nil }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        self.host = host
        self.port = port
        var bytes = [UInt8](repeating: 0, count: 16)
        if !isBracketed, inet_pton(AF_INET, host, &bytes) == 1 {
            family = AF_INET
            self.bytes = Array(bytes.prefix(4))
            isLoopback = bytes[0] == 127
            isAny = self.bytes.allSatisfy { $0 == 0 }
        } else if isBracketed, inet_pton(AF_INET6, host, &bytes) == 1 {
            family = AF_INET6
            self.bytes = bytes
            isLoopback = bytes == [UInt8](repeating: 0, count: 15) + [1]
            isAny = bytes.allSatisfy { $0 == 0 }
        } else {
            return nil
        }
    }

    /// The address in a URL: `127.0.0.1:8327`.
    package var text: String { Self.text(host, port) }

    /// Host and port in the form for a URL.
    package static func text(_ host: String, _ port: UInt16) -> String {
        (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}

/// A socket address of either family.
struct SocketPlace {
    /// `sockaddr_in` or `sockaddr_in6`.
    private(set) var storage = sockaddr_storage()
    private(set) var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init(_ address: ListenAddress) {
        storage.ss_family = sa_family_t(address.family)
        withUnsafeMutableBytes(of: &storage) { raw in
            // Both structures have the port after the family.
            raw.storeBytes(of: address.port.bigEndian, toByteOffset: 2, as: UInt16.self)
            let start = address.family == AF_INET ? 4 : 8
            for (place, byte) in address.bytes.enumerated() { raw[start + place] = byte }
        }
        length = socklen_t(
            address.family == AF_INET
                ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    }

    /// The result of `call` (getsockname, getpeername) for a socket; nil if it fails.
    init?(
        of socket: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) {
        var length = length
        let result = withUnsafeMutableBytes(of: &storage) { raw in
            call(socket, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard result == 0, storage.ss_family == AF_INET || storage.ss_family == AF_INET6 else {
            return nil
        }
        self.length = length
    }

    /// Passes the address to a system call.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
        withUnsafeBytes(of: storage) { raw in
            body(raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    var port: UInt16 {
        withUnsafeBytes(of: storage) {
            UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The words of the address in the machine's byte order.
    var words: [UInt32] {
        withUnsafeBytes(of: storage) { raw in
            storage.ss_family == AF_INET
                ? [raw.load(fromByteOffset: 4, as: UInt32.self)]
                : (0..<4).map { raw.load(fromByteOffset: 8 + 4 * $0, as: UInt32.self) }
        }
    }

    var isIPv6: Bool { storage.ss_family == AF_INET6 }
}
