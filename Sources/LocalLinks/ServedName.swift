import VehicleLink

/// The name of a simulated LE adapter: up to 20 bytes, which fit into an advertisement.
public struct ServedName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String

    /// The usual name.
    public static let usual = ServedName(name: "OBDBLE")

    private init(name: String) { self.name = name }

    /// A name; nil if it is too long.
    public init?(argument: String) {
        guard (1...20).contains(argument.utf8.count),
            !argument.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        name = argument
    }

    /// The name as a user types it.
    public var description: String { name }
}

/// Where a simulated DoIP gateway is served: `ADDRESS`, `PORT` or `ADDRESS:PORT`.
public struct ServedGateway: Hashable, Sendable, CustomStringConvertible {
    /// The address and the port.
    public let host: ServedHost

    /// The port of the standard, for this machine alone.
    public static let usual = ServedGateway(host: ServedHost(port: DoIPMessage.port))

    private init(host: ServedHost) { self.host = host }

    /// The place in the text; nil for anything else.
    public init?(argument: String) {
        guard let host = ServedHost(argument, port: DoIPMessage.port) else { return nil }
        self.init(host: host)
    }

    /// The host as a user types it.
    public var description: String { host.text }
}
