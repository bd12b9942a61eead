/// The two characteristics of a Bluetooth LE adapter that together are a serial line: one says what comes
/// from the adapter, one takes what goes to it; some adapters have one for both.
///
/// No standard names them. What adapters use is known for some (``known``); for others each service is a
/// candidate that has a characteristic of either kind. A service's number is not a proof of an adapter:
/// thermal printers have the same. Only the answer to a command is.
struct GATTLayout: Hashable, Sendable {
    /// The service, in small letters.
    var service: String
    /// What announces bytes from the adapter.
    var notify: GATTCharacteristic
    /// What takes bytes to the adapter.
    var write: GATTCharacteristic
    /// Whether each write is answered: slower, and the only way of some adapters.
    var awaitsResponse: Bool
    /// Whether adapters are known to use it.
    var isKnown: Bool

    /// Services and characteristics of adapters: from it, to it.
    ///
    /// Sources: OBDLink's note on the CX and users' lists (FFF0), AndrOBD issue 342 (FFE0), ELMduino issue
    /// 190 (18F0), the firmware of WiCAN (FEE0), Nordic's and Microchip's serial services.
    static let known: [(service: String, notify: String, write: String)] = [
        ("fff0", "fff1", "fff2"),
        ("ffe0", "ffe1", "ffe1"),
        ("18f0", "2af0", "2af1"),
        ("fee0", "fee1", "fee3"),
        (
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e", "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
            "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
        ),
        (
            "49535343-fe7d-4ae5-8fa9-9fafd205e455", "49535343-1e4d-4bd9-ba61-23c647249616",
            "49535343-8841-43f4-a8d4-ecbe34729bb3"
        ),
        (
            "e7810a71-73ae-499d-8c15-faa9aef0c3f2", "bef8d6c9-9c21-4c9e-b632-bd58c1009f9f",
            "bef8d6c9-9c21-4c9e-b632-bd58c1009f9f"
        ),
    ].map { (GATTObjects.whole($0.0), GATTObjects.whole($0.1), GATTObjects.whole($0.2)) }

    /// What tells an adapter from a printer: the letters A, T and I and a carriage return, which every
    /// ELM327 answers with its name and a prompt, and which changes nothing.
    ///
    /// It is all that this module knows of what adapters speak.
    static let question: [UInt8] = [0x41, 0x54, 0x49, 0x0D]

    /// Whether adapters are known to have this service.
    static func isKnown(_ service: String) -> Bool { known.contains { $0.service == service } }

    /// What the user says of an adapter that is not known; nil = find it out.
    struct Wish: Hashable, Sendable {
        var service: String?
        var notify: String?
        var write: String?
        var awaitsResponse: Bool?
    }

    /// What may be the serial line of a device, the likeliest first.
    static func candidates(_ objects: GATTObjects, _ wish: Wish = Wish()) -> [GATTLayout] {
        var found: [GATTLayout] = []
        for row in known {
            for service in objects.services where service.uuid == row.service {
                let members = objects.characteristics.filter { $0.service == service.path }
                guard let notify = members.first(where: { $0.uuid == row.notify && $0.announces }),
                    let write = members.first(where: { $0.uuid == row.write && $0.isWritable })
                else { continue }
                found.append(GATTLayout(service.uuid, notify, write, isKnown: true))
            }
        }
        for service in objects.services
        where wish.service != nil || !GATTObjects.isStandard(service.uuid) {
            if found.contains(where: { $0.service == service.uuid }) { continue }
            let members = objects.characteristics.filter { $0.service == service.path }
            let from = members.filter { $0.announces && wish.notify.map($0.hasUUID) ?? true }
            let to = members.filter { $0.isWritable && wish.write.map($0.hasUUID) ?? true }
            guard let notify = from.first(where: \.notifies) ?? from.first else { continue }
            // One of its own before the one that also announces; one without answers before others.
            let own = to.filter { $0 != notify }
            guard
                let write = (own.isEmpty ? to : own).first(where: \.writesWithoutResponse)
                    ?? (own.isEmpty ? to : own).first
            else { continue }
            found.append(
                GATTLayout(service.uuid, notify, write, isKnown: isKnown(service.uuid)))
        }
        return found.filter { layout in
            (wish.service.map { $0 == layout.service } ?? true)
                && wish.notify.map(layout.notify.hasUUID) ?? true
                && wish.write.map(layout.write.hasUUID) ?? true
        }.map { layout in
            var layout = layout
            if let awaits = wish.awaitsResponse { layout.awaitsResponse = awaits }
            return layout
        }
    }

