public import OBDCore
import SystemIO

extension Explanation {
    /// The fault and its remedy, in one line.
    package var line: String { hint.map { "\(message); \($0)" } ?? message }
}

extension AccessoryError: CustomStringConvertible {
    /// The fault in one line.
    public var description: String { explanation.line }
}

/// Why an adapter cannot be opened, or why its session ended.
///
/// The fault is a value of its transport, which also has the words for it: only the transport knows what is
/// wrong with its link and which command fixes it.
public struct AccessoryError: Explained, Hashable, Sendable {
    /// What happened.
    public let fault: any AccessoryFault

    /// Wraps the fault of a transport.
    public init(_ fault: some AccessoryFault) {
        self.fault = fault
    }

    /// The fault in words, with the step at which the fault occurred.
    public var words: FaultWords { fault.words }

    /// The fault in words for the user.
    public var explanation: Explanation { fault.words.explanation }

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
    /// The fault in words for the user.
    public var explanation: Explanation { words.explanation }

    fileprivate func isEqual(to other: any AccessoryFault) -> Bool { other as? Self == self }
}

/// A fault in words, with the step on the way to the adapter at which the fault occurred.
public struct FaultWords: Hashable, Sendable {
    /// The step on the way to the adapter.
    public var step: AccessoryStep
    /// The fault in words for the user.
    public var explanation: Explanation

    /// Describes a fault in words.
    public init(
        _ step: AccessoryStep, _ message: String, hint: String?,
        category: Explanation.Category = .unavailable
    ) {
        self.step = step
        explanation = Explanation(message, hint: hint, category)
    }
}

/// Faults that every transport can have.
public enum LinkFault: AccessoryFault {
    /// The session ended because the device was unplugged, switched off or out of reach.
    ///
    /// If `errno` is 0, the peer closed the session, and `hint` says what to do about that.
    case lost(address: String, errno: Int32, hint: String)
    /// Any other system call that failed.
    case system(call: String, address: String, errno: Int32)
    /// The transport's descriptor is not non-blocking.
    case blocks(address: String)

    /// The remedy for a lost link if nothing else is known.
    public static let usualRemedy = "is it still plugged in and in reach?"

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .lost(let address, 0, let remedy):
            FaultWords(
                .link, "\(address) closed the connection", hint: remedy, category: .lost)
        case .lost(let address, let number, _):
            FaultWords(
                .link, "\(address): \(SystemError.text(of: number))",
                hint: Self.usualRemedy, category: .lost)
        case .system(let call, let address, let number):
            FaultWords(
                .link, "\(address): \(call): \(SystemError.text(of: number))",
                hint: "unplug it and plug it in again; \"obdscan doctor\" looks for the reason")
        case .blocks(let address):
            FaultWords(
                .link, "\(address): reads and writes of its descriptor wait",
                hint: "the transport has to set O_NONBLOCK", category: .bug)
        }
    }
}

extension AccessoryError {
    /// The session ended; `errno` is 0 if the peer closed it.
    public static func lost(
        address: String, errno: Int32, hint: String = LinkFault.usualRemedy
    ) -> AccessoryError {
        AccessoryError(LinkFault.lost(address: address, errno: errno, hint: hint))
    }

    /// A system call that failed.
    public static func system(call: String, address: String, errno: Int32) -> AccessoryError {
        AccessoryError(LinkFault.system(call: call, address: address, errno: errno))
    }

    /// Whether the session was open before it ended.
    public var isLoss: Bool { explanation.category == .lost }
}
