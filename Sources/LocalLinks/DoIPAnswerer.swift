import CSystem
import DoIPWire
import Glibc
import Simulator
import Synchronization
import SystemIO

/// Answers testers that search for vehicles over UDP, on its own thread.
public final class DoIPAnswerer: Sendable {
    private let descriptor: Int32
    private let stop: EventDescriptor
    private let thread: Mutex<SystemThread?>

    /// Answers on the address and port of `host` with the result of `answer`.
    public init(
        _ host: ServedHost, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) throws(LocalLinkFault) {
        guard let (bytes, family) = ServedHost.socketAddress(host.address, host.port) else {
            throw .socket(errno: EAFNOSUPPORT)
        }
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = socket(family, type, 0)
        guard socket >= 0 else { throw .socket(errno: errno) }
        let isBound = bytes.withUnsafeBytes { place in
            bind(
                socket, place.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(place.count)) == 0
        }
        guard isBound else {
            let number = errno
            close(socket)
            throw .port(host, errno: number)
        }
        do throws(SystemError) {
            let stop = try EventDescriptor()
            self.stop = stop
            thread = Mutex(try SystemThread { Self.run(socket, stop, answer) })
        } catch {
            close(socket)
            throw .socket(errno: error.errno)
        }
        descriptor = socket
    }

    deinit {
        stop.signal()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        close(descriptor)
    }

    private static func run(
        _ socket: Int32, _ stop: EventDescriptor, _ answer: ([UInt8]) -> [UInt8]?
    ) {
        var set = PollSet()
        while true {
            set.removeAll()
            let link = set.add(socket)
            let flag = set.add(stop.descriptor)
            guard (try? set.wait(until: nil)) != nil else { return }
            if set.isReadable(flag) { return }
            if set.isReadable(link) { answerOne(socket, answer) }
        }
    }

    private static func answerOne(_ socket: Int32, _ answer: ([UInt8]) -> [UInt8]?) {
        var buffer = [UInt8](repeating: 0, count: 2_048)
        var place = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var length = socklen_t(place.count)
        let count = place.withUnsafeMutableBytes { address in
            buffer.withUnsafeMutableBytes { data in
                recvfrom(
                    socket, data.baseAddress, data.count, 0,
                    address.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            }
        }
        guard count > 0, let reply = answer(Array(buffer[..<count])) else { return }
        place.withUnsafeBytes { address in
            reply.withUnsafeBytes { data in
                _ = sendto(
                    socket, data.baseAddress, data.count, 0,
                    address.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
            }
        }
    }
}
