import GRDB
public import OBDCore

/// Stored facts about an adapter, which make the next connection faster.
public struct RememberedAccessory: Hashable, Sendable {
    /// Its address in a stable form: `serial:/dev/serial/by-id/…`, `rfcomm:AA:…`.
    public var address: String
    /// The protocol string of its dialect: `org.obdscan.elm327`.
    public var dialect: String?
    /// The line rate that worked; unit: baud.
    public var lineRate: Int?
    /// The name that it reports.
    public var name: String?
    /// The manufacturer.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// Its serial number.
    public var serialNumber: String?
    /// Its firmware.
    public var firmware: String?
    /// Its hardware revision.
    public var hardware: String?
    /// The number of identifiers that one request may ask for, 1 to 6.
    public var itemsPerRequest: Int?
    /// Its quirks, as the dialect names them.
    public var quirks: Set<String> = []
    /// The vehicle that it was last connected to.
    public var vin: VIN?
    /// The protocol of that vehicle.
    public var vehicleProtocol: VehicleProtocol?
    /// First and last use.
    public var firstSeen = UTC(microseconds: 0), lastSeen = UTC(microseconds: 0)

    /// An adapter without further facts.
    public init(address: String) { self.address = address }
}

/// Stored facts about a vehicle.
public struct RememberedVehicle: Hashable, Sendable {
    /// One of its ECUs.
    public struct ECU: Hashable, Sendable {
        /// Its address; nil if headers were off.
        public var address: ECUAddress?
        /// The name that it reports.
        public var name: String?
        /// Support maps by service and base (00, 20, …), as answered.
        public var support: [DataID: UInt32] = [:]
        /// Calibration identifications and their verification numbers, in the ECU's order.
        public var calibrations: [Calibration] = []

        /// An ECU without further facts.
        public init(address: ECUAddress?) { self.address = address }
    }

    /// A calibration of an ECU.
    public struct Calibration: Hashable, Sendable {
        /// Calibration identification.
        public var id: String?
        /// Calibration verification number, hexadecimal.
        public var cvn: String?

        /// A calibration with at least one of the two values.
        public init(id: String?, cvn: String?) {
            self.id = id
            self.cvn = cvn
        }
    }

    /// Its VIN; nil for a vehicle that does not report one and has a name instead.
    public var vin: VIN?
    /// The user's name for it.
    public var name: String?
    /// Its protocol.
    public var vehicleProtocol: VehicleProtocol?
    /// Its ECUs.
    public var ecus: [ECU] = []
    /// First and last use.
    public var firstSeen = UTC(microseconds: 0), lastSeen = UTC(microseconds: 0)

    /// A vehicle without further facts.
    public init(vin: VIN?, name: String? = nil) {
        self.vin = vin
        self.name = name
    }
}

enum Vehicles {
    /// The number of a vehicle; creates a row for a new one.
    static func id(of vin: VIN, seen: UTC, in database: Database) throws -> Int64 {
        let id = try Int64.fetchOne(
            database,
            sql: """
                INSERT INTO vehicle (vin, first_seen, last_seen) VALUES (?1, ?2, ?2)
                ON CONFLICT (vin) DO UPDATE SET last_seen = max(last_seen, ?2)
                RETURNING id
                """, arguments: [vin.text, seen.microseconds])
        return id ?? 0
    }
}

enum Accessories {
    /// The number of an adapter; creates a row for a new one.
    static func id(of address: String, seen: UTC, in database: Database) throws -> Int64 {
        let id = try Int64.fetchOne(
            database,
            sql: """
                INSERT INTO accessory (address, first_seen, last_seen) VALUES (?1, ?2, ?2)
                ON CONFLICT (address) DO UPDATE SET last_seen = max(last_seen, ?2)
                RETURNING id
                """, arguments: [address, seen.microseconds])
        return id ?? 0
    }
}

