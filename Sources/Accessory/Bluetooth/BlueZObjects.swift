/// The controllers and devices in a reply to BlueZ's ObjectManager.GetManagedObjects (BlueZ,
/// doc/org.bluez.Adapter.rst and doc/org.bluez.Device.rst).
struct BlueZObjects: Hashable, Sendable {
    /// A Bluetooth controller of this machine.
    struct Adapter: Hashable, Sendable {
        var path: String
        var isPowered: Bool
    }

    /// A device that is paired or was seen in the last search.
    struct Device: Hashable, Sendable {
        var address: BluetoothAddress
        /// The name that the device reports.
        var name: String?
        /// The name that the user gave it; the device's own name if there is no other.
        var alias: String?
        var isPaired: Bool
        var isConnected: Bool
        /// UUIDs of the device's services, in lower case.
        var services: [String]
        /// The Device ID record: `bluetooth:v000Ap…d…` or `usb:v…`.
        var modalias: String?
        /// Whether there is any sign that it supports Bluetooth Classic.
        var isClassic: Bool

        private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

        /// Whether the device announces the Serial Port Profile.
        var offersSerialPort: Bool { services.contains(Self.serialPort) }

        /// Whether the device supports Bluetooth LE only, as far as is known.
        var isLowEnergyOnly: Bool { !isClassic && !offersSerialPort }

        var title: String { alias ?? name ?? address.description }
    }

    var adapters: [Adapter] = []
    var devices: [Device] = []
    /// The object path of each device.
    var paths: [BluetoothAddress: String] = [:]

    /// Reads the body of the reply and skips entries that do not have BlueZ's format.
    init(_ body: [DBusValue]) {
        for object in body.first?.entries ?? [] {
            guard let path = object.key.text else { continue }
            if let adapter = object.value["org.bluez.Adapter1"] {
                adapters.append(
                    Adapter(path: path, isPowered: adapter["Powered"]?.boolean ?? false))
            }
            guard let device = object.value["org.bluez.Device1"],
                let address = device["Address"]?.text.flatMap({ BluetoothAddress($0) })
            else { continue }
            devices.append(Device(address: address, device))
            paths[address] = path
        }
        // A device that two controllers know counts once.
        devices = Dictionary(grouping: devices, by: \.address).values.map { same in
            same.max { !$0.isPaired && $1.isPaired } ?? same[0]
        }.sorted { $0.address.description < $1.address.description }
    }

    /// The devices with this name.
    ///
    /// Exact matches count before those that differ in case, and paired devices before others.
    func devices(named name: String) -> [Device] {
        let exact = devices.filter { $0.name == name || $0.alias == name }
        let small = name.lowercased()
        let found =
            exact.isEmpty
            ? devices.filter {
                $0.name?.lowercased() == small || $0.alias?.lowercased() == small
            } : exact
        let paired = found.filter(\.isPaired)
        return paired.isEmpty ? found : paired
    }
}

extension BlueZObjects.Device {
    /// Whether a service is a Bluetooth Classic profile.
    ///
    /// These classes have 1000 to 17FF in the assigned numbers; GATT services begin at 1800.
    private static func isProfile(_ service: String) -> Bool {
        let head = service.prefix(8)
        guard service.hasSuffix("-0000-1000-8000-00805f9b34fb"),
            let number = UInt32(head, radix: 16)
        else { return false }
        return (0x1000...0x17FF).contains(number)
    }

    init(address: BluetoothAddress, _ properties: DBusValue) {
        self.address = address
        name = properties["Name"]?.text
        alias = properties["Alias"]?.text ?? properties["Name"]?.text
        isPaired = properties["Paired"]?.boolean ?? false
        isConnected = properties["Connected"]?.boolean ?? false
        services = properties["UUIDs"]?.list.compactMap { $0.text?.lowercased() } ?? []
        modalias = properties["Modalias"]?.text
        // Only Classic devices have a class or have profiles among their services. Only LE devices have a
        // random address.
        isClassic =
            properties["Class"] != nil || services.contains(where: Self.isProfile)
            || (services.isEmpty && properties["AddressType"]?.text != "random")
    }
}
