import ArgumentParser
import Diagnostics
import Settings
import VehicleReports
import VehicleScan

/// Options of commands that watch values.
struct AlarmOptions: ParsableArguments {
    @Option(
        name: .customLong("alarm"),
        help: ArgumentHelp(
            "Warn when a value passes a limit: 'ECT>110'.",
            discussion: """
                Limits are in the units shown. The signals are read as well. The configuration \
                file can hold more alarms as `alarms`; they apply when their signals are read \
                anyway.
                """,
            valueName: "condition"))
    var alarms: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run a program when an alarm begins.",
            discussion: """
                It runs without a shell. Blanks separate its arguments, and the text of the alarm \
                is added as the last one. The environment has OBDSCAN_ALARM, OBDSCAN_ECU, \
                OBDSCAN_SIGNAL, OBDSCAN_VALUE and OBDSCAN_UNIT.
                """,
            valueName: "program"),
        completion: .file())
    var alarmCommand: String?

    /// The alarms of the options and the configuration; `asked` are the signals of the options.
    ///
    /// A configured signal that no table contains, for example one of a pack that is not loaded, is
    /// left out and reported through `note`.
    func find(
        _ names: SignalNames, _ settings: UserSettings, note: (String) -> Void
    ) throws(Failure) -> (asked: [SelectedSignal], plan: AlarmPlan) {
        var asked: [SelectedSignal] = []
        var plan = AlarmPlan(command: alarmCommand ?? settings.alarmCommand)
        for text in alarms {
            let alarm = try Alarm.named(text)
            let selected = try mapped { () throws(SignalError) in try names.find(alarm.name) }
            asked.append(selected)
            plan.armed.append(.init(alarm: alarm, selected: selected, isAsked: true))
        }
        for text in settings.alarms {
            let alarm = try Alarm.named(text)
            do throws(SignalError) {
                plan.armed.append(
                    .init(alarm: alarm, selected: try names.find(alarm.name), isAsked: false))
            } catch {
                let why = Failure(error).message
                note("the alarm \(alarm.text) of the configuration is ignored: \(why)")
            }
        }
        return (asked, plan)
    }
}

extension Alarm {
    /// Parses the user's description of an alarm.
    fileprivate static func named(_ text: String) throws(Failure) -> Alarm {
        if let alarm = Alarm(text) { return alarm }
        throw Failure(
            "\"\(text)\" is not an alarm",
            hint: "a signal, one of > < >= <= = !=, and a number, on or off: --alarm 'ECT>110'",
            status: .usage)
    }
}

/// The alarms to watch for, and the program to run.
struct AlarmPlan: Sendable {
    /// An alarm and its signal.
    struct Armed: Sendable {
        var alarm: Alarm
        /// The signal by name, whichever record of the vehicle contains it.
        var selected: SelectedSignal
        /// Whether an option set it; the user then gets a note if the vehicle lacks the signal.
        var isAsked: Bool
    }

    /// The alarms with their signals.
    var armed: [Armed] = []
    /// The program to run; nil = none.
    var command: String?

    /// The notifier for the signals that `setup` polls; nil if there is nothing to watch for.
    ///
    /// It watches the signals of the services that this vehicle uses: the engine speed of SAE J1939
    /// is another signal than that of SAE J1979. `note` is called for alarms that cannot occur
    /// here.
    func bell(
        _ table: PIDTable, _ output: OutputOptions, accessory: String? = nil, for setup: PollSetup,
        note: (String) -> Void
    ) -> AlarmNotifier? {
        var watch = AlarmWatch(units: output.units)
        let names = SignalNames(table)
        for one in armed {
            let resolved = names.resolve([one.selected], in: setup.profiles)
            let read = resolved.signals.filter { setup.reads($0) }
            for signal in Set(read.flatMap { $0.signals(table) }) {
                watch.add(one.alarm, on: signal)
            }
            guard read.isEmpty, one.isAsked else { continue }
            let why = resolved.unknown.first?.text ?? "the vehicle does not support its signal"
            note("the alarm \(one.alarm.text) cannot work: \(why)")
        }
        if watch.isEmpty { return nil }
        return AlarmNotifier(
            watch: watch, table: table, output: output, accessory: accessory,
            command: command.flatMap { AlarmCommand($0) })
    }
}

extension PollSetup {
    /// Whether a signal is polled, alone or within a record.
    fileprivate func reads(_ selected: SelectedSignal) -> Bool {
        guard let dataID = selected.dataID else { return readsVoltage }
        return wants.contains { $0.dataID == dataID }
    }
}

extension SelectedSignal {
    /// The signals that were selected.
    func signals(_ table: PIDTable) -> [SignalIndex] {
        if let signal { return [signal] }
        guard let record else { return [table.adapterVoltage].compactMap(\.self) }
        return record.signals.map { SignalIndex(rawValue: $0) }
    }
}
