import CSystem
import Foundation
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// A client that sends bytes and reads the answer; every wait has a deadline.
final class Browser {
    let socket: Int32

    struct Overdue: Error {}

    /// Connects to a port of the loopback.
    init(port: UInt16, smallBuffer: Bool = false) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if smallBuffer {
            var size: Int32 = 2048
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw SystemError(call: "connect", errno: errno) }
    }

    /// Connects an IPv6 socket to an IPv4 port of the loopback interface.
    init(mappedPort port: UInt16) throws {
        socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        place.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &place.sin6_addr) {
            $0.copyBytes(from: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1])
        }
        let result = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        if result != 0 { throw SystemError(call: "connect", errno: errno) }
    }

    deinit { close(socket) }

    /// Ends the sending direction.
    func shut() { shutdown(socket, Int32(SHUT_WR)) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request for `target`.
    func ask(_ target: String, host: String = "localhost", _ fields: String = "") {
        send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
    }

    /// Reads until the end of the connection.
    func rest(within seconds: Double = 20) throws -> String {
        try read(within: seconds) { _ in false }
    }

    /// Reads until `isEnough`, or the connection ends.
    func read(within seconds: Double = 20, until isEnough: (String) -> Bool) throws -> String {
        let deadline = SystemClock.now() + .seconds(seconds)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if isEnough(text) { return text }
            var set = PollSet()
            set.add(socket)
            if try set.wait(until: deadline) == 0 { throw Overdue() }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { return text }
            bytes += buffer[..<count]
        }
    }
}
