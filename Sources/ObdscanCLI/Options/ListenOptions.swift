import ArgumentParser
import Diagnostics
import OBDCore
import Reports
import VehicleScan

/// Options for what ECUs send by themselves.
struct ListenOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Listen to the bus and send nothing.",
            discussion: """
                The values come from the frames that ECUs send by themselves, by the table of --table or \
                by SAE J1939. A signal is named Message.Signal; Signal alone means the signal of that name in each message.
                """))
    var listen = false

    @Option(
        help: ArgumentHelp(
            "Add a PID table or a DBC file; may be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []
}

extension ListenOptions {
    /// What a session passes on that listens and sends nothing.
    func heard(
        _ names: [String], _ table: PIDTable, _ vehicleProtocol: VehicleProtocol?
    ) throws -> HeardSignals {
        let named = try BusSignals.find(names, in: table)
        let listener = BusReadings(
            table, try loadMonitorTables(), signals: named.map { Set($0) },
            isJ1939: vehicleProtocol == .j1939 ? true : nil)
        return HeardSignals(named: named ?? [], listener: listener)
    }
}

/// What a session hears on the bus of the things that ECUs send by themselves.
struct HeardSignals: Sendable {
    /// The named signals; empty = all of the tables.
    var named: [SignalIndex]
    var listener: BusReadings
    /// The identifiers of the frames to hear beside requests; nil = the session only listens.
    var beside: Set<ECUAddress>?
    /// The parameter groups of SAE J1939 to hear beside requests.
    var groups = HeardGroups()

    /// The signals that are heard without any request.
    init(named: [SignalIndex], listener: BusReadings) {
        self.named = named
        self.listener = listener
    }

    /// What is heard beside the requests for `selected`, where nothing selected means everything.
    init(
        beside selected: [SelectedSignal], asking ecu: ECUAddress?, _ table: PIDTable
    ) throws {
        let names = SignalNames(table)
        let paced = selected.first {
            $0.pace != nil && (names.isHeard($0, asking: ecu) || names.isHeardGroup($0))
        }
        if let paced {
            throw Failure(
                "\(paced.signal.map { table[$0].id } ?? "it") is not requested, so it takes no interval",
                hint: "leave out the text from @ on; ECUs send it by themselves", status: .usage)
        }
        let signals = names.heard(among: selected, asking: ecu)
        groups = names.heardGroups(among: selected)
        named = selected.isEmpty ? [] : signals + groups.signals
        let frames = names.frames(with: signals)
        listener = BusReadings(
            table, try loadMonitorTables(),
            signals: selected.isEmpty ? nil : Set(signals + groups.signals), expecting: frames,
            groups: (groups.asked, groups.unasked), from: ecu)
        beside = frames
    }

    /// The same for another session, which has heard nothing yet.
    func fresh() -> HeardSignals {
        var copy = self
        copy.listener = listener.fresh()
        return copy
    }

    /// Whether nothing is sent.
    var isAlone: Bool { beside == nil }

    /// Whether there are signals that are heard and never requested.
    var hasOwn: Bool { isAlone || beside?.isEmpty == false || !named.isEmpty }

    /// Tells whether the tables fit the bus; nil if everything that is heard may also be requested.
    func frames(of setup: PollSetup) -> HeardFrames? {
        setup.hears && hasOwn ? listener.frames : nil
    }
}

extension SessionNeeds {
    /// Adds what is heard.
    mutating func hear(_ heard: HeardSignals?) {
        guard let heard else { return }
        onlyListens = heard.isAlone
        listener = heard.listener
        self.heard = heard.beside ?? []
        heardGroups = heard.isAlone ? [] : heard.groups.asked.union(heard.groups.unasked)
    }
}
