import Glibc

/// Why an adapter cannot be opened, or why its session ended.
///
/// The fault is a value of its transport, which also has the words for it: only the transport knows what is
/// wrong with its link and which command fixes it.
public struct AccessoryError: Error, Hashable, Sendable {
    /// What happened.
    public let fault: any AccessoryFault

    /// Wraps the fault of a transport.
    public init(_ fault: some AccessoryFault) {
        self.fault = fault
    }

    /// The fault in words for the user.
    public var words: FaultWords { fault.words }

    /// Whether both are the same fault.
    public static func == (one: AccessoryError, other: AccessoryError) -> Bool {
        one.fault.isEqual(to: other.fault)
    }

    /// Hashes the fault.
    public func hash(into hasher: inout Hasher) { fault.hash(into: &hasher) }

    /// A program that has the adapter open.
    public struct Holder: Hashable, Sendable, CustomStringConvertible {
        /// The process ID.
        public var pid: Int32
        /// The program's name; empty if it cannot be read.
        public var program: String

        /// A program by process ID and name.
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

/// The faults of one kind of transport: a closed set of cases with the details that were observed.
public protocol AccessoryFault: Hashable, Sendable {
    /// The fault in words for the user.
    var words: FaultWords { get }
}

extension AccessoryFault {
    fileprivate func isEqual(to other: any AccessoryFault) -> Bool { other as? Self == self }
}

/// A fault in words for the user.
public struct FaultWords: Hashable, Sendable {
    /// The category of a fault; obdscan has an exit code for each.
    public enum Category: Hashable, Sendable, CaseIterable {
        /// The adapter is missing, in use, or does not answer.
        case unavailable
        /// The user lacks the permission to open it.
        case noPermission
        /// The session was open and ended.
        case lost
        /// The address is not valid.
        case usage
        /// A file that it needs is missing.
        case noInput
        /// A file that it needs is damaged.
        case badInput
    }

    /// The step on the way to the adapter at which the fault occurred.
    public var step: AccessoryStep
    /// The category for programs.
    public var category: Category
    /// Names the object and its fault, without a full stop or a line break.
    public var what: String
    /// What to do about it; nil if no remedy is known.
    public var remedy: String?

    /// Describes a fault in words.
    public init(
        _ step: AccessoryStep, _ what: String, remedy: String?,
        category: Category = .unavailable
    ) {
        self.step = step
        self.category = category
        self.what = what
        self.remedy = remedy
    }

    /// The system's text for an error number.
    static func text(ofErrno number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

/// Faults that every transport can have.
public enum LinkFault: AccessoryFault {
    /// The session ended because the device was unplugged, switched off or out of reach.
    ///
    /// If `errno` is 0, the peer closed the session, and `remedy` says what to do about that.
    case lost(address: String, errno: Int32, remedy: String)
    /// Any other system call that failed.
    case system(call: String, address: String, errno: Int32)

    /// What to do about a lost link if nothing else is known.
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
    /// The session ended; `errno` is 0 if the peer closed it.
    public static func lost(
        address: String, errno: Int32, remedy: String = LinkFault.usualRemedy
    ) -> AccessoryError {
        AccessoryError(LinkFault.lost(address: address, errno: errno, remedy: remedy))
    }

    /// A system call that failed.
    public static func system(call: String, address: String, errno: Int32) -> AccessoryError {
        AccessoryError(LinkFault.system(call: call, address: address, errno: errno))
    }

    /// Whether the session was open before it ended.
    public var isLoss: Bool { words.category == .lost }
}
