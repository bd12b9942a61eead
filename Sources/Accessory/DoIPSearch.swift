import Glibc
import OBDCore
import SystemIO
public import VehicleLink

/// A DoIP gateway that answered.
public struct FoundGateway: Hashable, Sendable {
    /// The gateway's address: `192.168.1.10`, `fe80::1%eth0`.
    public var host: String
    /// The port, if it differs from the usual one.
    public var port: UInt16
    /// The protocol version of the gateway's answer.
    public var version: UInt8
    /// The gateway's report about itself.
    public var entity: DoIPEntity

    /// The gateway's answer to its identification request.
    public var address: AccessoryAddress {
        var transport = DoIPTransport(host: host, port: port)
        // The dialect starts with the version of 2012 by default.
        if version != 0x02, (0x01...0x04).contains(version) { transport.version = version }
        return AccessoryAddress(transport)
    }

    /// The vehicle's VIN; nil if it is not set.
    public var vin: VIN? { VIN(String(decoding: entity.vin, as: UTF8.self)) }

    /// The gateway in the form that lists show.
    public var accessory: Accessory {
        var accessory = Accessory(address: address, connectionID: 0, name: title)
        accessory.protocols = [DoIPMessage.protocolString]
        return accessory
    }

    /// The gateway's state for the user.
    public var facts: [(title: String, text: String)] {
        var facts: [(title: String, text: String)] = [
            ("DoIP version", "\(version)"), ("EID", Hex.string(entity.eid)),
            ("GID", Hex.string(entity.gid)),
        ]
        if entity.furtherAction == 0x10 {
            facts.append(("Activation", "wants the maker's central security"))
        }
        if case .entityStatus(_, let sockets, let open, let longest)? = DoIPSearch.question(
            .entityStatusRequest, self)
        {
            facts.append(("Testers", "\(open) of \(sockets) connected"))
            if let longest { facts.append(("Longest message", "\(longest) bytes")) }
        }
        if case .powerMode(let mode)? = DoIPSearch.question(.powerModeRequest, self) {
            let text =
                switch mode {
                case 0x00: "not ready for diagnostics"
                case 0x01: "ready for diagnostics"
                default: "not reported"
                }
            facts.append(("Power mode", text))
        }
        return facts
    }

    /// `DoIP gateway 1000, VIN 1HGBH41JXMN109186`.
    public var title: String {
        "DoIP gateway \(Hex.string(UInt32(entity.address), digits: 4))"
            + (vin.map { ", VIN \($0.text)" } ?? "")
    }
}

/// Asks the networks for vehicles (ISO 13400-2, vehicle identification over UDP).
///
/// The search sends packets and therefore runs only on request.
public enum DoIPSearch {
    /// A destination of the request.
    public struct Destination: Hashable, Sendable {
        /// The address in the form for sendto(2).
        var bytes: [UInt8]
        var family: Int32
        /// Whether the request goes to all hosts of the network.
        var isBroadcast: Bool
    }

    /// A gateway waits up to 500 ms before it answers.
    static let shortTime = Duration.milliseconds(700)
    /// Used while no answer has arrived.
    static let longTime = Duration.seconds(2)

    /// Finds every vehicle in the networks of this machine.
    public static func everybody(
        cancelledBy cancel: Int32? = nil
    ) throws(AccessoryError) -> [FoundGateway] {
        let places = InterfaceAddresses.broadcasts(port: DoIPMessage.port)
        if places.isEmpty { throw AccessoryError(DoIPFault.noSearch(errno: ENETDOWN)) }
        return try ask(places, port: DoIPMessage.port, cancelledBy: cancel)
    }

    /// Finds the only vehicle in the networks of this machine; nil if cancelled.
    static func only(cancelledBy cancel: Int32?) throws(AccessoryError) -> FoundGateway? {
        let found = try everybody(cancelledBy: cancel)
        if found.count > 1 {
            throw AccessoryError(DoIPFault.several(found.map { "\($0.address) (\($0.title))" }))
        }
        if let first = found.first { return first }
        if let cancel, isReadable(cancel) { return nil }
        throw AccessoryError(DoIPFault.nobody)
    }

    /// Asks a single host; empty if it does not answer.
    public static func ask(host: String, port: UInt16 = DoIPMessage.port) -> [FoundGateway] {
        let addresses =
            (try? NameLookup(host: host, port: port).addresses(
                until: SystemClock.now() + .seconds(5), cancelledBy: nil)) ?? []
        let places = addresses.prefix(1).map {
            Destination(bytes: $0.bytes, family: $0.family, isBroadcast: false)
        }
        return (try? ask(places, port: port, cancelledBy: nil)) ?? []
    }

    /// Asks one gateway over UDP; nil if there is no matching answer.
    static func question(_ message: DoIPMessage, _ gateway: FoundGateway) -> DoIPMessage? {
        // A gateway answers these requests within 50 ms.
        Question(message, version: gateway.version, host: gateway.host, port: gateway.port)?
            .answer(within: .milliseconds(500))
    }

    /// A question over UDP that one gateway was asked.
    struct Question {
        private let socket: DatagramSocket

