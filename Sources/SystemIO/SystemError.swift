import Glibc

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
}
