import CSystem
import Foundation

/// TCP ports of 127.0.0.1.
enum LoopbackPort {
    /// A listening socket on a port that the system chose.
    static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = sys_stream_socket(AF_INET, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) != 0 || Glibc.listen(descriptor, 4) != 0
                    || getsockname(descriptor, address, &length) != 0
            }
        }
        if failed {
            let error = POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL
            close(descriptor)
            throw POSIXError(error)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A port without a listener.
    static func free() throws -> UInt16 {
        let (descriptor, port) = try listen()
        close(descriptor)
        return port
    }
}