    private init(
        _ service: String, _ notify: GATTCharacteristic, _ write: GATTCharacteristic, isKnown: Bool
    ) {
        self.service = service
        self.notify = notify
        self.write = write
        awaitsResponse = !write.writesWithoutResponse
        self.isKnown = isKnown
    }

    /// Bytes of one write: what fits an ATT packet, and no more than BlueZ passes on whole.
    var longestWrite: Int {
        guard let mtu = write.mtu, mtu > 3 else { return 20 }
        return min(mtu - 3, 512)
    }
}

/// A characteristic of a device's service.
struct GATTCharacteristic: Hashable, Sendable {
    /// The object of BlueZ.
    var path: String
    /// In small letters, whole.
    var uuid: String
    /// The object of its service.
    var service: String
    /// What can be done with it: `notify`, `write-without-response`.
    var flags: Set<String>
    /// The longest packet that was agreed with the device; nil before BlueZ 5.62.
    var mtu: Int?

    /// Whether its values come without being read.
    var announces: Bool { notifies || flags.contains("indicate") }
    var notifies: Bool { flags.contains("notify") }
    var writesWithoutResponse: Bool { flags.contains("write-without-response") }
    var isWritable: Bool { writesWithoutResponse || flags.contains("write") }

    func hasUUID(_ other: String) -> Bool { uuid == other }
}

/// The services of one device, in the reply to GetManagedObjects (BlueZ, doc/org.bluez.GattService.rst
/// and doc/org.bluez.GattCharacteristic.rst).
struct GATTObjects: Hashable, Sendable {
    struct Service: Hashable, Sendable {
        var path: String
        /// In small letters, whole.
        var uuid: String
    }

    var services: [Service] = []
    var characteristics: [GATTCharacteristic] = []

    /// Services and characteristics that are kept at most: a device has a few dozen.
    private static let most = 512

    /// Reads the reply's body for the device with that path; what is not as BlueZ writes it is left out.
    init(_ body: [DBusValue], of device: String) {
        for object in body.first?.entries ?? [] {
            guard let path = object.key.text, path.hasPrefix(device + "/") else { continue }
            if let service = object.value["org.bluez.GattService1"],
                let uuid = service["UUID"]?.text, services.count < Self.most
            {
                services.append(Service(path: path, uuid: Self.whole(uuid)))
            }
            if let one = object.value["org.bluez.GattCharacteristic1"],
                let uuid = one["UUID"]?.text, let service = one["Service"]?.text,
                characteristics.count < Self.most
            {
                characteristics.append(
                    GATTCharacteristic(
                        path: path, uuid: Self.whole(uuid), service: service,
                        flags: Set(one["Flags"]?.list.compactMap(\.text) ?? []),
                        mtu: one["MTU"]?.integer))
            }
        }
        // BlueZ lists them in the order of a hash table.
        services.sort { $0.path < $1.path }
        characteristics.sort { $0.path < $1.path }
    }

    /// The part of a UUID that a short one leaves out.
    private static let base = "-0000-1000-8000-00805f9b34fb"

    /// A UUID in full and in small letters: `fff0` → `0000fff0-0000-1000-8000-00805f9b34fb`.
    static func whole(_ uuid: String) -> String {
        let small = uuid.lowercased()
        return small.utf8.count == 4 ? "0000\(small)\(base)" : small
    }

    /// As people write it: four digits where it has the standard's form.
    static func short(_ uuid: String) -> String {
        guard uuid.hasPrefix("0000"), uuid.hasSuffix(base) else { return uuid.uppercased() }
        return uuid.dropFirst(4).prefix(4).uppercased()
    }

    /// Whether a service is one of the Bluetooth SIG's own (1800 to 18FF), which are never a serial line;
    /// 18F0 is not one of them, though it looks like it.
    static func isStandard(_ uuid: String) -> Bool {
        guard let number = UInt16(short(uuid), radix: 16) else { return false }
        return (0x1800...0x18FF).contains(number) && number != 0x18F0
    }

    /// Reads a UUID that a person typed: four digits, or 36 characters; nil for anything else.
    static func typed(_ text: some StringProtocol) -> String? {
        let small = text.lowercased()
        let isHex = small.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D
        }
        guard isHex else { return nil }
        let parts = small.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
        return parts == [4] || parts == [8, 4, 4, 4, 12] ? whole(small) : nil
    }
}

extension BlueZObjects.Device {
    /// The service by which an LE device may be an adapter; nil = none is known to be one.
    var layoutService: String? {
        isLowEnergyOnly ? services.first { GATTLayout.isKnown($0) } : nil
    }
}
