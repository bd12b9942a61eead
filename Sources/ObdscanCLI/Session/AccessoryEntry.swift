import Accessory
import SystemIO
import TripExport
import TripStore
import VehicleScan

/// An accessory as lists show it: attached, remembered, or both.
struct AccessoryEntry {
    var id: String
    /// Under which it is remembered.
    var key: String
    var connectionID: Int?
    var name: String?
    var manufacturer: String?
    var model: String?
    var serialNumber: String?
    var firmware: String?
    var hardware: String?
    var protocols: [String] = []
    var inUseBy: String?
    /// Lines that only people want.
    var details: [(String, String)] = []

    /// One that is attached.
    init(_ accessory: Accessory) {
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

    /// A Bluetooth accessory that is paired and may be in reach.
    init(paired accessory: Accessory) {
        self.init(accessory)
        connectionID = nil
        details.append(("Bluetooth", "paired"))
    }

    /// One that was used before.
    init(_ remembered: RememberedAccessory) {
        id = remembered.address
        key = remembered.address
        remember(remembered)
    }

    /// Adds what an earlier session learnt.
    mutating func remember(_ remembered: RememberedAccessory) {
        if details.contains(where: { $0.0 == "Last used" }) { return }
        name = name ?? remembered.name
        manufacturer = manufacturer ?? remembered.manufacturer
        model = model ?? remembered.model
        serialNumber = serialNumber ?? remembered.serialNumber
        firmware = remembered.firmware ?? remembered.name ?? firmware
        hardware = hardware ?? remembered.hardware
        if let dialect = remembered.dialect, !protocols.contains(dialect) {
            protocols.append(dialect)
        }
        if let rate = remembered.lineRate { details.append(("Line rate", "\(rate) bit/s")) }
        if let vehicle = remembered.vehicleProtocol { details.append(("Vehicle", vehicle.title)) }
        if let vin = remembered.vin { details.append(("Last VIN", vin.text)) }
        details.append(("Last used", localTime(remembered.lastSeen)))
    }

    /// The promised JSON object.
    var object: JSONObject {
        var object = JSONObject()
        object.add("kind", "accessory")
        object.add("id", id)
        object.add("connectionID", connectionID)
        object.add("name", name)
        object.add("manufacturer", manufacturer)
        object.add("model", model)
        object.add("serialNumber", serialNumber)
        object.add("firmware", firmware)
        object.add("hardware", hardware)
        object.add("protocols", protocols)
        object.add("inUseBy", inUseBy)
        return object
    }

    /// One fact a line.
    func text(_ palette: Palette) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        let facts: [(String, String?)] = [
            ("Accessory", id), ("Connection", connectionID.map { String($0) }), ("Name", name),
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

/// Prints accessories: a table for people, JSON Lines or CSV.
struct AccessoryPrinter {
    private let output: OutputOptions
    private let palette: Palette
    /// How many were printed.
    private(set) var count = 0
    private var rows = TextTable([
        ("ACCESSORY", .left), ("NAME", .left), ("MANUFACTURER", .left), ("SERIAL", .left),
        ("", .left),
    ])

    init(_ output: OutputOptions) {
        self.output = output
        palette = output.palette()
    }

    /// Prints one.
    mutating func print(
        _ entry: AccessoryEntry, _ writer: inout TextOutput
    ) throws(OutputError) {
        defer { count += 1 }
        switch output.format {
        case .json: try writer.append { entry.object.append(to: &$0) }
        case .csv:
            try writer.append { bytes in
                if count == 0 {
                    CSVRow.append(
                        [
                            "id", "name", "manufacturer", "model", "serialNumber", "inUseBy",
                            "connectionID", "firmware", "hardware", "protocols",
                        ], to: &bytes)
                }
                CSVRow.append(
                    [
                        entry.id, entry.name ?? "", entry.manufacturer ?? "", entry.model ?? "",
                        entry.serialNumber ?? "", entry.inUseBy ?? "",
                        entry.connectionID.map { String($0) } ?? "", entry.firmware ?? "",
                        entry.hardware ?? "", entry.protocols.joined(separator: " "),
                    ], to: &bytes)
            }
        case .text:
            let state =
                entry.inUseBy.map { "in use by \($0)" }
                ?? (entry.connectionID == nil ? "not attached" : "")
            rows.add([
                .init(entry.id, .bold), .init(entry.name ?? "—"), .init(entry.manufacturer ?? "—"),
                .init(entry.serialNumber ?? "—"), .init(state, .dim),
            ])
        }
    }

    /// Prints the table.
    mutating func finish(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text && !rows.isEmpty { try writer.write(rows.text(palette)) }
        try writer.flush()
    }
}
