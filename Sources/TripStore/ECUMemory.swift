public import OBDCore

extension TripStore {
    /// The names that the ECUs of a vehicle report; nil for an ECU that was asked and has no name.
    ///
    /// `vehicle` is a VIN or a name.
    public func ecuNames(ofVehicle vehicle: String) throws(StoreError) -> [ECUAddress: String?] {
        try read { database in
            let rows = try database.rows(
                """
                SELECT address, ecu.name FROM ecu JOIN vehicle ON vehicle.id = ecu.vehicle
                WHERE vin = ?1 OR vehicle.name = ?1
                """, [vehicle])
            var names: [ECUAddress: String?] = [:]
            for row in rows {
                guard let ecu = try row["address"] as ECUAddress? else { continue }
                names.updateValue(try row["name"], forKey: ecu)
            }
            return names
        }
    }

    /// Keeps what ECUs of a vehicle say of themselves; `seen` is the current time.
    public func remember(
        ecuNames: [ECUAddress: String?], of vin: VIN, seen: UTC
    ) throws(StoreError) {
        try transaction { database in
            let vehicle = try Vehicles.id(of: vin, seen: seen, in: database)
            for (ecu, name) in ecuNames {
                try database.execute(
                    """
                    INSERT INTO ecu (vehicle, address, name) VALUES (?, ?, ?)
                    ON CONFLICT (vehicle, address) DO UPDATE SET name = excluded.name
                    """, [vehicle, ecu.description, name])
            }
        }
    }
}
