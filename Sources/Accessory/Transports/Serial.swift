import CSystem
import Glibc
import SystemIO

/// `/dev/ttyUSB0`, `serial:PATH?baud=N`: a serial line, a USB bridge, or a pty.
public struct SerialTransport: Transport {
    /// The device node.
    public var path: String
    /// The line rate; unit: bit/s.
    ///
    /// Nil means to detect it, if it matters.
    public var rate: Int?

    /// The forms of the address.
    public static let form = TransportForm(
        "serial", short: "/dev/ttyUSB0", full: ["/dev/ttyUSB0", "serial:PATH?baud=N"])

    /// A serial line by its node.
    public init(path: String, rate: Int?) {
        self.path = path
        self.rate = rate
    }

    /// Reads `PATH?baud=N`.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let (path, options) = try AddressPart.options(of: rest, ["baud"], in: text)
        if path.isEmpty { throw AddressError(.missing("path"), in: text) }
        var rate: Int?
        for option in options {
            guard let number = AddressPart.decimal(option.value),
                (50...20_000_000).contains(number)
            else { throw AddressError(.badValue("baud", String(option.value)), in: text) }
            rate = number
        }
        self.init(path: String(path), rate: rate)
    }

    /// A path without a scheme is a device node.
    public init?(barePath path: String) { self.init(path: path, rate: nil) }

    /// `serial:PATH?baud=N`.
    public var description: String { "serial:\(path)" + (rate.map { "?baud=\($0)" } ?? "") }

    /// The path alone if no rate is given.
    public var typedForm: String { rate == nil ? path : description }

    /// The path.
    public var name: String { path }

    // MARK: Identity

    /// The node after all symbolic links are resolved.
    public var identity: String { Files.resolve(path) ?? path }

    /// A name that stays the same when the device is plugged in again; nil for ptys, whose numbers are
    /// reused.
    public var memoryKey: String? {
        if isPty { return nil }
        return attached.map(\.memoryKey) ?? "serial:\(path)"
    }

    /// A name that is the same at every USB socket; nil for ptys.
    public var pluggedNode: String? { isPty ? nil : attached?.stablePath ?? path }

    /// Compares the node or the stable name and ignores the rate.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.stablePath == path || accessory.address == .serial(path: path, rate: nil)
    }

    private var isPty: Bool { path.hasPrefix("/dev/pts/") }

    private var attached: Accessory? {
        AccessoryManager().attached().first { $0.address == .serial(path: path, rate: nil) }
    }

    // MARK: Findings

    /// The USB descriptors of the line.
    public func findings() -> [AccessoryFinding] {
        guard let attached else { return [] }
        let parts = [attached.manufacturer, attached.model, attached.serialNumber]
        let words = parts.compactMap(\.self).joined(separator: " ")
        return words.isEmpty ? [] : [AccessoryFinding(.device, words)]
    }

    /// That the user may open it, and its line rate.
    public func findings(lineRate: Int?) -> [AccessoryFinding] {
        [
            AccessoryFinding(.permissions, "\(path) may be read and written"),
            AccessoryFinding(.free, "no other program uses it"),
            AccessoryFinding(.link, lineRate.map { "open at \($0) bit/s" } ?? "open"),
        ]
    }

    // MARK: Opening

    // Device numbers of terminals without a line rate (Linux, admin-guide/devices.txt).
    private static let ptyMajors: ClosedRange<Int32> = 136...143
    private static let usbModemMajor: Int32 = 166
    private static let rfcommMajor: Int32 = 216

    /// Opens the node exclusively in raw mode; raises its modem lines and leaves them raised.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        if let holder = DeviceHolder.byLockFile(of: path) {
            throw .serial(.inUse(path: path, holder: holder))
        }
        let descriptor = sys_open_tty(path)
        if descriptor < 0 { throw error(errno) }
        // From here on the session closes the descriptor on every path.
        var session = DescriptorSession(
            descriptor: descriptor, kind: Self.kind(of: descriptor), name: path)
        if isatty(descriptor) == 0 { throw .serial(.notATerminal(path: path)) }
        if sys_lock(descriptor) < 0 {
            if errno == EWOULDBLOCK {
                throw .serial(.inUse(path: path, holder: DeviceHolder.find(path)))
            }
            throw .system(call: "flock", address: path, errno: errno)
        }
        // A pty that this program serves does not need it, so a failure is fine.
        _ = sys_tty_exclusive(descriptor, 1)
        session.isExclusive = true
        if sys_tty_make_raw(descriptor) < 0 {
            throw .system(call: "TCSETS2", address: path, errno: errno)
        }
        if let rate {
            try session.setLineRate(rate)
            session.isRateGiven = true
        }
        // Few drivers support low latency, and fewer allow it to every user; the others keep their speed.
        _ = sys_tty_low_latency(descriptor)
        _ = sys_tty_flush(descriptor)
        return session
    }

    private static func kind(of descriptor: Int32) -> DescriptorSession.Kind {
        let major = sys_device_major(descriptor)
        return ptyMajors.contains(major) || major == usbModemMajor || major == rfcommMajor
            ? .terminal : .serialLine
    }

    private func error(_ number: Int32) -> AccessoryError {
        switch number {
        case ENOENT, ENODEV, ENXIO, ENOTDIR:
            .serial(
                .notFound(
                    path: path,
                    hasBrltty: path.contains("ttyUSB")
                        && access(SerialFault.brlttyRules, F_OK) == 0))
        case EACCES, EPERM:
            .serial(.permissionDenied(path: path, group: Files.groupName(of: path)))
        case EBUSY: .serial(.inUse(path: path, holder: DeviceHolder.find(path)))
        case EISDIR: .serial(.notATerminal(path: path))
        default: .system(call: "open", address: path, errno: number)
        }
    }
}

