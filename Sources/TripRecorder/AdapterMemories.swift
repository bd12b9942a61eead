import Accessory
import Adapters
import OBDCore
import ScanSession
import SystemIO
import TripStore
import VehicleScan

/// The stored facts about one adapter, kept in the database between sessions.
///
/// The memories only save time, so an unusable database does not make a command fail.
package struct AdapterMemories {
    /// The facts from earlier sessions; nil = none.
    package var known: AdapterMemory? { remembered.map { AdapterMemory($0) } }
    private let remembered: RememberedAccessory?
    private let database: String?
    private let used: UsedAdapters
    /// The key of the adapter in the database; nil for a device that is not stored.
    package let key: String?

    /// Loads the facts about the adapter with this key; `database` may be missing.
    package init(_ database: String?, key: String?, used: UsedAdapters = UsedAdapters()) {
        self.database = database
        self.used = used
        self.key = key
        remembered = key.flatMap { key in
            Self.store(database).flatMap { try? $0.accessory(at: key) }
        }
    }

    /// All adapters that a database knows.
    package static func all(_ database: String?) -> [RememberedAccessory] {
        store(database).flatMap { try? $0.accessories() } ?? []
    }

    /// The names of ECUs in a database; nil if nothing is stored about this device.
    package static func names(_ database: String?, isStored: Bool) -> KnownNames.Memory? {
        guard let database, isStored else { return nil }
        return KnownNames.Memory(
            recall: { vin in
                store(database).flatMap { try? $0.ecuNames(ofVehicle: vin.text) } ?? [:]
            },
            keep: { names, vin in
                guard store(database).flatMap({ try? $0.ecuNames(ofVehicle: vin.text) }) != names
                else { return }
                try? TripStore(path: database, access: .readWrite).remember(
                    ecuNames: names, of: vin, seen: SystemClock.utc)
            })
    }

    private static func store(_ database: String?) -> TripStore? {
        guard let database, Files.exists(database) else { return nil }
        return try? TripStore(path: database, access: .readOnly)
    }

    /// Stores new facts of a session; this may wait for the disk.
    package func save(_ memory: AdapterMemory, now: UTC = SystemClock.utc) {
        guard let key, memory.identity != nil else { return }
        used.note(key)
        var updated = remembered ?? RememberedAccessory(address: key)
        updated.lineRate = memory.lineRate ?? updated.lineRate
        updated.name = memory.identity?.banner
        updated.firmware = memory.identity?.stnFirmware
        updated.quirks = Set(memory.identity?.unsupportedCommands ?? [])
        updated.vehicleProtocol = memory.vehicleProtocol ?? updated.vehicleProtocol
        let isRecent = now.microseconds(since: updated.lastSeen) < Self.refreshAfter
        guard updated != remembered || !isRecent, let database else { return }
        try? TripStore(path: database, access: .readWrite).remember(updated, seen: now)
    }

    /// The time of last use is updated at most once per hour; unit: microseconds.
    private static let refreshAfter: Int64 = 3_600_000_000
}

extension AdapterMemory {
    fileprivate init(_ remembered: RememberedAccessory) {
        var identity = AdapterIdentity(
            banner: remembered.name, stnFirmware: remembered.firmware,
            vehicleProtocol: remembered.vehicleProtocol)
        identity.unsupportedCommands = remembered.quirks.sorted()
        self.init(
            lineRate: remembered.lineRate, identity: identity,
            vehicleProtocol: remembered.vehicleProtocol)
    }
}
