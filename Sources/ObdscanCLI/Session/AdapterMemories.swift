import Accessory
import Adapters
import Glibc
import ScanSession
import TripStore

/// What is remembered of one accessory from session to session, kept in the database.
///
/// It only saves time: a database that cannot be used is no reason to fail.
struct AdapterMemories {
    /// What earlier sessions learnt; nil = nothing.
    let known: AdapterMemory?
    private let options: DatabaseOptions
    private let address: String?

    /// Looks the accessory up.
    init(_ options: DatabaseOptions, _ address: AccessoryAddress) {
        self.options = options
        self.address = Self.isLasting(address) ? "\(address)" : nil
        guard let key = self.address, let file = options.file, access(file, F_OK) == 0,
            let store = try? TripStore(path: file, access: .readOnly),
            let remembered = try? store.accessory(at: key)
        else {
            known = nil
            return
        }
        known = AdapterMemory(remembered)
    }

    /// Keeps what a session learnt, if it is news.
    func save(_ memory: AdapterMemory) {
        guard let address, memory.identity != nil, memory != known,
            let store = try? options.open(.readWrite)
        else { return }
        var remembered =
            (try? store.accessory(at: address)) ?? RememberedAccessory(address: address)
        remembered.lineRate = memory.lineRate ?? remembered.lineRate
        remembered.name = memory.identity?.banner
        remembered.firmware = memory.identity?.stnFirmware
        remembered.quirks = Set(memory.identity?.unsupportedCommands ?? [])
        remembered.vehicleProtocol = memory.vehicleProtocol
        try? store.remember(remembered, seen: Clock.utc)
    }

    /// Simulated and replayed accessories are no accessories, and a pty's number is soon another's.
    private static func isLasting(_ address: AccessoryAddress) -> Bool {
        switch address {
        case .serial(let path, _): !path.hasPrefix("/dev/pts/")
        case .rfcomm, .bluetooth, .tcp: true
        case .simulator, .replay, .alias: false
        }
    }
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
