import Glibc
import SystemIO

/// The faults of Bluetooth.
public enum BluetoothFault: AccessoryFault {
    /// This machine has no Bluetooth: no kernel support, no controller, or the controller is switched off.
    case unavailable(errno: Int32)
    /// The device cannot be reached.
    case accessory(address: String, Reason)
    /// No device with this name is known; `known` has the names that are.
    case unknownName(String, known: [String] = [])

    /// Why a device cannot be reached.
    public enum Reason: Hashable, Sendable {
        /// The device does not respond: it is off, out of reach, or connected to another host.
        case silent
        /// No service listens on that channel, or the device accepts no more connections.
        case refused(channel: UInt8?)
        /// The device or this machine requires the right key (EACCES, EPERM).
        case authenticationFailed
        /// One side no longer has the key of an earlier pairing (EBADE, EKEYREJECTED).
        case keyLost
        /// The channel is already open, or the controller accepts no more connections (EBUSY, EALREADY,
        /// EMLINK).
        case busy
        /// The device supports Bluetooth LE only, which has no serial port.
        case lowEnergyOnly
        /// Several devices have the name; these are their addresses.
        case severalOfThatName([String])
        /// The connection broke while it was being set up; `errno` is the kernel's error.
        case failed(errno: Int32)
    }

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .unavailable(let number): Self.words(unavailable: number)
        case .accessory(let address, let reason): Self.words(reason, address)
        case .unknownName(let name, let known): Self.words(unknownName: name, known)
        }
    }

    private static func words(unavailable number: Int32) -> FaultWords {
        switch number {
        case EHOSTUNREACH, ENETDOWN:
            FaultWords(
                .bluetooth, "Bluetooth is switched off",
                hint: "bluetoothctl power on; if that fails: rfkill unblock bluetooth")
        case ENODEV:
            FaultWords(
                .bluetooth, "Bluetooth is not available: no controller was found",
                hint: "plug a Bluetooth controller in, then: bluetoothctl power on")
        case ENOENT, ECONNREFUSED:
            FaultWords(
                .bluetooth, "Bluetooth is not available: its service does not run",
                hint: "sudo systemctl start bluetooth, then: bluetoothctl power on")
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            FaultWords(
                .bluetooth, "Bluetooth is not available: \(SystemError.text(of: number))",
                hint: "the kernel lacks it: sudo modprobe rfcomm")
        default:
            FaultWords(
                .bluetooth, "Bluetooth is not available: \(SystemError.text(of: number))",
                hint: "sudo systemctl start bluetooth, then: bluetoothctl power on")
        }
    }

    private static func words(unknownName name: String, _ known: [String]) -> FaultWords {
        let others = known.prefix(8).joined(separator: ", ")
        return FaultWords(
            .bluetooth, "no Bluetooth device is called \"\(name)\"",
            hint: (others.isEmpty ? "" : "there are \(others); ")
                + "is it powered and in reach, and not connected to a phone? "
                + "bluetoothctl devices lists known devices, bluetoothctl scan on finds others")
    }

    private static func words(_ reason: Reason, _ address: String) -> FaultWords {
        // bluetoothctl takes the address alone, without a channel.
        let device = address.prefix { $0 != "/" }
        let pairing =
            "bluetoothctl, then in it: agent KeyboardDisplay, scan on, pair \(device) "
            + "(most adapters take 1234, others 0000), trust \(device)"
        return switch reason {
        case .silent:
            FaultWords(
                .bluetooth, "\(address): the adapter does not answer",
                hint: "is it powered and in reach, and not connected to a phone? "
                    + "Some wake up with the ignition")
        case .refused(let channel):
            FaultWords(
                .bluetooth,
                channel.map { "\(device)/\($0): the adapter refused the connection" }
                    ?? "\(address): the adapter refused every usual channel",
                hint: "disconnect other phones and computers from it; sdptool browse \(device) "
                    + "lists its channels; or pair it: \(pairing)")
        case .authenticationFailed:
            FaultWords(
                .bluetooth,
                "\(address): the adapter must be paired first, or the PIN was wrong",
                hint: pairing, category: .noPermission)
        case .keyLost:
            FaultWords(
                .bluetooth, "\(address): one side no longer knows the earlier pairing",
                hint: "bluetoothctl remove \(device), then pair again: \(pairing)",
                category: .noPermission)
        case .busy:
            FaultWords(
                .bluetooth,
                "\(address) is in use by another program, or the controller takes no more connections",
                hint: "end the other program, or: bluetoothctl disconnect \(device)")
        case .lowEnergyOnly:
            FaultWords(
                .bluetooth,
                "\(address): the adapter speaks Bluetooth LE only, which has no serial port",
                hint: "name it as a Bluetooth LE device: -d ble:\(device)")
        case .severalOfThatName(let addresses):
            FaultWords(
                .bluetooth,
                "several Bluetooth devices are called \"\(address)\": "
                    + addresses.joined(separator: ", "),
                hint: "name one by its address: -d rfcomm:\(addresses.first ?? "ADDRESS")",
                category: .usage)
        case .failed(let number):
            FaultWords(
                .bluetooth,
                "\(address): the connection failed: \(SystemError.text(of: number))",
                hint: number == EIO
                    ? "unplug the controller and plug it in again, then: bluetoothctl power on"
                    : "try again; if that does not help: bluetoothctl disconnect \(device)")
        }
    }
}

extension AccessoryError {
    /// A fault of Bluetooth.
    public static func bluetooth(_ fault: BluetoothFault) -> AccessoryError {
        AccessoryError(fault)
    }

    /// A Bluetooth device that cannot be reached.
    public static func bluetooth(
        address: String, _ reason: BluetoothFault.Reason
    ) -> AccessoryError { .bluetooth(.accessory(address: address, reason)) }

    /// The meaning of a failed connection (Linux net/bluetooth/lib.c, bt_to_errno).
    static func bluetooth(errno number: Int32, _ name: String, channel: UInt8?) -> AccessoryError {
        let reason: BluetoothFault.Reason
        switch number {
        case EHOSTDOWN, ETIMEDOUT: reason = .silent
        case ECONNREFUSED: reason = .refused(channel: channel)
        case EACCES, EPERM: reason = .authenticationFailed
        case EBADE, EKEYREJECTED: reason = .keyLost
        case EBUSY, EALREADY, EMLINK: reason = .busy
        // The fault is in this machine's Bluetooth, not in the device.
        case ENODEV, EHOSTUNREACH, ENETDOWN, EAFNOSUPPORT, EPROTONOSUPPORT:
            return .bluetooth(.unavailable(errno: number))
        default: reason = .failed(errno: number)
        }
        return .bluetooth(address: name, reason)
    }
}
