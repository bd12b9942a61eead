import Glibc
import Simulator
import Synchronization
import SystemIO

/// Answers testers that search for vehicles over UDP, on its own thread.
public final class DoIPAnswerer: Sendable {
    private let stop: EventDescriptor
    private let thread: Mutex<SystemThread?>

    /// Answers on the address and port of `host` with the result of `answer`.
    public init(
        _ host: ServedHost, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) throws(LocalLinkFault) {
        guard let (address, family) = ServedHost.socketAddress(host.address, host.port) else {
            throw .socket(errno: EAFNOSUPPORT)
        }
        do throws(SystemError) {
            let socket = try DatagramSocket(boundTo: address, family: family)
            let stop = try EventDescriptor()
            self.stop = stop
            thread = Mutex(try SystemThread { Self.run(socket, stop, answer) })
        } catch {
            throw error.call == "bind"
                ? .port(host, errno: error.errno) : .socket(errno: error.errno)
        }
    }

    deinit {
        stop.signal()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    private static func run(
        _ socket: DatagramSocket, _ stop: EventDescriptor, _ answer: ([UInt8]) -> [UInt8]?
    ) {
        var set = PollSet()
        while true {
            set.removeAll()
            let link = set.add(socket.descriptor)
            let flag = set.add(stop.descriptor)
            guard (try? set.wait(until: nil)) != nil else { return }
            if set.isReadable(flag) { return }
            guard set.isReadable(link), let (bytes, sender) = socket.receive(),
                let reply = answer(bytes)
            else { continue }
            // UDP loses datagrams anyway, and then the tester asks again.
            try? socket.send(reply, to: sender)
        }
    }
}
