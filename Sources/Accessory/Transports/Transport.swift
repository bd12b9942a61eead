import Glibc

/// One way to reach an adapter, with everything that is specific to it.
///
/// A transport knows how its addresses are written, opened, distinguished and remembered, and how
/// its faults are explained.
///
/// To add a transport, write a type in its own file and name it once in ``TransportRegistry``. Nothing else
/// needs to know the type: help, hints, completion, `devices`, `doctor`, `setup` and `log` ask the registry
/// or the transport. The transport is correct if
/// - the address that it prints can be read again and is equal,
/// - ``open(within:cancelledBy:)`` ends soon after `cancel` becomes readable, and its session never blocks,
/// - every fault says what happened and how to fix it, with a command if there is one.
public protocol Transport: Hashable, Sendable, CustomStringConvertible {
    static var form: TransportForm { get }

    /// Reads the part after the scheme and its colon; `text` is the whole address, for faults.
    init(_ rest: Substring, of text: String) throws(AddressError)

    /// The meaning of a path without a scheme; nil (default) if it is not this transport.
    init?(barePath path: String)

    /// Words that completion offers.
    ///
    /// Default: none.
    static var offers: [AddressOffer] { get }

    /// The form with its scheme, which is printed as `id` and which `-d` accepts again.
    var description: String { get }

    /// The form that users type.
    ///
    /// Default: the description.
    var typedForm: String { get }

    /// The adapter's name in messages.
    ///
    /// Default: the description.
    var name: String { get }

    // MARK: Identity

    /// Equal for two addresses of the same adapter.
    ///
    /// Default: the description.
    var identity: String { get }

    /// Whether this program itself serves the other end.
    ///
    /// Every opening then makes a new simulated adapter, and none is remembered.
    ///
    /// Default: no.
    var isServedHere: Bool { get }

    /// Whether only one session at a time can use the transport.
    ///
    /// Default: yes, unless this program serves it.
    var isExclusive: Bool { get }

    /// The key under which the adapter is remembered; nil if the adapter is not remembered.
    ///
    /// The key under which the adapter is remembered; nil if the adapter is not remembered.
    var memoryKey: String? { get }

    /// The wire protocols that the adapter is known to use; if empty (default), they have to be
    /// detected.
    var protocols: [String] { get }

    /// The recording that is played; nil (default) if there is none.
    var recording: String? { get }

    /// The device node that appears when it is plugged in, under a stable name.
    ///
    /// Nil (default) if the device is not plugged in.
    var pluggedNode: String? { get }

    /// Parts of the address that identify one device and must not be in a report.
    ///
    /// Default: none.
    var personalParts: [String] { get }

    /// Whether `accessory` is the device at this address.
    ///
    /// Default: if the addresses are equal.
    func leads(to accessory: Accessory) -> Bool

    // MARK: Opening

    /// Why the address cannot be opened, if its text alone shows that.
    ///
    /// Default: nil, nothing is wrong.
    var visibleFault: String? { get }

    /// Facts that are known without opening the transport.
    ///
    /// Default: nothing.
    func findings() -> [AccessoryFinding]

    /// Facts that an open session proves; unit of `lineRate`: bit/s.
    func findings(lineRate: Int?) -> [AccessoryFinding]

    /// The connector that opens the transport when a session needs it.
    ///
    /// A transport that keeps state between openings makes its own connector. The default connector
    /// keeps no state.
    func connector() throws(AccessoryError) -> Connector

    /// Opens a session; nil if the caller cancelled the wait.
    ///
    /// - Parameters:
    ///   - limit: the time limit for connections over Bluetooth or the network.
    ///   - cancel: a descriptor that ends the wait when it becomes readable.
    func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession?

    /// The remedy if the other end closes the session.
    var remedyWhenClosed: String { get }

    /// The error that names the device at the other end, if it was opened and no adapter answered.
    ///
    /// Nil (default) if nothing is known.
    func stranger(cancelledBy cancel: Int32?) -> AccessoryError?
}

extension Transport {
    /// Default: a path does not mean this transport.
    public init?(barePath path: String) { return nil }

    /// Default: none.
    public static var offers: [AddressOffer] { [] }

    /// Default: the description.
    public var typedForm: String { description }

    /// Default: the description.
    public var name: String { description }

    /// Default: the description.
    public var identity: String { description }

    /// Default: another device or program serves the other end.
    public var isServedHere: Bool { false }

    /// Default: one session at a time, unless this program serves it.
    public var isExclusive: Bool { !isServedHere }

    /// Default: the description, unless this program serves it.
    public var memoryKey: String? { isServedHere ? nil : description }

    /// Default: the protocols have to be detected.
    public var protocols: [String] { [] }

    /// Default: none.
    public var recording: String? { nil }

    /// Default: none.
    public var pluggedNode: String? { nil }

    /// Default: none.
    public var personalParts: [String] { [] }

    /// Default: whether the addresses are equal.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.address == AccessoryAddress(self)
    }

    /// Default: none.
    public var visibleFault: String? { nil }

    /// Default: none.
    public func findings() -> [AccessoryFinding] { [] }

    /// Default: that there is a link.
    public func findings(lineRate: Int?) -> [AccessoryFinding] {
        [AccessoryFinding(.link, isServedHere ? "served by obdscan itself" : "connected")]
    }

    /// Default: a connector that keeps no state.
    public func connector() throws(AccessoryError) -> Connector { Connector(self) }

    /// Default: the usual hint.
    public var remedyWhenClosed: String { LinkFault.usualRemedy }

    /// Default: nothing is known.
    public func stranger(cancelledBy cancel: Int32?) -> AccessoryError? { nil }
}

/// How the addresses of one transport are written.
public struct TransportForm: Hashable, Sendable {
    /// The word before the colon.
    public var scheme: String
    /// The form in the help of `-d`: `rfcomm:ADDRESS`.
    public var short: String
    /// The full forms with their variants, for hints.
    public var full: [String]
    /// Whether the part after the colon is a file path.
    public var takesFile: Bool

    /// Creates a form; `full` is nil if it is the same as the short one.
    public init(
        _ scheme: String, short: String, full: [String]? = nil, takesFile: Bool = false
    ) {
        self.scheme = scheme
        self.short = short
        self.full = full ?? [short]
        self.takesFile = takesFile
    }
}

/// A word that completion offers for an adapter.
public struct AddressOffer: Hashable, Sendable {
    /// The word.
    public var word: String
    /// One line about the device for the user.
    public var about: String

    /// A word with its description.
    public init(_ word: String, about: String) {
        self.word = word
        self.about = about
    }
}

/// A step on the way to an adapter.
public enum AccessoryStep: Hashable, Sendable, CaseIterable {
    /// The device, or its node in the file system.
    case device
    /// Whether this user may open the device.
    case permissions
    /// Whether no other program uses the device.
    case free
    /// The network connection to an adapter.
    case network
    /// The Bluetooth controller and the pairing.
    case bluetooth
    /// The link.
    case link
    /// The adapter at the end of the link.
    case adapter
}

/// Something on the way to an adapter that was checked and is in order.
public struct AccessoryFinding: Hashable, Sendable {
    /// The step that was checked.
    public var step: AccessoryStep
    /// The finding.
    public var found: String
    /// Advice about the finding; nil if there is none.
    public var advice: String?

    /// Creates a finding.
    public init(_ step: AccessoryStep, _ found: String, advice: String? = nil) {
        self.step = step
        self.found = found
        self.advice = advice
    }
}
