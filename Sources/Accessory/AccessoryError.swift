import Glibc

/// Why an accessory cannot be opened, or how its session ended.
///
/// The fault is a value of its transport, which also has the words for it: what is wrong with a
/// link, and which command fixes it, only the link knows.
public struct AccessoryError: Error, Hashable, Sendable {
    /// What happened.
    public let fault: any AccessoryFault

    /// An error by a transport's fault.
    public init(_ fault: some AccessoryFault) {
        self.fault = fault
    }

    /// The fault in words.
    public var words: FaultWords { fault.words }

    /// Whether both are the same fault.
    public static func == (one: AccessoryError, other: AccessoryError) -> Bool {
        one.fault.isEqual(to: other.fault)
    }

    /// Hashes the fault.
    public func hash(into hasher: inout Hasher) { fault.hash(into: &hasher) }

    /// A program that has the accessory open.
    public struct Holder: Hashable, Sendable, CustomStringConvertible {
        /// Its process.
        public var pid: Int32
        /// Its name; empty where it may not be read.
        public var program: String

        /// A program by process and name.
        public init(pid: Int32, program: String) {
            self.pid = pid
            self.program = program
        }

        /// `screen (process 4711)`.
        public var description: String {
            program.isEmpty ? "process \(pid)" : "\(program) (process \(pid))"
        }
    }
}

/// What can go wrong with one kind of transport: a closed set of cases that carry what was seen.
public protocol AccessoryFault: Hashable, Sendable {
    /// The fault in words.
    var words: FaultWords { get }
}

extension AccessoryFault {
    fileprivate func isEqual(to other: any AccessoryFault) -> Bool { other as? Self == self }
}

/// A fault in words for people.
public struct FaultWords: Hashable, Sendable {
    /// What programs make of a fault: obdscan has an exit code for each.
    public enum Category: Hashable, Sendable, CaseIterable {
        /// It is missing, taken, or does not answer.
        case unavailable
        /// The user may not have it.
        case noPermission
        /// The session was open and ended.
        case lost
        /// Its address cannot be meant so.
        case usage
        /// A file that belongs to it is missing.
        case noInput
        /// A file that belongs to it is damaged.
        case badInput
    }

    /// Where on the way to the accessory.
    public var step: AccessoryStep
    /// What programs make of it.
    public var category: Category
    /// Names the thing and says what happened to it; no full stop, no line break.
    public var what: String
    /// What to do about it; nil = nothing is known.
    public var remedy: String?

    /// A fault in words.
    public init(
        _ step: AccessoryStep, _ what: String, remedy: String?,
        category: Category = .unavailable
    ) {
        self.step = step
        self.category = category
        self.what = what
        self.remedy = remedy
    }

    /// What the system says of an error number.
    static func text(ofErrno number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

/// What can go wrong with every transport.
public enum LinkFault: AccessoryFault {
    /// The session ended: unplugged, switched off or out of reach; `errno` 0 = the peer closed it, which
    /// `remedy` is for.
    case lost(address: String, errno: Int32, remedy: String)
    /// Any other failing system call.
    case system(call: String, address: String, errno: Int32)

    /// What to do about a lost link of which nothing else is known.
    public static let usualRemedy = "is it still plugged in and in reach?"

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .lost(let address, 0, let remedy):
            FaultWords(
                .link, "\(address) closed the connection", remedy: remedy, category: .lost)
        case .lost(let address, let number, _):
            FaultWords(
                .link, "\(address): \(FaultWords.text(ofErrno: number))",
                remedy: Self.usualRemedy, category: .lost)
        case .system(let call, let address, let number):
            FaultWords(
                .link, "\(address): \(call): \(FaultWords.text(ofErrno: number))",
                remedy: "unplug it and plug it in again; \"obdscan doctor\" looks for the reason")
        }
    }
}

extension AccessoryError {
    /// The session ended; `errno` 0 = the peer closed it.
    public static func lost(
        address: String, errno: Int32, remedy: String = LinkFault.usualRemedy
    ) -> AccessoryError {
        AccessoryError(LinkFault.lost(address: address, errno: errno, remedy: remedy))
    }

    /// A failing system call.
    public static func system(call: String, address: String, errno: Int32) -> AccessoryError {
        AccessoryError(LinkFault.system(call: call, address: address, errno: errno))
    }

    /// Whether the session was open and ended.
    public var isLoss: Bool { words.category == .lost }
}
