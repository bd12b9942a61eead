import CSystem
import Foundation
import Testing

/// Listening sockets for the peers of tests.
enum ListeningSockets {
    /// A socket on a TCP port of 127.0.0.1 that the system chose.
    static func tcp() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = sys_stream_socket(AF_INET, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(listens)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A local socket in the temporary folder.
    static func local() throws -> (descriptor: Int32, path: String) {
        let path = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString)")
            .path().prefix(100).description
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), UInt32(bytes.count))
            } ?? -1
        }
        try #require(status == 0 && listen(descriptor, 4) == 0)
        return (descriptor, path)
    }
}
