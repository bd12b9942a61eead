import Glibc

/// How an accessory is opened.
public enum Connector: Sendable {
    /// A serial line or pty; unit of `rate`: bit/s, nil = detect it (only where it matters).
    case serial(path: String, rate: Int?)
    /// A TCP server.
    case tcp(host: String, port: UInt16)
    /// A Bluetooth RFCOMM channel; nil = look it up.
    case rfcomm(BluetoothAddress, channel: UInt8?)
    /// A Bluetooth accessory by its name.
    case bluetooth(name: String)
    /// Whatever `open` gives: an end of a socket pair. The session closes it. `name` is for messages.
    case descriptor(name: String, open: @Sendable () throws(AccessoryError) -> Int32)

    /// The connector of an address that needs nothing else; nil for `sim:`, `replay:` and aliases,
    /// which someone else has to serve or look up.
    public init?(_ address: AccessoryAddress) {
        switch address {
        case .serial(let path, let rate): self = .serial(path: path, rate: rate)
        case .tcp(let host, let port): self = .tcp(host: host, port: port)
        case .rfcomm(let address, let channel): self = .rfcomm(address, channel: channel)
        case .bluetooth(let name): self = .bluetooth(name: name)
        case .simulator, .replay, .alias: return nil
        }
    }

    /// The accessory as messages name it.
    public var name: String {
        switch self {
        case .serial(let path, _): path
        case .tcp(let host, let port):
            host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .rfcomm(let address, let channel):
            address.description + (channel.map { "/\($0)" } ?? "")
        case .bluetooth(let name): name
        case .descriptor(let name, _): name
        }
    }

    /// Opens a session; nil = the waiting was cancelled.
    ///
    /// - Parameters:
    ///   - limit: for connections over the air or the network.
    ///   - cancel: a descriptor that ends the waiting when it becomes readable.
    public func open(
        within limit: Duration = .seconds(8), cancelledBy cancel: Int32? = nil
    ) throws(AccessoryError) -> DescriptorSession? {
        switch self {
        case .serial(let path, let rate):
            return try SerialLine.open(path, rate: rate)
        case .tcp(let host, let port):
            return try TCPClient.connect(
                host: host, port: port, name: name, within: limit, cancelledBy: cancel)
        case .rfcomm(let address, let channel):
            return try RFCOMMClient.connect(
                address, channel: channel, within: limit, cancelledBy: cancel)
        case .bluetooth(let name):
            return try RFCOMMClient.connect(name: name, within: limit, cancelledBy: cancel)
        case .descriptor(let name, let open):
            let descriptor = try open()
            let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
            if fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) < 0 {
                throw .system(call: "fcntl", address: name, errno: errno)
            }
            return session
        }
    }
}

extension Connector {
    /// Whether the line rate is part of the address.
    public var givesRate: Bool {
        switch self {
        case .serial(_, let rate): rate != nil
        case .tcp, .rfcomm, .bluetooth, .descriptor: false
        }
    }
}

extension Connector {
    /// Whether a device of its own is at the other end, not something that this program serves.
    public var reachesAccessory: Bool {
        switch self {
        case .serial, .tcp, .rfcomm, .bluetooth: true
        case .descriptor: false
        }
    }
}
