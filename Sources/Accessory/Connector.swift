/// How an accessory is opened.
public enum Connector: Sendable {
    /// A serial line or pty; unit of `rate`: bit/s, nil = detect it (only where it matters).
    case serial(path: String, rate: Int?)
    /// A TCP server.
    case tcp(host: String, port: UInt16)
    /// A Bluetooth RFCOMM channel; nil = look it up.
    case rfcomm(BluetoothAddress, channel: UInt8?)
    /// Whatever `open` gives: an end of a socket pair. The session closes it. `name` is for messages.
    case descriptor(name: String, open: @Sendable () throws(AccessoryError) -> Int32)

    /// The connector of an address that needs nothing else; nil for `bluetooth:NAME`, `sim:`,
    /// `replay:` and aliases, which someone else has to look up.
    public init?(_ address: AccessoryAddress) {
        switch address {
        case .serial(let path, let rate): self = .serial(path: path, rate: rate)
        case .tcp(let host, let port): self = .tcp(host: host, port: port)
        case .rfcomm(let address, let channel): self = .rfcomm(address, channel: channel)
        case .bluetooth, .simulator, .replay, .alias: return nil
        }
    }

    /// The accessory as messages name it.
    public var name: String {
        switch self {
        case .serial(let path, _): path
        case .tcp(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .rfcomm(let address, let channel):
            address.description + (channel.map { "/\($0)" } ?? "")
        case .descriptor(let name, _): name
        }
    }
}
