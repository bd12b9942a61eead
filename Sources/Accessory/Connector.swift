import Glibc

/// How an accessory is opened, once or again and again, with what has to outlive its sessions.
public struct Connector: Sendable {
    /// The accessory as messages name it.
    public let name: String
    /// Whether its own device is at the other end, not something that this program serves.
    public let reachesAccessory: Bool
    /// What it opens; nil for a descriptor of this program's own.
    public let transport: (any Transport)?
    /// The wire protocols that it is known to speak; none = this has to be found out.
    public let protocols: [String]
    private let remedyWhenClosed: String
    private let opening: @Sendable (Duration, Int32?) throws(AccessoryError) -> DescriptorSession?

    /// Opens what `transport` leads to.
    public init(_ transport: some Transport) {
        self.init(transport) { (limit, cancel) throws(AccessoryError) in
            try transport.open(within: limit, cancelledBy: cancel)
        }
    }

    init(
        _ transport: some Transport,
        opening:
            @escaping @Sendable (Duration, Int32?) throws(AccessoryError) ->
            DescriptorSession?
    ) {
        name = transport.name
        self.transport = transport
        protocols = transport.protocols
        reachesAccessory = !transport.isServedHere
        remedyWhenClosed = transport.remedyWhenClosed
        self.opening = opening
    }

    private init(
        name: String, protocols: [String],
        _ opening:
            @escaping @Sendable (Duration, Int32?) throws(AccessoryError) ->
            DescriptorSession?
    ) {
        self.name = name
        self.protocols = protocols
        transport = nil
        reachesAccessory = false
        remedyWhenClosed = LinkFault.usualRemedy
        self.opening = opening
    }

    /// Opens whatever `open` gives: an end of a socket pair.
    ///
    /// The session closes it. `name` is for messages.
    public static func descriptor(
        name: String, protocols: [String] = [],
        open: @escaping @Sendable () throws(AccessoryError) -> Int32
    ) -> Connector {
        Connector(name: name, protocols: protocols) { (_, _) throws(AccessoryError) in
            let descriptor = try open()
            let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
            if fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) < 0 {
                throw .system(call: "fcntl", address: name, errno: errno)
            }
            return session
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
        guard var session = try opening(limit, cancel) else { return nil }
        session.remedyWhenClosed = remedyWhenClosed
        return session
    }

    /// The link is gone, and the system said nothing about it.
    public var loss: AccessoryError { .lost(address: name, errno: 0, remedy: remedyWhenClosed) }
}
