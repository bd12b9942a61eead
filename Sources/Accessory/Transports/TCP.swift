import Glibc
import SystemIO

/// `tcp:HOST:PORT`: a Wi-Fi adapter or any other server.
public struct TCPTransport: Transport {
    /// A name or an address, IPv6 without brackets.
    public var host: String
    /// The port.
    public var port: UInt16

    /// The forms of the address.
    public static let form = TransportForm("tcp", short: "tcp:HOST:PORT")

    /// A server.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, or `[IPv6]:PORT`.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let (host, port) = try AddressPart.hostAndPort(rest, of: text)
        guard let port else { throw AddressError(.missing("port"), in: text) }
        self.init(host: host, port: port)
    }

    /// `tcp:HOST:PORT`.
    public var description: String { "tcp:" + AddressPart.text(host: host, port: port) }

    /// Ignores the case of the name.
    public var identity: String { "tcp:\(host.lowercased()):\(port)" }

    /// Whether the adapter's network has become the route to the internet.
    public func findings() -> [AccessoryFinding] {
        // Such a network has no connection to the internet but often takes over the default route.
        guard let interface = DefaultRoute.interface(throughNetworkOf: host) else { return [] }
        return [
            AccessoryFinding(
                .network, "the default route goes through \(interface), the adapter's network",
                advice: "no internet while connected; to keep another way: "
                    + "nmcli connection modify NAME ipv4.never-default yes")
        ]
    }

    /// Connects to the first of the host's addresses that accepts the connection.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try TCPClient.connect(
            host: host, port: port, name: name, within: limit, cancelledBy: cancel)
    }

    /// Such adapters drop the older of two programs.
    public var remedyWhenClosed: String {
        "most Wi-Fi adapters serve one program at a time: close other apps, then retry"
    }
}

extension AccessoryAddress {
    /// A TCP server.
    public static func tcp(host: String, port: UInt16) -> AccessoryAddress {
        AccessoryAddress(TCPTransport(host: host, port: port))
    }
}

extension Connector {
    /// A TCP server.
    public static func tcp(host: String, port: UInt16) -> Connector {
        Connector(TCPTransport(host: host, port: port))
    }
}

/// The faults of a TCP connection.
public enum TCPFault: AccessoryFault {
    /// The host name has no address; `reason` is the resolver's text.
    case nameNotResolved(host: String, reason: String)
    /// The address does not accept the connection.
    case unreachable(address: String, errno: Int32)
    /// The connection was not made in time.
    case timedOut(address: String)

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .nameNotResolved(let host, let reason):
            FaultWords(
                .network, "\(host): \(reason)",
                hint: "join the adapter's Wi-Fi, or give its address")
        case .unreachable(let address, let number):
            FaultWords(
                .link, "\(address): \(SystemError.text(of: number))",
                hint: number == ECONNREFUSED
                    ? "nothing listens there, or another program uses it: check the port, and close "
                        + "other apps"
                    : "is the adapter powered, and this machine in its Wi-Fi?")
        case .timedOut(let address):
            FaultWords(
                .link, "\(address): no connection in time",
                hint: "is the adapter powered and in reach?")
        }
    }
}

extension AccessoryError {
    /// A fault of a TCP connection.
    public static func tcp(_ fault: TCPFault) -> AccessoryError { AccessoryError(fault) }
}
