/// The two characteristics of a Bluetooth LE adapter that together act as a serial line.
///
/// One characteristic sends the adapter's bytes to the host, the other receives the host's bytes.
/// Some adapters use one characteristic for both.
///
/// No standard names these characteristics. The layouts of some adapters are known (``known``). For others,
/// every service with one characteristic of each kind is a candidate. The UUID of a service does not prove
/// that the device is an adapter, because thermal printers use the same ones. Only the answer to a command
/// proves a layout.
struct GATTLayout: Hashable, Sendable {
    /// The service's UUID, in lower case.
    var service: String
    /// The characteristic that notifies of bytes from the adapter.
    var notify: GATTCharacteristic
    /// The characteristic that receives bytes for the adapter.
    var write: GATTCharacteristic
    /// Whether each write waits for a response, which is slower but the only way that some adapters support.
    var awaitsResponse: Bool

    /// Services and characteristics of known adapters: service, from the adapter, to the adapter.
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

    /// The command that distinguishes an adapter from a printer: the letters A, T and I and a carriage
    /// return.
    ///
    /// Every ELM327 answers this command with its name and a prompt, and the command changes no settings.
    ///
    /// Nothing else in this module depends on the adapter's language.
    static let question: [UInt8] = [0x41, 0x54, 0x49, 0x0D]

    /// Whether known adapters have this service.
    static func isKnown(_ service: String) -> Bool { known.contains { $0.service == service } }

    /// The characteristics that the user chose for an unknown adapter; nil means to find them.
    struct Wish: Hashable, Sendable {
        var service: String?
        var notify: String?
        var write: String?
        var awaitsResponse: Bool?
    }

    /// The possible serial lines of a device, the most likely first.
    static func candidates(_ objects: GATTObjects, _ wish: Wish = Wish()) -> [GATTLayout] {
        var found: [GATTLayout] = []
        for row in known {
            for service in objects.services where service.uuid == row.service {
                let members = objects.characteristics.filter { $0.service == service.path }
                guard let notify = members.first(where: { $0.uuid == row.notify && $0.announces }),
                    let write = members.first(where: { $0.uuid == row.write && $0.isWritable })
                else { continue }
                found.append(GATTLayout(service.uuid, notify, write))
            }
        }
        for service in objects.services
        where wish.service != nil || !GATTObjects.isStandard(service.uuid) {
            if found.contains(where: { $0.service == service.uuid }) { continue }
            let members = objects.characteristics.filter { $0.service == service.path }
            let from = members.filter { $0.announces && wish.notify.map($0.hasUUID) ?? true }
            let to = members.filter { $0.isWritable && wish.write.map($0.hasUUID) ?? true }
            guard let notify = from.first(where: \.notifies) ?? from.first else { continue }
            // Prefers a characteristic that only takes writes to one that also notifies, and a write without
            // response to one with a response.
            let own = to.filter { $0 != notify }
            guard
                let write = (own.isEmpty ? to : own).first(where: \.writesWithoutResponse)
                    ?? (own.isEmpty ? to : own).first
            else { continue }
            found.append(GATTLayout(service.uuid, notify, write))
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
        _ service: String, _ notify: GATTCharacteristic, _ write: GATTCharacteristic
    ) {
        self.service = service
        self.notify = notify
        self.write = write
        awaitsResponse = !write.writesWithoutResponse
    }

    /// The most bytes in one write: they fit into an ATT packet, and BlueZ forwards them in one
    /// piece.
    var longestWrite: Int {
        guard let mtu = write.mtu, mtu > 3 else { return 20 }
        return min(mtu - 3, 512)
    }
}

/// A characteristic of a device's service.
struct GATTCharacteristic: Hashable, Sendable {
    /// The object path in BlueZ.
    var path: String
    /// The full UUID, in lower case.
    var uuid: String
    /// The object path of the characteristic's service.
    var service: String
    /// The properties of the characteristic: `notify`, `write-without-response`.
    var flags: Set<String>
    /// The maximum packet length agreed with the device; nil before BlueZ 5.62.
    var mtu: Int?
    /// Whether a program on this machine listens to the characteristic.
    var isNotifying = false

    /// Whether the device sends its values without a read request.
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
        /// The full UUID, in lower case.
        var uuid: String
    }

    var services: [Service] = []
    var characteristics: [GATTCharacteristic] = []

    /// The most services and characteristics to keep; a device has a few dozen.
    private static let most = 512

    /// Reads the reply's body for the device at that path, and skips entries that do not have BlueZ's format.
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
                        mtu: one["MTU"]?.integer,
                        isNotifying: one["Notifying"]?.boolean ?? false))
            }
        }
        // BlueZ lists the services in the order of a hash table, which varies.
        services.sort { $0.path < $1.path }
        characteristics.sort { $0.path < $1.path }
    }

    /// The part of a UUID that its short form omits.
    private static let base = "-0000-1000-8000-00805f9b34fb"

    /// The full UUID in lower case: `fff0` → `0000fff0-0000-1000-8000-00805f9b34fb`.
    static func whole(_ uuid: String) -> String {
        let small = uuid.lowercased()
        return small.utf8.count == 4 ? "0000\(small)\(base)" : small
    }

    /// The UUID as people write it: four digits if it has the standard's form.
    static func short(_ uuid: String) -> String {
        guard uuid.hasPrefix("0000"), uuid.hasSuffix(base) else { return uuid.uppercased() }
        return uuid.dropFirst(4).prefix(4).uppercased()
    }

    /// Whether a service is one of the Bluetooth SIG's own (1800 to 18FF), which are never a serial line.
    ///
    /// 18F0 lies in this range but is not one of them.
    static func isStandard(_ uuid: String) -> Bool {
        guard let number = UInt16(short(uuid), radix: 16) else { return false }
        return (0x1800...0x18FF).contains(number) && number != 0x18F0
    }

    /// Reads a UUID that the user typed: four digits or 36 characters; nil for anything else.
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
    /// The service that suggests that an LE device is an adapter; nil if it has no known one.
    var layoutService: String? {
        isLowEnergyOnly ? services.first { GATTLayout.isKnown($0) } : nil
    }
}
