import Glibc
public import OBDCore

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable {
    /// The name of the call.
    public var call: String
    /// The error number of the call.
    public var errno: Int32

    /// Creates an error.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// The error of a call that just failed, with the current `errno`.
    public static func last(_ call: String) -> SystemError {
        SystemError(call: call, errno: Glibc.errno)
    }

    /// The system's text for an error number: `No such file or directory`.
    public static func text(of number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

extension SystemError: Explained {
    /// A system call that fails only if the machine lacks resources.
    public var explanation: Explanation {
        Explanation(
            "\(call): \(Self.text(of: errno))",
            hint: "is the machine short of memory or open files (ulimit -n)? else please report it",
            .bug)
    }
}
