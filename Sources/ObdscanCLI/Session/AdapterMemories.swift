import Accessory
import Adapters
import Glibc
import ScanSession
import SystemIO
import TripStore

/// What is remembered of one accessory from session to session, kept in the database.
///
/// It only saves time: a database that cannot be used is no reason to fail.
struct AdapterMemories {
    /// What earlier sessions learnt; nil = nothing.
    var known: AdapterMemory? { remembered.map { AdapterMemory($0) } }
    private let remembered: RememberedAccessory?
    private let options: DatabaseOptions
    /// Under which the accessory is remembered; nil for what is none.
    let key: String?

    /// Looks the accessory up.
    init(_ options: DatabaseOptions, _ address: AccessoryAddress) {
        self.options = options
        key = address.transport.memoryKey
        remembered = key.flatMap { key in
            Self.store(options).flatMap { try? $0.accessory(at: key) }
        }
    }

    /// Everything remembered of accessories.
    static func all(_ options: DatabaseOptions) -> [RememberedAccessory] {
        store(options).flatMap { try? $0.accessories() } ?? []
    }

    private static func store(_ options: DatabaseOptions) -> TripStore? {
        guard let file = options.file, access(file, F_OK) == 0 else { return nil }
        return try? TripStore(path: file, access: .readOnly)
    }

    /// Keeps what a session learnt, if it is news; a disk takes its time.
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

    /// The time of last use is kept up to date to the hour; unit: microseconds.
    private static let refreshAfter: Int64 = 3_600_000_000
}

extension AdapterMemory {
    /// What the database remembers.
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
