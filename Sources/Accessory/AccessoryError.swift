/// Why an accessory cannot be opened, or how its session ended.
///
/// Cases carry what was seen; messages and exit codes are made from them elsewhere.
public enum AccessoryError: Error, Hashable, Sendable {
    /// A program that has the accessory open.
    public struct Holder: Hashable, Sendable {
        /// Its process.
        public var pid: Int32
        /// Its name; empty where it may not be read.
        public var program: String

        /// A program by process and name.
        public init(pid: Int32, program: String) {
            self.pid = pid
            self.program = program
        }
    }

    /// There is no such device node, or its device has gone (ENOENT, ENODEV, ENXIO).
    case notFound(path: String)
    /// The path is something else than a terminal (ENOTTY).
    case notATerminal(path: String)
    /// The node's permissions forbid it (EACCES, EPERM); `group` is whose members may
    /// open it, nil where nobody but its owner may.
    case permissionDenied(path: String, group: String?)
    /// Another program uses it; `holder` is nil where the program may not be seen.
    case inUse(path: String, holder: Holder?)
    /// The driver does not take the line rate; unit: bit/s.
    case unsupportedLineRate(path: String, rate: Int)
    /// Nothing answered at any of the line rates tried; unit: bit/s.
    case noAnswerAtAnyRate(path: String, rates: [Int])
    /// The host name has no address; `reason` is the resolver's.
    case nameNotResolved(host: String, reason: String)
    /// The address does not take the connection.
    case unreachable(address: String, errno: Int32)
    /// No connection in time.
    case connectTimedOut(address: String)
    /// This machine has no Bluetooth: no kernel support, no controller, or it is switched off.
    case bluetoothUnavailable(errno: Int32)
    /// The Bluetooth accessory cannot be reached.
    case bluetooth(address: String, BluetoothFault)
    /// No Bluetooth accessory of that name is known; the names that are.
    case unknownBluetoothName(String, known: [String] = [])
    /// The session ended: unplugged, switched off or out of reach; `errno` 0 = the peer closed it.
    case lost(address: String, errno: Int32)
    /// Any other failing system call.
    case system(call: String, address: String, errno: Int32)

    /// The error number of the system call behind it; 0 where there was none.
    public var errno: Int32 {
        switch self {
        case .notFound, .notATerminal, .permissionDenied, .inUse, .unsupportedLineRate,
            .noAnswerAtAnyRate, .nameNotResolved, .connectTimedOut, .unknownBluetoothName:
            0
        case .bluetooth(_, .failed(let errno)): errno
        case .bluetooth: 0
        case .unreachable(_, let errno), .bluetoothUnavailable(let errno),
            .lost(_, let errno), .system(_, _, let errno):
            errno
        }
    }
}
