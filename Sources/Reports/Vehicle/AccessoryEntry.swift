import Accessory
import Formats
import SystemIO
import TripStore
import VehicleScan

/// An adapter in a list of devices: attached, remembered from an earlier session, or both.
package struct AccessoryEntry {
    package var id: String
    /// The key under which the adapter is remembered.
    package var key: String
    package var connectionID: Int?
    package var name: String?
    package var manufacturer: String?
    package var model: String?
    package var serialNumber: String?
    package var firmware: String?
    package var hardware: String?
    package var protocols: [String] = []
    package var inUseBy: String?
    /// How the adapter can be reached; lists show it instead of "not attached".
    private var reach: String?
    /// Title and text of facts that only the text output shows.
    package var details: [(String, String)] = []

    /// An entry for an adapter that is attached.
    package init(_ accessory: Accessory) {
        id = "\(accessory.address)"
        key = accessory.memoryKey
        connectionID = accessory.connectionID
        name = accessory.name
        manufacturer = accessory.manufacturer
        model = accessory.model
        serialNumber = accessory.serialNumber
        firmware = accessory.firmware
        hardware = accessory.hardware
        protocols = accessory.protocols
        inUseBy = accessory.holder?.description
        if let path = accessory.stablePath { details.append(("Stable name", path)) }
        if let driver = accessory.driver { details.append(("Driver", driver)) }
        if let usb = accessory.usbID { details.append(("USB", usb)) }
        if let record = accessory.deviceID { details.append(("Device ID", record)) }
    }

    /// An entry for a paired Bluetooth adapter that may be in reach.
    package init(paired accessory: Accessory) {
        self.init(accessory)
        connectionID = nil
        details.append(("Bluetooth", "paired"))
    }

    /// An entry for a DoIP gateway that answered.
    package init(_ gateway: FoundGateway) {
        self.init(gateway.accessory)
        details += gateway.facts.map { ($0.title, $0.text) }
    }

    /// An entry for a Bluetooth device that is in reach but not paired.
    package init(found device: BluetoothPairing.Found) {
        self.init(device.accessory)
        connectionID = nil
        reach = "in reach, not paired" + (device.isLowEnergyOnly ? ", Bluetooth LE" : "")
        details.append(("Bluetooth", "not paired"))
    }

    /// An entry for an adapter that was used before.
    package init(_ remembered: RememberedAccessory) {
        id = remembered.address
        key = remembered.address
        remember(remembered)
    }

    /// Adds the results of an earlier session about the adapter.
    package mutating func remember(_ remembered: RememberedAccessory) {
        if details.contains(where: { $0.0 == "Last used" }) { return }
        name = name ?? remembered.name
        firmware = remembered.firmware ?? remembered.name ?? firmware
        if let rate = remembered.lineRate { details.append(("Line rate", "\(rate) bit/s")) }
        if let vehicle = remembered.vehicleProtocol { details.append(("Vehicle", vehicle.title)) }
        details.append(("Last used", localTime(remembered.lastSeen)))
    }

    package static let shape = RowShape<AccessoryEntry>(
        "device",
        [
            Field("id", "DEVICE", style: .bold) { .text($0.id) },
            Field("connectionID") { .integer($0.connectionID) },
            Field("name", "NAME") { .text($0.name) },
            Field("manufacturer", "MANUFACTURER") { .text($0.manufacturer) },
            Field("model") { .text($0.model) },
            Field("serialNumber", "SERIAL") { .text($0.serialNumber) },
            Field("firmware") { .text($0.firmware) }, Field("hardware") { .text($0.hardware) },
            Field("protocols") { .words($0.protocols) },
            Field("inUseBy", "", cell: { .init($0.state, .dim) }) { .text($0.inUseBy) },
        ])

    private var state: String {
        inUseBy.map { "in use by \($0)" } ?? reach
            ?? (connectionID == nil ? "not attached" : "")
    }

    /// The facts as text, one per line.
    package func text(_ palette: Palette) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        let facts: [(String, String?)] = [
            ("Device", id), ("Connection", connectionID.map { String($0) }), ("Name", name),
            ("Manufacturer", manufacturer), ("Model", model), ("Serial number", serialNumber),
            ("Firmware", firmware), ("Hardware", hardware),
            ("Protocols", protocols.isEmpty ? nil : protocols.joined(separator: " ")),
            ("In use by", inUseBy),
        ]
        for (title, fact) in facts + details.map({ ($0.0, $0.1) }) {
            if let fact { rows.add([.init(title), .init(fact)]) }
        }
        return rows.text(palette)
    }
}
