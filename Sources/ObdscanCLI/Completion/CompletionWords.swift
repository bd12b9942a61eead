import Accessory
import Diagnostics
import Formats
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import Settings
import Simulator
import SystemIO
import TripStore

/// The possible values of an argument, from tables, configuration and database.
///
/// The list never fails: sources that cannot be read offer no words.
struct CompletionWords {
    private let line: CompletionLine

    /// Words for the end of `line`; its options are taken into account.
    init(_ line: CompletionLine) { self.line = line }

    /// Whether the argument is a file name here.
    func isFileName(_ argument: CommandArgument) -> Bool {
        // A device is rarely a file; if it is one, the user types a path.
        guard argument.valueName == "device" else { return argument.takesFile }
        return ["/", "./", "../", "~/"].contains { line.prefix.hasPrefix($0) }
    }

    /// The possible values, not yet restricted to the typed part if their number is small.
    func offers(for argument: CommandArgument) -> [Completion.Offer] {
        if !argument.words.isEmpty { return argument.words.map { .init(word: $0) } }
        if argument.names.contains("--tag") { return tags }
        if argument.names.contains("--signal") { return signals }
        if argument.names.contains("--personality") {
            return SimulatorCatalogue.personalities.map { .init(word: $0.name, about: $0.title) }
        }
        switch (argument.valueName, argument.kind) {
        case ("signal", _), ("id", .positional): return signals
        case ("device", _): return accessories
        case ("trip", _), ("first", .positional), ("second", .positional): return trips
        case ("view", _): return views
        case ("vehicle", _): return vehicles
        case ("tag", _): return tags
        case ("protocol", _): return ProtocolOption.allValueStrings.map { .init(word: $0) }
        case ("scenario", _):
            return SimulatorCatalogue.scenarios.map { .init(word: $0.name, about: $0.title) }
        case ("name", .positional) where line.path.first == "config": return settings
        default: return []
        }
    }

    /// The given values of an option.
    private func values(of name: String) -> [String] {
        line.given.filter { $0.argument.names.contains(name) }.compactMap(\.value)
    }

    // MARK: Tables

    /// SAE names and aliases in the typed case.
    ///
    /// Without a typed part the result has current data with an alias, by the first alias, because a list of
    /// a thousand names is useless.
    private var signals: [Completion.Offer] {
        let options = ["--pids", "--pack", "--table"].flatMap { name in
            values(of: name).flatMap { [name == "--table" ? "--pids" : name, $0] }
        }
        guard let tables = try? TableOptions.parse(options), let table = try? loadTable(tables)
        else { return [] }
        var offers: [Completion.Offer] = []
        for record in table.records {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                let names = [signal.id, signal.id.lowercased()] + signal.aliases
                if line.prefix.isEmpty {
                    guard record.dataID.service == .currentData,
                        let alias = signal.aliases.first
                    else { continue }
                    offers.append(.init(word: alias, about: signal.name))
                } else {
                    for name in names where name.hasPrefix(line.prefix) {
                        offers.append(.init(word: name, about: signal.name))
                    }
                }
            }
        }
        return offers
    }

    private var views: [Completion.Offer] {
        let own = UserSettings.current.views.sorted { $0.key < $1.key }
        return (own.map { ($0.key, $0.value) } + SignalViews.builtIn.map { ($0.name, $0.signals) })
            .map { name, signals in
                .init(
                    word: name,
                    about: signals.isEmpty
                        ? "what a driver needs first" : signals.joined(separator: " "))
            }
    }

    // MARK: Configuration

    private var settings: [Completion.Offer] {
        let settings = UserSettings.current
        return SettingsKey.plain.map { .init(word: $0.name, about: $0.meaning) }
            + settings.aliases.sorted { $0.key < $1.key }
            .map { .init(word: "aliases.\($0.key)", about: $0.value) }
            + settings.views.sorted { $0.key < $1.key }
            .map { .init(word: "views.\($0.key)", about: $0.value.joined(separator: " ")) }
    }

    /// The user's names, attached and used devices, and those that need no hardware.
    private var accessories: [Completion.Offer] {
        for form in TransportRegistry.all.forms where form.takesFile {
            if line.prefix.hasPrefix("\(form.scheme):") { return files(behind: "\(form.scheme):") }
        }
        let own = UserSettings.current.aliases.sorted { $0.key < $1.key }
            .map { Completion.Offer(word: $0.key, about: $0.value) }
        let attached = AccessoryManager().attached().map { accessory in
            Completion.Offer(word: accessory.address.transport.typedForm, about: accessory.name)
        }
        let known = ((try? store?.accessories()) ?? []).map {
            Completion.Offer(word: $0.address, about: "used before")
        }
        let offered = TransportRegistry.all.transports.flatMap { $0.offers }
            .map { Completion.Offer(word: $0.word, about: $0.about) }
        return own + attached + known + offered
    }

    /// File and folder names after a prefix that is not part of the name.
    private func files(behind word: String) -> [Completion.Offer] {
        let path = line.prefix.dropFirst(word.count)
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let folder = path[..<end]
        guard let directory = opendir(folder.isEmpty ? "." : String(folder)) else { return [] }
        defer { closedir(directory) }
        var offers: [Completion.Offer] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("."), path[end...].isEmpty || name == "." || name == ".." { continue }
            var status = stat()
            let isFolder =
                stat(String(folder) + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            offers.append(.init(word: word + folder + name + (isFolder ? "/" : "")))
        }
        return offers.sorted { $0.word < $1.word }
    }

    // MARK: Database

    private var database: DatabaseOptions { DatabaseOptions(path: values(of: "--db").last) }

    /// Do not wait for a locked database while the user waits for a completion.
    private var store: TripStore? {
        guard let file = database.file, access(file, R_OK) == 0 else { return nil }
        return try? TripStore(
            path: file, access: .readOnly, limits: TripStore.Limits(patience: .zero))
    }

    /// The numbers of the latest hundred trips, the newest first, `latest`, and names of trips.
    private var trips: [Completion.Offer] {
        var filter = TripStore.TripFilter(withScans: true)
        filter.latest = 100
        let trips = (try? store?.trips(filter)) ?? []
        let about = { (trip: TripSummary) in
            let distance = trip.distance.map { "\(fixed($0, 1)) km" }
            return [localTime(trip.start), distance, trip.name].compactMap(\.self)
                .joined(separator: ", ")
        }
        return trips.reversed().map { .init(word: $0.number, about: about($0)) }
            + [.init(word: "latest", about: "the latest drive")]
            + trips.reversed().compactMap { trip in
                trip.name.map { .init(word: $0, about: "trip \(trip.number)") }
            }
    }

    private var vehicles: [Completion.Offer] {
        ((try? store?.vehicles()) ?? []).compactMap { vehicle in
            (vehicle.vin?.text ?? vehicle.name).map { .init(word: $0, about: vehicle.name ?? "") }
        }
    }

    private var tags: [Completion.Offer] {
        var filter = TripStore.TripFilter(withScans: true)
        filter.latest = 1000
        let trips = (try? store?.trips(filter)) ?? []
        return Set(trips.flatMap(\.tags)).sorted().map { .init(word: $0) }
    }
}
