import CAccessory
import Glibc
import OBDCore

/// Connects to Bluetooth accessories over RFCOMM.
enum RFCOMMClient {
    /// Channels that adapters without a service record use.
    static let usualChannels: [UInt8] = [1, 2, 3]

    /// Connects to `channel`, or to the one that the accessory's Serial Port Profile names.
    static func connect(
        _ address: BluetoothAddress, channel: UInt8?, within limit: Duration,
        cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        if let channel {
            return try connect(address, on: channel, within: limit, cancelledBy: cancel)
        }
        // Without Bluetooth there is no need to look anything up.
        Glibc.close(try socket(for: address))
        let found = ServiceDiscovery.serialPortChannel(of: address)
        let channels = found.map { [$0] } ?? usualChannels
        var failure = AccessoryError.connectTimedOut(address: address.description)
        for channel in channels {
            do {
                return try connect(address, on: channel, within: limit, cancelledBy: cancel)
            } catch .unreachable(let name, let number) where number == ECONNREFUSED {
                // Nobody listens on that channel; another one may do.
                failure = .unreachable(address: name, errno: number)
            }
        }
        throw failure
    }

    private static func socket(for address: BluetoothAddress) throws(AccessoryError) -> Int32 {
        let descriptor = ca_stream_socket(ca_af_bluetooth(), ca_btproto_rfcomm())
        if descriptor >= 0 { return descriptor }
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV: throw .bluetoothUnavailable(errno: errno)
        default: throw .system(call: "socket", address: address.description, errno: errno)
        }
    }

    private static func connect(
        _ address: BluetoothAddress, on channel: UInt8, within limit: Duration,
        cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let descriptor = try socket(for: address)
        let name = address.description
        let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
        _ = ca_rfcomm_security(descriptor)
        // The kernel wants the last printed byte first.
        let status = ca_rfcomm_connect(descriptor, address.bytes.reversed(), channel)
        switch try StreamConnection.finish(
            descriptor, status: status, deadline: SystemClock.now() + limit, cancelledBy: cancel)
        {
        case .connected: return session
        case .failed(let number): throw error(number, name)
        case .timedOut: throw .connectTimedOut(address: name)
        case .cancelled: return nil
        }
    }

    /// What a failed connection means (Linux net/bluetooth/lib.c, bt_to_errno).
    static func error(_ number: Int32, _ name: String) -> AccessoryError {
        switch number {
        case EACCES, EBADE, EPERM: .notPaired(address: name, errno: number)
        case EBUSY, EALREADY, EMLINK: .inUse(path: name, holder: nil)
        case ENODEV, EHOSTUNREACH, EAFNOSUPPORT, EPROTONOSUPPORT:
            .bluetoothUnavailable(errno: number)
        case ETIMEDOUT: .connectTimedOut(address: name)
        default: .unreachable(address: name, errno: number)
        }
    }
}
