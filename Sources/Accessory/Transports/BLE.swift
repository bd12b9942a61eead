import Glibc

/// `ble:ADDRESS`: an adapter with Bluetooth LE.
///
/// `?pin=` is the number that some ask for when they are paired. `?service=`, `?notify=`, `?write=` and
/// `?reply=yes` are for adapters whose characteristics are not found by themselves.
public struct BLETransport: Transport, PINTransport {
    /// The accessory.
    public var address: BluetoothAddress
    /// The PIN for pairing, up to six digits; nil if it needs none.
    public var pin: String?
    /// The characteristics that the user chose.
    var wish = GATTLayout.Wish()

    /// The forms of the address.
    public static let form = TransportForm(
        "ble", short: "ble:ADDRESS", full: ["ble:AA:BB:CC:DD:EE:FF"])

    /// An adapter by its address.
    public init(_ address: BluetoothAddress) { self.address = address }

    /// Reads `ADDRESS` and the options after a question mark.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let (place, options) = try AddressPart.options(
            of: rest, ["pin", "service", "notify", "write", "reply"], in: text)
        guard let address = BluetoothAddress(place) else {
            throw AddressError(.badValue("address", String(place)), in: text)
        }
        self.init(address)
        for (name, value) in options {
            let wrong = AddressError(.badValue(name, String(value)), in: text)
            switch name {
            case "pin":
                guard Self.isPIN(value) else { throw wrong }
                pin = String(value)
            case "reply":
                guard let answer = ["yes": true, "no": false][value] else { throw wrong }
                wish.awaitsResponse = answer
            default:
                guard let uuid = GATTObjects.typed(value) else { throw wrong }
                switch name {
                case "service": wish.service = uuid
                case "notify": wish.notify = uuid
                default: wish.write = uuid
                }
            }
        }
    }

    /// `ble:ADDRESS` with the adapter's options.
    public var description: String {
        let options = [
            pin.map { "pin=\($0)" }, wish.service.map { "service=\(GATTObjects.short($0))" },
            wish.notify.map { "notify=\(GATTObjects.short($0))" },
            wish.write.map { "write=\(GATTObjects.short($0))" },
            wish.awaitsResponse.map { "reply=\($0 ? "yes" : "no")" },
        ].compactMap(\.self).joined(separator: "&")
        return "ble:\(address)" + (options.isEmpty ? "" : "?" + options)
    }

    /// The address without options, because messages must not show the PIN.
    public var name: String { "ble:\(address)" }

    /// The address.
    public var identity: String { "ble:\(address)" }

    /// The address without options, because the PIN is needed only once.
    public var memoryKey: String? { identity }

    /// The second half of the address, because the manufacturer assigns the first one, and the PIN.
    public var personalParts: [String] {
        [String(address.description.suffix(8))] + (pin.map { [$0] } ?? [])
    }

    /// Ignores the options.
    public func leads(to accessory: Accessory) -> Bool {
        (accessory.address.transport as? BLETransport)?.address == address
    }

    /// BlueZ's facts about the adapter.
    public func findings() -> [AccessoryFinding] {
        guard let device = BlueZ.device(address) else { return [] }
        return [
            AccessoryFinding(
                .bluetooth,
                "\(device.title), Bluetooth LE" + (device.isPaired ? ", paired" : "")
                    + (device.isConnected ? ", connected" : ""),
                advice: device.isConnected
                    ? "an LE adapter has one host at a time: close the phone's app" : nil)
        ]
    }

    /// Connects, finds the characteristics, and subscribes to the adapter's data.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try BLELink.open(
            BLELink.Target(address: address, name: name, pin: pin, wish: wish),
            cancelledBy: cancel)
    }

    /// Why an LE link ends.
    public var remedyWhenClosed: String {
        "is it still in reach and powered? Some adapters switch off with the ignition"
    }
}

extension AccessoryAddress {
    /// A Bluetooth LE adapter.
    public static func ble(_ address: BluetoothAddress) -> AccessoryAddress {
        AccessoryAddress(BLETransport(address))
    }
}

