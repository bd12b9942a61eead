import Glibc

/// Why a Bluetooth accessory cannot be reached.
public enum BluetoothFault: Hashable, Sendable {
    /// It does not answer its call: off, out of reach, or connected to somebody else.
    case silent
    /// Nobody listens on that channel, or it takes no more connections.
    case refused(channel: UInt8?)
    /// It or this machine refuses without the right key (EACCES, EPERM).
    case authenticationFailed
    /// One side has forgotten the key of an earlier pairing (EBADE, EKEYREJECTED).
    case keyLost
    /// The channel is open already, or the controller has no room (EBUSY, EALREADY, EMLINK).
    case busy
    /// It speaks Bluetooth LE alone, which has no serial port.
    case lowEnergyOnly
    /// Several have the name; their addresses.
    case severalOfThatName([String])
    /// The connection broke while it was made; what the kernel said.
    case failed(errno: Int32)

    /// What a failed connection means (Linux net/bluetooth/lib.c, bt_to_errno); nil = no fault of
    /// the accessory, but of this machine's Bluetooth.
    static func of(errno number: Int32, channel: UInt8?) -> BluetoothFault? {
        switch number {
        case EHOSTDOWN, ETIMEDOUT: .silent
        case ECONNREFUSED: .refused(channel: channel)
        case EACCES, EPERM: .authenticationFailed
        case EBADE, EKEYREJECTED: .keyLost
        case EBUSY, EALREADY, EMLINK: .busy
        case ENODEV, EHOSTUNREACH, ENETDOWN, EAFNOSUPPORT, EPROTONOSUPPORT: nil
        default: .failed(errno: number)
        }
    }
}

extension AccessoryError {
    /// What a failed Bluetooth connection means.
    static func bluetooth(errno number: Int32, _ name: String, channel: UInt8?) -> AccessoryError {
        guard let fault = BluetoothFault.of(errno: number, channel: channel) else {
            return .bluetoothUnavailable(errno: number)
        }
        return .bluetooth(address: name, fault)
    }
}
