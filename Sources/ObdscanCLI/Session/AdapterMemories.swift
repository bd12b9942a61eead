import Accessory
import Adapters
import Glibc
import ScanSession
import SystemIO
import TripStore

/// The stored facts about one adapter, kept in the database between sessions.
///
/// They only save time, so an unusable database does not make a command fail.
struct AdapterMemories {
    /// The facts from earlier sessions; nil = none.
    var known: AdapterMemory? { remembered.map { AdapterMemory($0) } }
    private let remembered: RememberedAccessory?
    private let options: DatabaseOptions
    /// The key of the adapter in the database; nil for a device that is not stored.
    let key: String?

    /// Loads the facts about the adapter.
    init(_ options: DatabaseOptions, _ address: AccessoryAddress) {
        self.options = options
        key = address.transport.memoryKey
        remembered = key.flatMap { key in
            Self.store(options).flatMap { try? $0.accessory(at: key) }
        }
    }

    /// All stored adapters.
    static func all(_ options: DatabaseOptions) -> [RememberedAccessory] {
        store(options).flatMap { try? $0.accessories() } ?? []
    }

    private static func store(_ options: DatabaseOptions) -> TripStore? {
        guard let file = options.file, access(file, F_OK) == 0 else { return nil }
        return try? TripStore(path: file, access: .readOnly)
    }

    /// Stores new facts of a session; this may wait for the disk.
    func save(_ memory: AdapterMemory) {
        guard let key, memory.identity != nil else { return }
        var updated = remembered ?? RememberedAccessory(address: key)
        updated.lineRate = memory.lineRate ?? updated.lineRate
        updated.name = memory.identity?.banner
        updated.firmware = memory.identity?.stnFirmware
        updated.quirks = Set(memory.identity?.unsupportedCommands ?? [])
        updated.vehicleProtocol = memory.vehicleProtocol ?? updated.vehicleProtocol
        let now = SystemClock.utc
        let isRecent = now.microseconds - updated.lastSeen.microseconds < Self.refreshAfter
        guard updated != remembered || !isRecent, let store = try? options.open(.readWrite) else {
            return
        }
        try? store.remember(updated, seen: now)
    }

    /// The time of last use is updated at most once per hour; unit: microseconds.
    private static let refreshAfter: Int64 = 3_600_000_000
}

extension AdapterMemory {
    /// The facts from the database.
    init(_ remembered: RememberedAccessory) {
        var identity = AdapterIdentity(
            banner: remembered.name, stnFirmware: remembered.firmware,
            vehicleProtocol: remembered.vehicleProtocol)
        identity.unsupportedCommands = remembered.quirks.sorted()
        self.init(
            lineRate: remembered.lineRate, identity: identity,
            vehicleProtocol: remembered.vehicleProtocol)
    }
}