        /// Sends the request; nil if that was not possible.
        init?(_ message: DoIPMessage, version: UInt8, host: String, port: UInt16) {
            let lookup = NameLookup(host: host, port: port)
            guard
                let place = try? lookup.addresses(
                    until: SystemClock.now() + .seconds(1), cancelledBy: nil)?.first,
                let socket = try? DatagramSocket(broadcastingIn: place.family),
                (try? socket.send(message.bytes(version: version), to: place.bytes)) != nil
            else { return nil }
            self.socket = socket
        }

        /// Waits for the answer; nil if no DoIP message arrives in time.
        func answer(within time: Duration) -> DoIPMessage? {
            var set = PollSet()
            set.add(socket.descriptor)
            guard let ready = try? set.wait(until: SystemClock.now() + time), ready > 0
            else { return nil }
            return socket.receive().flatMap { DoIPMessage(datagram: $0.bytes) }
        }
    }

    /// Sends the request to each of `places` and collects the answers.
    static func ask(
        _ places: [Destination], port: UInt16, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> [FoundGateway] {
        let question = DoIPMessage.identificationRequest.bytes(version: DoIPMessage.anyVersion)
        var sockets: [Int32: DatagramSocket] = [:]
        var failure: Int32?
        var hasAsked = false
        for place in places {
            do throws(SystemError) {
                let socket: DatagramSocket
                if let made = sockets[place.family] {
                    socket = made
                } else {
                    socket = try DatagramSocket(broadcastingIn: place.family)
                    sockets[place.family] = socket
                }
                try socket.send(question, to: place.bytes)
                hasAsked = true
            } catch {
                failure = error.errno
            }
        }
        if !hasAsked {
            throw AccessoryError(DoIPFault.noSearch(errno: failure ?? ENETDOWN))
        }
        return try collect(
            Array(sockets.values), port: port, isFinal: !places.contains(where: \.isBroadcast),
            cancelledBy: cancel)
    }

    /// - Parameter isFinal: whether to stop after the first answer.
    private static func collect(
        _ sockets: [DatagramSocket], port: UInt16, isFinal: Bool, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> [FoundGateway] {
        let start = SystemClock.now()
        var found: [FoundGateway] = []
        while !(isFinal && !found.isEmpty) {
            let deadline = start + (found.isEmpty ? longTime : shortTime)
            var set = PollSet()
            let places = sockets.map { set.add($0.descriptor) }
            let flag = set.add(cancel ?? -1)
            do throws(SystemError) {
                if try set.wait(until: deadline) == 0 { break }
            } catch {
                throw .system(call: error.call, address: "doip:", errno: error.errno)
            }
            if set.isReadable(flag) { return [] }
            for (socket, place) in zip(sockets, places) where set.isReadable(place) {
                while let (bytes, sender) = socket.receive() {
                    guard bytes.count >= DoIPMessage.headLength,
                        let host = DatagramSocket.numericHost(of: sender),
                        case .announcement(let entity)? = DoIPMessage(datagram: bytes)
                    else { continue }
                    let one = FoundGateway(
                        host: host, port: port, version: bytes[0], entity: entity)
                    // A gateway answers over IPv4 and IPv6 and on each interface that reaches it, so
                    // duplicates are dropped.
                    if found.count < 64,
                        !found.contains(where: {
                            $0.entity.eid == entity.eid && $0.entity.address == entity.address
                        })
                    {
                        found.append(one)
                    }
                }
            }
        }
        return found
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var set = PollSet()
        let flag = set.add(descriptor)
        _ = try? set.wait(until: SystemClock.now())
        return set.isReadable(flag)
    }
}

/// The addresses that reach all hosts in the networks of this machine.
enum InterfaceAddresses {
    /// The broadcast address of each IPv4 network, and ff02::1 on each interface with IPv6.
    static func broadcasts(port: UInt16) -> [DoIPSearch.Destination] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [DoIPSearch.Destination] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = Int32(bitPattern: entry.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let address = entry.ifa_addr
            else { continue }
            switch Int32(address.pointee.sa_family) {
            case AF_INET where flags & Int32(IFF_BROADCAST) != 0:
                guard let broadcast = entry.ifa_ifu.ifu_broadaddr else { continue }
                var place = UnsafeRawPointer(broadcast).loadUnaligned(as: sockaddr_in.self)
                place.sin_port = port.bigEndian
                found.append(destination(place, AF_INET))
            case AF_INET6:
                var place = sockaddr_in6()
                place.sin6_family = sa_family_t(AF_INET6)
                place.sin6_port = port.bigEndian
                place.sin6_scope_id = if_nametoindex(entry.ifa_name)
                withUnsafeMutableBytes(of: &place.sin6_addr) { bytes in
                    bytes[0] = 0xFF
                    bytes[1] = 0x02
                    bytes[15] = 0x01
                }
                let one = destination(place, AF_INET6)
                if !found.contains(one) { found.append(one) }
            default: continue
            }
        }
        return found
    }

    private static func destination<Address>(
        _ address: Address, _ family: Int32
    ) -> DoIPSearch.Destination {
        DoIPSearch.Destination(
            bytes: withUnsafeBytes(of: address) { Array($0) }, family: family, isBroadcast: true)
    }
}
