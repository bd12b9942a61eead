import CSystem
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// Looks up the addresses of a host and port with the system's resolver.
struct NameLookup: Sendable {
    /// An address in the form for connect(2).
    struct Address: Sendable {
        var family, protocolNumber: Int32
        var bytes: [UInt8]
    }

    /// Holds the result of the resolver's thread, which may outlive the caller.
    private final class Box: Sendable {
        let done: EventDescriptor
        let outcome = Mutex<Result<[Address], AccessoryError>?>(nil)

        init() throws(SystemError) { done = try EventDescriptor() }
    }

    let host: String
    let port: UInt16

    /// The addresses in the order in which to try them; nil if `cancel` became readable.
    ///
    /// The resolver cannot be stopped. The look-up therefore runs on its own thread, which is abandoned when
    /// the caller stops waiting.
    func addresses(
        until deadline: Instant, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> [Address]? {
        if let numeric = try? ask(flags: AI_NUMERICHOST) { return numeric }
        let box: Box
        var set = PollSet()
        do throws(SystemError) {
            box = try Box()
            try SystemThread { [box] in
                let outcome = Result { () throws(AccessoryError) in try lookUp() }
                box.outcome.withLock { $0 = outcome }
                box.done.signal()
            }.detach()
            set.add(box.done.descriptor)
            let stop = set.add(cancel ?? -1)
            _ = try set.wait(until: deadline)
            if set.isReadable(stop) { return nil }
        } catch {
            throw .system(call: error.call, address: host, errno: error.errno)
        }
        guard let outcome = box.outcome.withLock({ $0 }) else {
            throw .tcp(.nameNotResolved(host: host, reason: "no name server answers"))
        }
        return try outcome.get()
    }

    private func lookUp() throws(AccessoryError) -> [Address] {
        do {
            return try ask(flags: AI_ADDRCONFIG)
        } catch {
            // Without a network no address family counts as configured, but the machine can still reach
            // itself.
            return try ask(flags: 0)
        }
    }

    private func ask(flags: Int32) throws(AccessoryError) -> [Address] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &first)
        guard status == 0, let first else {
            throw .tcp(
                .nameNotResolved(host: host, reason: String(cString: gai_strerror(status))))
        }
        defer { freeaddrinfo(first) }
        var found: [Address] = []
        var next: UnsafeMutablePointer<addrinfo>? = first
        while let entry = next?.pointee {
            next = entry.ai_next
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            found.append(
                Address(
                    family: entry.ai_family, protocolNumber: entry.ai_protocol, bytes: Array(bytes))
            )
        }
        return found
    }
}
