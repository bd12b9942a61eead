import Glibc
import OBDCore
import SystemIO
public import VehicleLink

/// `doip:HOST`: the gateway of a vehicle with diagnostics over Ethernet (ISO 13400-2).
///
/// `doip:` without a host searches the networks of this machine for a vehicle.
public struct DoIPTransport: Transport {
    /// A name or an address, IPv6 without brackets; nil means the only vehicle in the network.
    public var host: String?
    /// The port.
    public var port: UInt16
    /// The tester's logical address; nil means the usual one.
    public var source: UInt16?
    /// The functional logical address of all ECUs; nil means the usual one.
    public var functional: UInt16?
    /// The protocol version to start with; nil means the usual one.
    public var version: UInt8?

    /// The forms of the address.
    public static let form = TransportForm(
        "doip", short: "doip:HOST", full: ["doip:HOST", "doip:"])

    /// A gateway by host and port.
    public init(host: String?, port: UInt16 = DoIPMessage.port) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST`, `HOST:PORT` or nothing, with `?source=0E80&functional=E400&version=2`.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let (place, options) = try AddressPart.options(
            of: rest, ["source", "functional", "version"], in: text)
        if place.isEmpty {
            self.init(host: nil)
        } else {
            let (host, port) = try AddressPart.hostAndPort(place, of: text)
            self.init(host: host, port: port ?? DoIPMessage.port)
        }
        for (name, value) in options {
            switch name {
            case "source": source = try Self.address(value, name, in: text)
            case "functional": functional = try Self.address(value, name, in: text)
            default:
                guard let number = AddressPart.decimal(value), (1...4).contains(number) else {
                    throw AddressError(.badValue(name, String(value)), in: text)
                }
                version = UInt8(number)
            }
        }
    }

    /// Four hexadecimal digits.
    private static func address(
        _ value: Substring, _ name: String, in text: String
    ) throws(AddressError) -> UInt16 {
        guard value.utf8.count == 4, value.utf8.allSatisfy({ Hex.value($0) != nil }),
            let number = UInt16(value, radix: 16), number != 0
        else { throw AddressError(.badValue("\(name) address", String(value)), in: text) }
        return number
    }

    /// `doip:HOST`, with the port and the options that differ from the usual ones.
    public var description: String {
        let options = [
            source.map { "source=\(Hex.string(UInt32($0), digits: 4))" },
            functional.map { "functional=\(Hex.string(UInt32($0), digits: 4))" },
            version.map { "version=\($0)" },
        ].compactMap(\.self).joined(separator: "&")
        return "doip:\(place)" + (options.isEmpty ? "" : "?" + options)
    }

    private var place: String {
        host.map { AddressPart.text(host: $0, port: port == DoIPMessage.port ? nil : port) } ?? ""
    }

    /// The host and port; the options do not make it a different adapter.
    public var identity: String { "doip:\(place.lowercased())" }

    /// Nil without a host, because the next time another vehicle may be in the network.
    public var memoryKey: String? { host == nil ? nil : description }

    /// DoIP.
    public var protocols: [String] { [DoIPMessage.protocolString] }

    /// The gateway's report about itself on request.
    public func findings() -> [AccessoryFinding] {
        guard let host, let found = DoIPSearch.ask(host: host, port: port).first else { return [] }
        return [AccessoryFinding(.device, found.title)]
    }

    /// Connects to the gateway; searches for it first if it has no host.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        guard let host else {
            guard let found = try DoIPSearch.only(cancelledBy: cancel) else { return nil }
            return try connect(found.host, within: limit, cancelledBy: cancel)
        }
        return try connect(host, within: limit, cancelledBy: cancel)
    }

    private func connect(
        _ host: String, within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        do throws(AccessoryError) {
            let question = DoIPSearch.Question(
                .entityStatusRequest, version: version ?? 0x02, host: host, port: port)
            let opened = try TCPClient.connect(
                host: host, port: port, name: name, within: limit, cancelledBy: cancel)
            guard var session = opened else { return nil }
            // A gateway answers this within 50 ms, and it had the time of the connection, too.
            if case .entityStatus(_, _, _, let longest?)? = question?.answer(
                within: .milliseconds(60))
            {
                session.longestMessage = Int(longest)
            }
            return session
        } catch {
            guard let fault = error.fault as? TCPFault else { throw error }
            throw AccessoryError(DoIPFault.connection(fault))
        }
    }

    /// Why a gateway closes a connection (ISO 13400-2).
    public var remedyWhenClosed: String {
        "is the ignition still on? A gateway also closes connections of testers that it does not "
            + "accept, and those in a version of the protocol that it does not speak: "
            + "try doip:HOST?version=3"
    }
}

/// The faults on the way to a DoIP gateway.
public enum DoIPFault: AccessoryFault {
    /// No vehicle in the networks of this machine answered.
    case nobody
    /// Several vehicles answered; their addresses and VINs.
    case several([String])
    /// The search could not be started.
    case noSearch(errno: Int32)
    /// The connection failed.
    case connection(TCPFault)

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .nobody:
            FaultWords(
                .network, "doip: no vehicle answered in the networks of this machine",
                hint:
                    "turn the ignition on and wait ten seconds; does the Ethernet interface have "
                    + "an address (ip address)? doip:HOST names the gateway")
        case .several(let found):
            FaultWords(
                .network, "doip: several vehicles answered: " + found.joined(separator: ", "),
                hint: "name one: -d \(found.first?.prefix { $0 != " " } ?? "doip:HOST")",
                category: .usage)
        case .noSearch(let number):
            FaultWords(
                .network, "doip: the network cannot be asked: \(SystemError.text(of: number))",
                hint: "connect this machine to the vehicle's Ethernet, or name the gateway: "
                    + "doip:HOST")
        case .connection(.nameNotResolved(let host, let reason)):
            FaultWords(
                .network, "\(host): \(reason)",
                hint: "give the gateway's address; obdscan devices list --doip finds it")
        case .connection(.unreachable(let address, let number)):
            FaultWords(
                .link, "\(address): \(SystemError.text(of: number))",
                hint: number == ECONNREFUSED
                    ? "nothing listens there: turn the ignition on; obdscan devices list --doip "
                        + "finds gateways"
                    : "turn the ignition on, and check the cable and this machine's address "
                        + "(ip address)")
        case .connection(.timedOut(let address)):
            FaultWords(
                .link, "\(address): no connection in time",
                hint: "turn the ignition on, and check the cable and this machine's address "
                    + "(ip address)")
        }
    }
}
