import Accessory
import Glibc

// What users are told of accessories that cannot be opened or went away.
extension Failure {
    /// An accessory that cannot be opened, or went away.
    init(_ error: AccessoryError) {
        switch error {
        case .notFound(let path):
            // It takes the usual USB bridges for braille displays, and the node goes.
            let thief =
                path.contains("ttyUSB") ? "; brltty may have taken it: sudo apt remove brltty" : ""
            self.init(
                "\(path): there is no such accessory",
                hint: "obdscan devices lists what is attached" + thief, status: .unavailable)
        case .notATerminal(let path):
            self.init(
                "\(path) is no serial line",
                hint: "a recorded conversation is given as replay:\(path)", status: .unavailable)
        case .permissionDenied(let path, let group):
            let name = group ?? "dialout"
            // Membership helps where the group has rights.
            let rights =
                group == nil ? " && sudo chgrp \(name) \(path) && sudo chmod 660 \(path)" : ""
            self.init(
                "\(path): permission denied; "
                    + (group.map { "it belongs to group \($0)" } ?? "only its owner may open it"),
                hint: "sudo usermod -aG \(name) $USER\(rights), then log in again",
                status: .noPermission)
        case .inUse(let path, let holder):
            self.init(
                "\(path) is in use by \(Self.name(of: holder))",
                hint: Self.remedy(for: holder, at: path), status: .unavailable)
        case .unsupportedLineRate(let path, let rate):
            self.init(
                "\(path) cannot run at \(rate) bit/s",
                hint: "leave ?baud= out to have the rate detected", status: .unavailable)
        case .noAnswerAtAnyRate(let path, let rates):
            self.init(
                "\(path): nothing answered at \(rates.map(String.init).joined(separator: ", ")) bit/s",
                hint: "is the adapter plugged into the car and its light on? "
                    + "serial:\(path)?baud=N tries another rate",
                status: .unavailable)
        case .nameNotResolved(let host, let reason):
            self.init(
                "\(host): \(reason)", hint: "join the adapter's Wi-Fi, or give its address",
                status: .unavailable)
        case .unreachable(let address, let number):
            self.init(
                "\(address): \(describe(errno: number))",
                hint: number == ECONNREFUSED
                    ? "nothing listens there, or it is taken: most Wi-Fi adapters serve one program "
                        + "at a time; check the port, close other apps"
                    : "is the adapter powered, and this machine in its Wi-Fi?",
                status: .unavailable)
        case .connectTimedOut(let address):
            self.init(
                "\(address): no connection in time",
                hint: "is the adapter powered and in reach?", status: .unavailable)
        case .bluetoothUnavailable(let number): self.init(bluetoothErrno: number)
        case .bluetooth(let address, let fault): self.init(fault, address: address)
        case .unknownBluetoothName(let name, let known):
            self.init(unknownBluetoothName: name, known: known)
        case .lost(let address, let number): self.init(lost: address, errno: number)
        case .system(let call, let address, let number):
            self.init(
                "\(address): \(call): \(describe(errno: number))",
                hint: "unplug it and plug it in again; obdscan doctor looks for the reason",
                status: .unavailable)
        }
    }

    /// The message among those of other accessories: with this one's name before it, unless it begins
    /// with what that is about already.
    func told(of accessory: String) -> String {
        let scheme = accessory.firstIndex(of: ":").map { accessory.index(after: $0) }
        let place = accessory[(scheme ?? accessory.startIndex)...].prefix { $0 != "?" }
        let head = message.firstRange(of: ": ").map { message[..<$0.lowerBound] } ?? ""
        let isNamed =
            message.hasPrefix(accessory) || (!place.isEmpty && message.hasPrefix(place))
            || (!head.isEmpty && place.hasPrefix(head))
        return isNamed ? message : "\(accessory): \(message)"
    }

    private init(unknownBluetoothName name: String, known: [String]) {
        let others = known.prefix(8).joined(separator: ", ")
        self.init(
            "no Bluetooth accessory is called \"\(name)\"",
            hint: (others.isEmpty ? "" : "there are \(others); ")
                + "is it powered and in reach, and not connected to a phone? "
                + "bluetoothctl devices lists the known ones, bluetoothctl scan on finds others",
            status: .unavailable)
    }

    /// A link that broke; 0 for `number` = the other end closed it.
    private init(lost address: String, errno number: Int32) {
        self.init(
            number == 0
                ? "\(address) closed the connection" : "\(address): \(describe(errno: number))",
            hint: number == 0 && address.hasPrefix("tcp:")
                ? "most Wi-Fi adapters serve one program at a time: close other apps, then retry"
                : "is it still plugged in and in reach?",
            status: .linkLost)
    }

    private static func name(of holder: AccessoryError.Holder?) -> String {
        guard let holder else { return "another program" }
        return holder.program.isEmpty
            ? "process \(holder.pid)" : "\(holder.program) (process \(holder.pid))"
    }

    /// What makes a program let go of a serial line.
    private static func remedy(for holder: AccessoryError.Holder?, at path: String) -> String {
        switch holder?.program {
        case "ModemManager":
            "it takes every adapter for a modem: sudo systemctl stop ModemManager; for good: "
                + "sudo systemctl disable --now ModemManager, or a udev rule with "
                + "ENV{ID_MM_DEVICE_IGNORE}=\"1\""
        case "brltty":
            "it takes USB bridges for braille displays: sudo apt remove brltty"
        case nil:
            "sudo fuser -v \(path) tells which; ModemManager lets go when it is stopped: "
                + "sudo systemctl stop ModemManager"
        default: "end it first" + (holder.map { ": kill \($0.pid)" } ?? "")
        }
    }
}
