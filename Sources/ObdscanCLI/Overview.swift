import Accessory
import Formats
import Glibc
import Reports
import Settings
import SystemIO
import TripRecorder
import TripStore

/// The output of `obdscan` without a command: attached adapters and suggested commands.
struct Overview {
    private let attached: [Accessory]
    private let remembered: [RememberedAccessory]
    private let chosen: ChosenAccessory?
    private let hasTrips: Bool

    init() throws {
        attached = AccessoryManager().attached(withHolders: true)
        let database = DatabaseOptions(path: nil)
        let keys = attached.map { $0.memoryKey }
        remembered = AdapterMemories.all(database.file).filter { !keys.contains($0.address) }
        chosen = ChosenAccessory(
            environment: VehicleOptions.environmentDevice, settings: UserSettings.current)
        var latest = TripStore.TripFilter()
        latest.latest = 1
        let store = try? database.open(.readOnly)
        hasTrips = (try? store?.trips(latest))?.isEmpty == false
    }

    func print() throws {
        var writer = TextOutput.standard
        let palette = OutputOptions(format: .text).palette()
        try writer.write("obdscan \(ObdscanCommand.configuration.version): an OBD-II scan tool\n\n")
        try writer.write(accessories(palette))
        try writer.write("\n" + palette(.bold, "Next") + "\n" + next(palette))
        try writer.flush()
    }

    private func accessories(_ palette: Palette) -> String {
        var rows = TextTable([("", .left), ("", .left), ("", .left)])
        for accessory in attached {
            let entry = AccessoryEntry(accessory)
            let state =
                entry.inUseBy.map { "in use by \($0)" }
                ?? (accessory.isLikelyAdapter ? "attached" : "attached; probably not an adapter")
            rows.add([.init(entry.id, .bold), .init(entry.name ?? ""), .init(state, .dim)])
        }
        for accessory in remembered {
            let entry = AccessoryEntry(accessory)
            rows.add([
                .init(entry.id, .bold), .init(entry.name ?? ""),
                .init("last used \(localTime(accessory.lastSeen))", .dim),
            ])
        }
        let list =
            rows.isEmpty
            ? "  No adapter is attached, and none was used before.\n"
            : rows.text(palette, indent: 2)
        return palette(.bold, "Adapters") + "\n" + list
            + (chosen.map { "  \($0.text)\n" } ?? "")
    }

    /// The option `-d` that commands need; nil if there is no device.
    private var device: String? {
        if chosen != nil { return "" }
        let likely = attached.filter(\.isLikelyAdapter)
        if likely.count == 1 { return "" }
        return (likely.first.map { "\($0.address)" } ?? remembered.first?.address).map {
            " -d \($0)"
        }
    }

    private func next(_ palette: Palette) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        let add = { (command: String, what: String) in
            rows.add([.init("obdscan \(command)", .bold), .init(what)])
        }
        if let device {
            add("info\(device)", "adapter, vehicle, ECUs, VIN")
            add("live\(device)", "readings as they change")
            add("dtc\(device)", "trouble codes")
            add("log\(device)", "record a trip")
        } else {
            add("setup", "find an adapter, test it and save it")
            add("devices watch", "see an adapter appear when you plug it in")
            add("info -d tcp:HOST:PORT", "an adapter with Wi-Fi")
            add("info -d rfcomm:ADDRESS", "an adapter with Bluetooth")
            add("live -d sim:", "no adapter at hand: a simulated vehicle")
        }
        if hasTrips { add("trips", "the trips that were recorded") }
        add("--help", "all commands")
        return rows.text(palette, indent: 2)
    }
}

/// The device that commands use without `-d`, according to the environment or the configuration.
struct ChosenAccessory: Hashable, Sendable {
    /// The device with its name there.
    var name: String
    /// The address of the device, if the name is one of the user's names.
    var address: String?
    var source: String

    /// The device of the environment, else of the configuration; nil without either.
    init?(environment: String?, settings: UserSettings) {
        if let environment {
            (name, source) = (environment, "OBDSCAN_DEVICE")
        } else if let device = settings.device {
            (name, source) = (device, "config.toml")
        } else {
            return nil
        }
        address = settings.aliases[name]
    }

    var text: String {
        "\(source) chooses \(printable(name))" + (address.map { ", \(printable($0))" } ?? "")
    }
}
