import Glibc

/// Opens an adapter once or repeatedly, and holds the state that outlives single sessions.
public struct Connector: Sendable {
    /// The adapter's name in messages.
    public let name: String
    /// Whether a device is at the other end, and not a simulation or a recording of this program.
    public let reachesAccessory: Bool
    /// The transport that opens the link; nil for a descriptor that this program made.
    public let transport: (any Transport)?
    /// The wire protocols that the adapter is known to use; if empty, they have to be detected.
    public let protocols: [String]
    private let remedyWhenClosed: String
    private let opening: @Sendable (Duration, Int32?) throws(AccessoryError) -> DescriptorSession?

    /// Opens the adapter at the end of `transport`.
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

    /// Uses the descriptor that `open` returns, such as one end of a socket pair.
    ///
    /// The session closes the descriptor. `name` is for messages.
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

    /// Opens a session; nil if the caller cancelled the wait.
    ///
    /// - Parameters:
    ///   - limit: the time limit for connections over Bluetooth or the network.
    ///   - cancel: a descriptor that ends the wait when it becomes readable.
    /// - Throws: ``LinkFault/blocks(address:)`` if the transport's descriptor is not non-blocking.
    public func open(
        within limit: Duration = .seconds(8), cancelledBy cancel: Int32? = nil
    ) throws(AccessoryError) -> DescriptorSession? {
        guard var session = try opening(limit, cancel) else { return nil }
        // A read or write that waits would stop the whole session, its end included.
        if fcntl(session.descriptor, F_GETFL) & O_NONBLOCK == 0 {
            throw AccessoryError(LinkFault.blocks(address: session.name))
        }
        session.remedyWhenClosed = remedyWhenClosed
        return session
    }

    /// The error for a link that closed without an error from the system.
    public var loss: AccessoryError { .lost(address: name, errno: 0, hint: remedyWhenClosed) }
}
