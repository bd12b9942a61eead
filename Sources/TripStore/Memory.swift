public import OBDCore

/// Stored facts about an adapter, which make the next connection faster.
public struct RememberedAccessory: Hashable, Sendable {
    /// Its address in a stable form: `serial:/dev/serial/by-id/…`, `rfcomm:AA:…`.
    public var address: String
    /// The line rate that worked; unit: baud.
    public var lineRate: Int?
    /// The name that it reports.
    public var name: String?
    /// Its firmware.
    public var firmware: String?
    /// Its quirks, as the dialect names them.
    public var quirks: Set<String> = []
    /// The protocol of the vehicle that it was last connected to.
    public var vehicleProtocol: VehicleProtocol?
    /// Last use.
    public var lastSeen = UTC(microseconds: 0)

    /// An adapter without further facts.
    public init(address: String) { self.address = address }
}

/// A stored vehicle.
public struct RememberedVehicle: Hashable, Sendable {
    /// Its VIN; nil for a vehicle that does not report one and has a name instead.
    public let vin: VIN?
    /// The user's name for it.
    public let name: String?
}

enum Vehicles {
    /// The number of a vehicle; creates a row for a new one.
    static func id(of vin: VIN, seen: UTC, in database: Database) throws -> Int64 {
        let id = try database.value(
            Int64.self,
            """
            INSERT INTO vehicle (vin, first_seen, last_seen) VALUES (?1, ?2, ?2)
            ON CONFLICT (vin) DO UPDATE SET last_seen = max(last_seen, ?2)
            RETURNING id
            """, [vin.text, seen.microseconds])
        return id ?? 0
    }
}

enum Accessories {
    /// The number of an adapter; creates a row for a new one.
    static func id(of address: String, seen: UTC, in database: Database) throws -> Int64 {
        let id = try database.value(
            Int64.self,
            """
            INSERT INTO accessory (address, first_seen, last_seen) VALUES (?1, ?2, ?2)
            ON CONFLICT (address) DO UPDATE SET last_seen = max(last_seen, ?2)
            RETURNING id
            """, [address, seen.microseconds])
        return id ?? 0
    }
}

extension TripStore {
    /// All stored adapters, the last used first.
    public func accessories() throws(StoreError) -> [RememberedAccessory] {
        try read { database in
            let rows = try database.rows("SELECT * FROM accessory ORDER BY last_seen DESC, id")
            return try rows.map { row in
                var found = RememberedAccessory(address: try row["address"])
                found.lineRate = try row["line_rate"]
                found.name = try row["name"]
                found.firmware = try row["firmware"]
                found.vehicleProtocol = vehicleProtocol(try row["protocol"])
                found.lastSeen = try row["last_seen"]
                found.quirks = Set(
                    try database.values(
                        String.self, "SELECT quirk FROM accessory_quirk WHERE accessory = ?",
                        [try row["id"] as Int64]))
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
            try database.execute(
                """
                UPDATE accessory SET line_rate = ?, name = ?, firmware = ?, protocol = ?
                WHERE id = ?
                """,
                [
                    accessory.lineRate, accessory.name, accessory.firmware,
                    accessory.vehicleProtocol.map { Int($0.rawValue) }, id,
                ])
            try database.execute("DELETE FROM accessory_quirk WHERE accessory = ?", [id])
            for quirk in accessory.quirks.sorted() {
                try database.execute(
                    "INSERT INTO accessory_quirk (accessory, quirk) VALUES (?, ?)",
                    [id, quirk])
            }
        }
    }

    /// All stored vehicles, the last used first.
    public func vehicles() throws(StoreError) -> [RememberedVehicle] {
        try read { database in
            let rows = try database.rows("SELECT * FROM vehicle ORDER BY last_seen DESC, id")
            return try rows.map { row in
                try RememberedVehicle(
                    vin: row["vin"], name: row["name"])
            }
        }
    }

    /// The vehicle with this VIN or name; nil = none.
    public func vehicle(_ vehicle: String) throws(StoreError) -> RememberedVehicle? {
        try vehicles().first { $0.vin?.text == vehicle || $0.name == vehicle }
    }

    private func vehicleProtocol(_ number: Int?) -> VehicleProtocol? {
        number.flatMap { UInt8(exactly: $0) }.flatMap { VehicleProtocol(rawValue: $0) }
    }
}
