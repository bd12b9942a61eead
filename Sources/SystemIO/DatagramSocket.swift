import Glibc

/// A UDP socket that never blocks.
///
/// Addresses are in the form for sendto(2).
public final class DatagramSocket: Sendable {
    /// The descriptor for a ``PollSet``.
    public let descriptor: Int32

    /// Opens a socket that may send broadcasts.
    public init(broadcastingIn family: Int32) throws(SystemError) {
        descriptor = try Self.open(family)
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_BROADCAST, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Opens a socket that receives datagrams for `address`.
    public init(boundTo address: [UInt8], family: Int32) throws(SystemError) {
        descriptor = try Self.open(family)
        let status = address.withUnsafeBytes { place in
            bind(
                descriptor, place.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(place.count))
        }
        // Swift closes the descriptor: deinit runs when init throws after the last property is set.
        if status != 0 { throw SystemError(call: "bind", errno: errno) }
    }

    deinit { close(descriptor) }

    private static func open(_ family: Int32) throws(SystemError) -> Int32 {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        if descriptor < 0 { throw SystemError(call: "socket", errno: errno) }
        return descriptor
    }

    /// Sends one datagram.
    public func send(_ bytes: [UInt8], to address: [UInt8]) throws(SystemError) {
        let count = address.withUnsafeBytes { place in
            bytes.withUnsafeBytes { data in
                sendto(
                    descriptor, data.baseAddress, data.count, 0,
                    place.assumingMemoryBound(to: sockaddr.self).baseAddress,
                    socklen_t(place.count))
            }
        }
        if count != bytes.count { throw SystemError(call: "sendto", errno: errno) }
    }

    /// A datagram and the address of its sender; nil if none has arrived.
    public func receive() -> (bytes: [UInt8], sender: [UInt8])? {
        var buffer = [UInt8](repeating: 0, count: 2_048)
        var place = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var length = socklen_t(place.count)
        let count = place.withUnsafeMutableBytes { address in
            buffer.withUnsafeMutableBytes { data in
                recvfrom(
                    descriptor, data.baseAddress, data.count, 0,
                    address.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            }
        }
        guard count >= 0 else { return nil }
        return (Array(buffer[..<count]), Array(place.prefix(Int(length))))
    }

    /// The numeric host of an address: `192.168.1.10`, `fe80::1%eth0`; nil for another kind of address.
    public static func numericHost(of address: [UInt8]) -> String? {
        var name = [CChar](repeating: 0, count: 128)
        let status = address.withUnsafeBytes { place in
            getnameinfo(
                place.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(place.count),
                &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        }
        guard status == 0 else { return nil }
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
