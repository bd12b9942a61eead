import Accessory
import Glibc

// What Bluetooth's faults mean to a user: what happened, and the commands that mend it.

extension Failure {
    /// This machine's Bluetooth does not work.
    init(bluetoothErrno number: Int32) {
        switch number {
        case EHOSTUNREACH, ENETDOWN:
            self.init(
                "Bluetooth is switched off",
                hint: "bluetoothctl power on; if that fails: rfkill unblock bluetooth",
                status: .unavailable)
        case ENODEV:
            self.init(
                "there is no Bluetooth here: no controller",
                hint: "plug a Bluetooth controller in, then: bluetoothctl power on",
                status: .unavailable)
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            self.init(
                "there is no Bluetooth here: \(describe(errno: number))",
                hint: "the kernel lacks it: sudo modprobe rfcomm", status: .unavailable)
        default:
            self.init(
                "there is no Bluetooth here: \(describe(errno: number))",
                hint: "sudo systemctl start bluetooth, then: bluetoothctl power on",
                status: .unavailable)
        }
    }

    /// A Bluetooth accessory that cannot be reached.
    init(_ fault: BluetoothFault, address: String) {
        // The address alone, without a channel, is what bluetoothctl takes.
        let device = address.prefix { $0 != "/" }
        let pairing =
            "bluetoothctl, then in it: agent KeyboardDisplay, scan on, pair \(device) "
            + "(most adapters take 1234, others 0000), trust \(device)"
        switch fault {
        case .silent:
            self.init(
                "\(address): the accessory does not answer",
                hint: "is it powered and in reach, and not connected to a phone? "
                    + "Some wake up with the ignition",
                status: .unavailable)
        case .refused(let channel):
            self.init(
                channel.map { "\(device)/\($0): the accessory refused the connection" }
                    ?? "\(address): the accessory refused every usual channel",
                hint: "disconnect other phones and computers from it; sdptool browse \(device) "
                    + "tells its channels; or pair it: \(pairing)",
                status: .unavailable)
        case .authenticationFailed:
            self.init(
                "\(address): the accessory wants to be paired first, or the number was wrong",
                hint: pairing, status: .noPermission)
        case .keyLost:
            self.init(
                "\(address): the earlier pairing is no longer known to both sides",
                hint: "bluetoothctl remove \(device), then pair again: \(pairing)",
                status: .noPermission)
        case .busy:
            self.init(
                "\(address) is in use by another program, or the controller has no room",
                hint: "end the other program, or: bluetoothctl disconnect \(device)",
                status: .unavailable)
        case .lowEnergyOnly:
            self.init(
                "\(address): the accessory speaks Bluetooth LE only, which has no serial port",
                hint: "use one with Bluetooth Classic (SPP), USB or Wi-Fi", status: .unavailable)
        case .severalOfThatName(let addresses):
            self.init(
                "several Bluetooth accessories are called \"\(address)\": "
                    + addresses.joined(separator: ", "),
                hint: "name one by its address: -d rfcomm:\(addresses.first ?? "ADDRESS")",
                status: .usage)
        case .failed(let number):
            self.init(
                "\(address): the connection broke while it was made: \(describe(errno: number))",
                hint: number == EIO
                    ? "unplug the controller and plug it in again, then: bluetoothctl power on"
                    : "try again; if it stays: bluetoothctl disconnect \(device)",
                status: .unavailable)
        }
    }
}