extension TripStore {
    /// All stored adapters, the last used first.
    public func accessories() throws(StoreError) -> [RememberedAccessory] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT accessory.*, vin FROM accessory
                        LEFT JOIN vehicle ON vehicle.id = accessory.vehicle
                    ORDER BY accessory.last_seen DESC, accessory.id
                    """)
            return try rows.map { row in
                var found = RememberedAccessory(address: row["address"])
                found.dialect = row["dialect"]
                found.lineRate = row["line_rate"]
                found.name = row["name"]
                found.manufacturer = row["manufacturer"]
                found.model = row["model"]
                found.serialNumber = row["serial_number"]
                found.firmware = row["firmware"]
                found.hardware = row["hardware"]
                found.itemsPerRequest = row["items_per_request"]
                found.vin = (row["vin"] as String?).flatMap { VIN($0) }
                found.vehicleProtocol = vehicleProtocol(row["protocol"])
                found.firstSeen = UTC(microseconds: row["first_seen"])
                found.lastSeen = UTC(microseconds: row["last_seen"])
                found.quirks = try String.fetchSet(
                    database, sql: "SELECT quirk FROM accessory_quirk WHERE accessory = ?",
                    arguments: [row["id"] as Int64])
                return found
            }
        }
    }

    /// The stored facts about the adapter at `address`; nil if it is unknown.
    public func accessory(at address: String) throws(StoreError) -> RememberedAccessory? {
        try accessories().first { $0.address == address }
    }

    /// Replaces the stored facts about an adapter; `seen` is the current time.
    public func remember(
        _ accessory: RememberedAccessory, seen: UTC
    ) throws(StoreError) {
        try transaction { database in
            let id = try Accessories.id(of: accessory.address, seen: seen, in: database)
            let vehicle = try accessory.vin.map {
                try Vehicles.id(of: $0, seen: seen, in: database)
            }
            try database.execute(
                sql: """
                    UPDATE accessory SET dialect = ?, line_rate = ?, name = ?, manufacturer = ?,
                        model = ?, serial_number = ?, firmware = ?, hardware = ?,
                        items_per_request = ?, vehicle = ?, protocol = ?
                    WHERE id = ?
                    """,
                arguments: [
                    accessory.dialect, accessory.lineRate, accessory.name,
                    accessory.manufacturer, accessory.model, accessory.serialNumber,
                    accessory.firmware, accessory.hardware, accessory.itemsPerRequest, vehicle,
                    accessory.vehicleProtocol.map { Int($0.rawValue) }, id,
                ])
            try database.execute(
                sql: "DELETE FROM accessory_quirk WHERE accessory = ?", arguments: [id])
            for quirk in accessory.quirks.sorted() {
                try database.execute(
                    sql: "INSERT INTO accessory_quirk (accessory, quirk) VALUES (?, ?)",
                    arguments: [id, quirk])
            }
        }
    }

    /// Forgets an adapter; its trips stay.
    public func forgetAccessory(at address: String) throws(StoreError) {
        try transaction { database in
            try database.execute(
                sql: "DELETE FROM accessory WHERE address = ?", arguments: [address])
        }
    }

    /// All stored vehicles, the last used first.
    public func vehicles() throws(StoreError) -> [RememberedVehicle] {
        try read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM vehicle ORDER BY last_seen DESC, id")
            return try rows.map { row in
                var found = RememberedVehicle(
                    vin: (row["vin"] as String?).flatMap { VIN($0) }, name: row["name"])
                found.vehicleProtocol = vehicleProtocol(row["protocol"])
                found.firstSeen = UTC(microseconds: row["first_seen"])
                found.lastSeen = UTC(microseconds: row["last_seen"])
                found.ecus = try ecus(of: row["id"], in: database)
                return found
            }
        }
    }

    /// The stored facts about the vehicle with this VIN; nil if it is unknown.
    public func vehicle(_ vin: VIN) throws(StoreError) -> RememberedVehicle? {
        try vehicles().first { $0.vin == vin }
    }

    /// Replaces the stored facts about a vehicle; `seen` is the current time.
    ///
    /// A vehicle without a VIN is found by its name. One without both is not stored.
    public func remember(_ vehicle: RememberedVehicle, seen: UTC) throws(StoreError) {
        try transaction { database in
            let id: Int64
            if let vin = vehicle.vin {
                id = try Vehicles.id(of: vin, seen: seen, in: database)
            } else if let name = vehicle.name {
                let found = try Int64.fetchOne(
                    database, sql: "SELECT id FROM vehicle WHERE vin IS NULL AND name = ?",
                    arguments: [name])
                if let found {
                    id = found
                } else {
                    try database.execute(
                        sql: "INSERT INTO vehicle (name, first_seen, last_seen) VALUES (?, ?, ?)",
                        arguments: [name, seen.microseconds, seen.microseconds])
                    id = database.lastInsertedRowID
                }
            } else {
                return
            }
            try database.execute(
                sql: """
                    UPDATE vehicle SET name = ?, protocol = ?, last_seen = max(last_seen, ?)
                    WHERE id = ?
                    """,
                arguments: [
                    vehicle.name, vehicle.vehicleProtocol.map { Int($0.rawValue) },
                    seen.microseconds, id,
                ])
            try database.execute(sql: "DELETE FROM ecu WHERE vehicle = ?", arguments: [id])
            for ecu in vehicle.ecus { try add(ecu, toVehicle: id, in: database) }
        }
    }

    private func add(
        _ ecu: RememberedVehicle.ECU, toVehicle vehicle: Int64, in database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO ecu (vehicle, address, name) VALUES (?, ?, ?)",
            arguments: [vehicle, ecu.address?.description ?? "", ecu.name])
        let id = database.lastInsertedRowID
        for (base, map) in ecu.support {
            try database.execute(
                sql: "INSERT INTO ecu_support (ecu, service, base, map) VALUES (?, ?, ?, ?)",
                arguments: [id, Int(base.service.rawValue), Int(base.id), Int64(map)])
        }
        for (ordinal, calibration) in ecu.calibrations.enumerated() {
            try database.execute(
                sql: "INSERT INTO ecu_calibration (ecu, ordinal, calid, cvn) VALUES (?, ?, ?, ?)",
                arguments: [id, ordinal, calibration.id, calibration.cvn])
        }
    }

    private func ecus(
        of vehicle: Int64, in database: Database
    ) throws -> [RememberedVehicle.ECU] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM ecu WHERE vehicle = ? ORDER BY id",
            arguments: [vehicle])
        return try rows.map { row in
            let id: Int64 = row["id"]
            var ecu = RememberedVehicle.ECU(address: ECUAddress(row["address"] as String))
            ecu.name = row["name"]
            for map in try Row.fetchAll(
                database, sql: "SELECT service, base, map FROM ecu_support WHERE ecu = ?",
                arguments: [id])
            {
                ecu.support[DataID(Service(map["service"] as UInt8), map["base"])] = map["map"]
            }
            ecu.calibrations = try Row.fetchAll(
                database, sql: "SELECT * FROM ecu_calibration WHERE ecu = ? ORDER BY ordinal",
                arguments: [id]
            ).map { RememberedVehicle.Calibration(id: $0["calid"], cvn: $0["cvn"]) }
            return ecu
        }
    }

    private func vehicleProtocol(_ number: Int?) -> VehicleProtocol? {
        number.flatMap { UInt8(exactly: $0) }.flatMap { VehicleProtocol(rawValue: $0) }
    }
}
