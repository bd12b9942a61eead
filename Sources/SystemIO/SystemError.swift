import Glibc

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable {
    /// The call.
    public var call: String
    /// Its error number.
    public var errno: Int32

    /// A failed call.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// A call that failed just now, with `errno` as it is.
    public static func last(_ call: String) -> SystemError {
        SystemError(call: call, errno: Glibc.errno)
    }
}