/// The faults of Bluetooth LE in addition to the faults of all Bluetooth devices.
public enum BLEFault: AccessoryFault {
    /// The adapter was not seen in a search.
    case unseen(address: String)
    /// The adapter was seen, but the connection failed; `reason` is BlueZ's text.
    case notConnected(address: String, reason: String)
    /// The adapter did not report its services.
    case noServices(address: String)
    /// None of the adapter's services can be a serial line; the services.
    case noSerialLine(address: String, services: [String])
    /// Several of the adapter's services can be a serial line, and none answered a command.
    case noAdapter(address: String, services: [String])
    /// The adapter requires pairing, and the user gave no PIN.
    case wantsPairing(address: String)
    /// The adapter rejected the PIN.
    case wrongPIN(address: String)
    /// The adapter did not answer the request to pair.
    case pairingUnanswered(address: String)
    /// Another program on this machine uses its serial line.
    case inUse(address: String)
    /// The adapter did not answer the subscription.
    case notSubscribed(address: String, reason: String)

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .unseen(let address):
            FaultWords(
                .bluetooth, "\(address): the adapter was not seen",
                hint:
                    "is it powered and in reach, and not connected to a phone? Some wake up with "
                    + "the ignition. obdscan devices lists the known adapters")
        case .notConnected(let address, let reason):
            FaultWords(
                .bluetooth,
                "\(address): no connection" + (reason.isEmpty ? "" : " (\(reason))"),
                hint: Self.remedy(notConnected: reason, address),
                category: reason.contains("key-missing") ? .noPermission : .unavailable)
        case .noServices(let address):
            FaultWords(
                .bluetooth, "\(address): the adapter did not list its services in time",
                hint:
                    "unplug it and plug it in again; bluetoothctl remove \(Self.plain(address)) "
                    + "makes BlueZ forget what it knew")
        case .noSerialLine(let address, let services):
            FaultWords(
                .adapter,
                "\(address): none of its services is a serial line"
                    + (services.isEmpty ? "" : " (\(services.joined(separator: ", ")))"),
                hint: "it is not an adapter, or one that needs its own app; "
                    + "ble:ADDRESS?service=UUID&notify=UUID&write=UUID names the characteristics")
        case .noAdapter(let address, let services):
            FaultWords(
                .adapter,
                "\(address): none of its services answers like an adapter "
                    + "(\(services.joined(separator: ", ")))",
                hint: "it is not an adapter, or it is asleep: turn the ignition on")
        case .wantsPairing(let address):
            FaultWords(
                .bluetooth, "\(address): the adapter must be paired with its number",
                hint: "--pin 123456; the number is in its manual (WiCAN: 123456). An OBDLink CX "
                    + "pairs in the first minutes after it was plugged in", category: .noPermission)
        case .wrongPIN(let address):
            FaultWords(
                .bluetooth, "\(address): the adapter refused that number",
                hint: "its manual or label has the right number; bluetoothctl remove "
                    + "\(Self.plain(address)), then try again", category: .noPermission)
        case .pairingUnanswered(let address):
            FaultWords(
                .bluetooth, "\(address): the adapter did not answer the request to pair in time",
                hint: "unplug it for 30 seconds, plug it in, and try again within two minutes; "
                    + "if it paired before: bluetoothctl remove \(Self.plain(address))",
                category: .noPermission)
        case .inUse(let address):
            FaultWords(
                .bluetooth, "\(address) is in use by another program",
                hint: "end the other program; an LE adapter has one serial line")
        case .notSubscribed(let address, let reason):
            FaultWords(
                .bluetooth,
                "\(address): the adapter refuses to send notifications"
                    + (reason.isEmpty ? "" : " (\(reason))"),
                hint: "unplug it and plug it in again, then try again within two minutes")
        }
    }

    private static func remedy(notConnected reason: String, _ address: String) -> String {
        if reason.contains("key-missing") {
            return
                "one side has forgotten the pairing: bluetoothctl remove \(plain(address)), unplug "
                + "the adapter for 30 seconds, try again"
        }
        if reason.contains("concurrent-connection-limit") {
            return
                "the controller has as many connections as it can have: bluetoothctl disconnect, "
                + "with the address of another device"
        }
        return
            "close the app on the phone that uses it, then try again; if it was paired before and "
            + "has forgotten it: bluetoothctl remove \(plain(address))"
    }

    /// The address in the form for bluetoothctl.
    private static func plain(_ address: String) -> String {
        address.hasPrefix("ble:") ? String(address.dropFirst(4)) : address
    }
}

extension BLEFault {
    /// How BlueZ or the adapter declined a subscription.
    enum Refusal: Hashable, Sendable {
        /// No answer came in time.
        case silence
        /// The adapter requires pairing, and pairing failed.
        case notPaired
        /// Another program has acquired the characteristic, or subscribes at this moment.
        case taken
        /// The connection ended meanwhile, as it does when the adapter has forgotten its key; BlueZ's text.
        case dropped(String)
        /// Any other reason; BlueZ's text.
        case other(String)

        /// Reads the name and the text of BlueZ's error (BlueZ, src/gatt-client.c).
        init(_ name: String, text: String) {
            switch name {
            case "org.bluez.Error.InProgress": self = .taken
            case "org.bluez.Error.NotPermitted" where text.contains("acquired"): self = .taken
            case "org.bluez.Error.NotConnected": self = .dropped(text)
            case "org.bluez.Error.Failed" where text == "Not Connected": self = .dropped(text)
            case "org.bluez.Error.NotSupported", "org.bluez.Error.ImproperlyConfigured",
                "org.bluez.Error.InvalidValueLength":
                self = .other(text)
            // The adapter's own code, 0x80 to 0x9f.
            case "org.bluez.Error.Failed" where Self.hasOwnCode(text): self = .other(text)
            default: self = .notPaired
            }
        }

        private static func hasOwnCode(_ text: String) -> Bool {
            text.contains("0x8") || text.contains("0x9")
        }
    }

    /// The meaning of a declined subscription.
    init(
        _ refusal: Refusal, address: String, isPaired: Bool, hasPIN: Bool, wasAskedForPIN: Bool
    ) {
        self =
            switch refusal {
            case .taken: .inUse(address: address)
            case .dropped(let text): .notConnected(address: address, reason: text)
            case .other(let text): .notSubscribed(address: address, reason: text)
            case .silence where isPaired: .notSubscribed(address: address, reason: "no answer")
            // BlueZ does not reply if the number was wrong.
            case .silence where wasAskedForPIN && hasPIN: .wrongPIN(address: address)
            case .silence: .pairingUnanswered(address: address)
            case .notPaired where isPaired:
                .notSubscribed(address: address, reason: "the pairing is not accepted")
            case .notPaired: hasPIN ? .wrongPIN(address: address) : .wantsPairing(address: address)
            }
    }
}