extension AccessoryAddress {
    /// A serial line or pty; unit of `rate`: bit/s, nil means to detect it.
    public static func serial(path: String, rate: Int?) -> AccessoryAddress {
        AccessoryAddress(SerialTransport(path: path, rate: rate))
    }
}

extension Connector {
    /// A serial line or pty; unit of `rate`: bit/s, nil means to detect it.
    public static func serial(path: String, rate: Int?) -> Connector {
        Connector(SerialTransport(path: path, rate: rate))
    }
}

/// The faults of a serial line.
public enum SerialFault: AccessoryFault {
    /// The node does not exist, or its device was removed (ENOENT, ENODEV, ENXIO); brltty may take such devices.
    case notFound(path: String, hasBrltty: Bool = false)
    /// The path is not a terminal (ENOTTY).
    case notATerminal(path: String)
    /// The node's permissions forbid opening (EACCES, EPERM).
    ///
    /// Members of `group` may open it; nil if only its owner may.
    case permissionDenied(path: String, group: String?)
    /// Another program uses the line; `holder` is nil if the program cannot be identified.
    case inUse(path: String, holder: AccessoryError.Holder?)
    /// The driver does not support the line rate; unit: bit/s.
    case unsupportedLineRate(path: String, rate: Int)
    /// Nothing answered at any of the line rates tried; unit: bit/s.
    case noAnswerAtAnyRate(path: String, rates: [Int])

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .notFound(let path, let hasBrltty):
            // brltty takes common USB bridges for braille displays, and the node disappears.
            guard path.hasPrefix("/dev/") else {
                return FaultWords(
                    .device, "there is no device or file \(path)",
                    hint: "\"obdscan devices\" lists what is attached; a recorded conversation "
                        + "needs the path of its file")
            }
            let thief = hasBrltty ? "; brltty may have taken it: " + Self.brltty : ""
            return FaultWords(
                .device, "\(path): there is no such device",
                hint: "\"obdscan devices\" lists what is attached" + thief)
        case .notATerminal(let path):
            return FaultWords(
                .device, "\(path) is not a serial line",
                hint: "\"obdscan devices\" lists adapters; a recorded conversation is "
                    + "replay:\(path)")
        case .permissionDenied(let path, let group):
            let name = group ?? "dialout"
            // Joining the group only helps if the group has permissions.
            let rights =
                group == nil ? " && sudo chgrp \(name) \(path) && sudo chmod 660 \(path)" : ""
            return FaultWords(
                .permissions,
                "\(path): permission denied; "
                    + (group.map { "it belongs to group \($0)" } ?? "only its owner may open it"),
                hint: "sudo usermod -aG \(name) $USER\(rights), then log in again",
                category: .noPermission)
        case .inUse(let path, let holder):
            return FaultWords(
                .free, "\(path) is in use by \(holder?.description ?? "another program")",
                hint: Self.remedy(for: holder, at: path))
        case .unsupportedLineRate(let path, let rate):
            return FaultWords(
                .link, "\(path) cannot run at \(rate) bit/s",
                hint: "leave ?baud= out to have the rate detected")
        case .noAnswerAtAnyRate(let path, let rates):
            return FaultWords(
                .adapter,
                "\(path): nothing answered at \(rates.map(String.init).joined(separator: ", ")) bit/s",
                hint: "is the adapter plugged into the car and its light on? "
                    + "serial:\(path)?baud=N tries another rate")
        }
    }

    /// The rules by which brltty takes USB bridges.
    static let brlttyRules = "/usr/lib/udev/rules.d/85-brltty.rules"

    /// How to keep brltty from an adapter, and from nothing else where somebody needs it.
    ///
    /// A file in `/etc` replaces the one in `/usr/lib` that has the same name.
    private static let brltty =
        "if no user of this computer reads braille, sudo apt remove brltty; else copy "
        + "\(brlttyRules) to /etc/udev/rules.d, put # before the line with the "
        + "adapter's numbers there (lsusb: 1a86:7523 is 1a86/7523), and plug the adapter in again"

    /// How to make a program release a serial line.
    private static func remedy(for holder: AccessoryError.Holder?, at path: String) -> String {
        switch holder?.program {
        case "ModemManager":
            "ModemManager takes every adapter for a modem: sudo systemctl stop ModemManager; for good: "
                + "sudo systemctl disable --now ModemManager, or a udev rule with "
                + "ENV{ID_MM_DEVICE_IGNORE}=\"1\""
        case "brltty":
            "brltty takes USB bridges for braille displays: " + Self.brltty
        case nil:
            "sudo fuser -v \(path) shows which; ModemManager releases it when stopped: "
                + "sudo systemctl stop ModemManager"
        default: "end it first" + (holder.map { ": kill \($0.pid)" } ?? "")
        }
    }
}

extension AccessoryError {
    /// A fault of a serial line.
    public static func serial(_ fault: SerialFault) -> AccessoryError { AccessoryError(fault) }

    /// Whether a driver does not support a line rate.
    public var isOfLineRate: Bool {
        if case .unsupportedLineRate? = fault as? SerialFault { true } else { false }
    }
}
