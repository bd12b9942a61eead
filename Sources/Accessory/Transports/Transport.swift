import Glibc

/// One way to reach an accessory, and everything that is special about it: how it is written, opened,
/// told from others and remembered, and what its faults mean.
///
/// To add one, write a type in its own file, and name it once in ``TransportRegistry``. Nothing
/// else has to know it: help, hints, completion, `devices`, `doctor`, `setup` and `log` ask the registry
/// or the transport. It is right when
/// - what it prints can be read again and is the same,
/// - ``open(within:cancelledBy:)`` ends soon after `cancel` becomes readable, and its session never blocks,
/// - every fault says what happened and, as a command where there is one, what fixes it.
public protocol Transport: Hashable, Sendable, CustomStringConvertible {
    /// How it is written.
    static var form: TransportForm { get }

    /// Reads the part after the scheme and its colon; `text` is the whole address, for faults.
    init(_ rest: Substring, of text: String) throws(AddressError)

    /// What a path without a scheme means; nil = nothing of this kind, which is the default.
    init?(barePath path: String)

    /// Words that completion offers.
    ///
    /// Default: none.
    static var offers: [AddressOffer] { get }

    /// The form with its scheme: printed as `id`, can be given to `-d` again.
    var description: String { get }

    /// The form that people type.
    ///
    /// Default: the description.
    var typedForm: String { get }

    /// The accessory as messages name it.
    ///
    /// Default: the description.
    var name: String { get }

    // MARK: Which accessory it is

    /// The same for two names of one accessory.
    ///
    /// Default: the description.
    var identity: String { get }

    /// Whether this program is itself at the other end; then there are as many as are opened, and none
    /// is remembered.
    ///
    /// Default: no.
    var isServedHere: Bool { get }

    /// Whether only one session at a time can be had with it.
    ///
    /// Default: yes, where it is not served here.
    var isExclusive: Bool { get }

    /// Under which it is remembered; nil = it is not worth it.
    ///
    /// Default: the description, where it is not served here.
    var memoryKey: String? { get }

    /// The wire protocols that it is known to speak; none = this has to be found out, which is the default.
    var protocols: [String] { get }

    /// The recording that is played; nil = none is, which is the default.
    var recording: String? { get }

    /// The device node that comes when it is plugged in, by a name that stays; nil = it is not plugged
    /// in, which is the default.
    var pluggedNode: String? { get }

    /// Parts of the address that name one device, and have no place in a report.
    ///
    /// Default: none.
    var personalParts: [String] { get }

    /// Whether `accessory` is what it leads to.
    ///
    /// Default: when the addresses are equal.
    func leads(to accessory: Accessory) -> Bool

    // MARK: Opening

    /// Why it cannot be opened, as far as the text alone shows; nil = nothing shows, which is the
    /// default.
    var visibleFault: String? { get }

    /// What can be seen of it without opening anything.
    ///
    /// Default: nothing.
    func findings() -> [AccessoryFinding]

    /// What an open session proves; unit of `lineRate`: bit/s.
    func findings(lineRate: Int?) -> [AccessoryFinding]

    /// Opens it whenever a session needs it.
    ///
    /// A transport with something to keep from one opening to the next makes its own connector; the
    /// default has nothing.
    func connector() throws(AccessoryError) -> Connector

    /// Opens a session; nil = the waiting was cancelled.
    ///
    /// - Parameters:
    ///   - limit: for connections over the air or the network.
    ///   - cancel: a descriptor that ends the waiting when it becomes readable.
    func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession?

    /// What to do when the other end closes the session.
    var remedyWhenClosed: String { get }

    /// What is at the other end, where it was opened and no adapter answered.
    ///
    /// Nil = nothing is known, which is the default.
    func stranger(cancelledBy cancel: Int32?) -> AccessoryError?
}

extension Transport {
    /// Is not meant by a path.
    public init?(barePath path: String) { return nil }

    /// None.
    public static var offers: [AddressOffer] { [] }

    /// The description.
    public var typedForm: String { description }

    /// The description.
    public var name: String { description }

    /// The description.
    public var identity: String { description }

    /// Another device or program is at the other end.
    public var isServedHere: Bool { false }

    /// One session, where it is not served here.
    public var isExclusive: Bool { !isServedHere }

    /// The description, where it is not served here.
    public var memoryKey: String? { isServedHere ? nil : description }

    /// Has to be found out.
    public var protocols: [String] { [] }

    /// None.
    public var recording: String? { nil }

    /// None.
    public var pluggedNode: String? { nil }

    /// None.
    public var personalParts: [String] { [] }

    /// Whether the addresses are equal.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.address == AccessoryAddress(self)
    }

    /// None.
    public var visibleFault: String? { nil }

    /// None.
    public func findings() -> [AccessoryFinding] { [] }

    /// That there is a link.
    public func findings(lineRate: Int?) -> [AccessoryFinding] {
        [AccessoryFinding(.link, isServedHere ? "served by obdscan itself" : "connected")]
    }

    /// One that keeps nothing.
    public func connector() throws(AccessoryError) -> Connector { Connector(self) }

    /// The usual.
    public var remedyWhenClosed: String { LinkFault.usualRemedy }

    /// Nothing is known.
    public func stranger(cancelledBy cancel: Int32?) -> AccessoryError? { nil }
}

/// How addresses of one transport are written.
public struct TransportForm: Hashable, Sendable {
    /// The word before the colon.
    public var scheme: String
    /// As the help of `-d` lists it: `rfcomm:ADDRESS`.
    public var short: String
    /// As a hint lists it, in full and with its variants.
    public var full: [String]
    /// Whether the part after the colon is a file.
    public var takesFile: Bool

    /// A form; `full` is nil where it is the short one.
    public init(
        _ scheme: String, short: String, full: [String]? = nil, takesFile: Bool = false
    ) {
        self.scheme = scheme
        self.short = short
        self.full = full ?? [short]
        self.takesFile = takesFile
    }
}

/// A word that completion offers for an accessory.
public struct AddressOffer: Hashable, Sendable {
    /// The word.
    public var word: String
    /// One line about it for people.
    public var about: String

    /// A word and a line about it.
    public init(_ word: String, about: String) {
        self.word = word
        self.about = about
    }
}

/// A part of the way to an accessory.
public enum AccessoryStep: Hashable, Sendable, CaseIterable {
    /// The device, or what stands for it in the file system.
    case device
    /// Whether this user may open it.
    case permissions
    /// Whether no other program has it.
    case free
    /// The way to a network adapter.
    case network
    /// The Bluetooth controller, and the pairing.
    case bluetooth
    /// The link.
    case link
    /// The adapter at the end of the link.
    case adapter
}

/// Something that was seen on the way to an accessory, and is in order.
public struct AccessoryFinding: Hashable, Sendable {
    /// Where.
    public var step: AccessoryStep
    /// What was seen.
    public var found: String
    /// What to know about it; nil = nothing.
    public var advice: String?

    /// Something that was seen.
    public init(_ step: AccessoryStep, _ found: String, advice: String? = nil) {
        self.step = step
        self.found = found
        self.advice = advice
    }
}
