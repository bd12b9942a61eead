import ArgumentParser
import Diagnostics

/// Options of commands that watch values.
struct AlarmOptions: ParsableArguments {
    @Option(
        name: .customLong("alarm"),
        help: ArgumentHelp(
            "Tell when a value passes a limit: 'ECT>110', 'MIL=on'; may be repeated.",
            discussion: """
                Limits are in the units shown. The signals are read as well. Further alarms stand as \
                `alarms` in the configuration file; those count where their signals are read anyway.
                """,
            valueName: "condition"))
    var alarms: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run a program when an alarm begins.",
            discussion: """
                No shell reads it; blanks separate its arguments, and the alarm as a text is added to \
                them. The environment has OBDSCAN_ALARM, OBDSCAN_ECU, OBDSCAN_SIGNAL, OBDSCAN_VALUE \
                and OBDSCAN_UNIT.
                """,
            valueName: "program"),
        completion: .file())
    var alarmCommand: String?

    /// What to watch for, by options and configuration; `asked` are the signals of options.
    ///
    /// A signal of the configuration that no table knows, as one of a pack that is not loaded, is
    /// left out and told by `note`.
    func find(
        _ names: SignalNames, _ settings: Settings, note: (String) -> Void
    ) throws(Failure) -> (asked: [SelectedSignal], plan: AlarmPlan) {
        var asked: [SelectedSignal] = []
        var plan = AlarmPlan(command: alarmCommand ?? settings.alarmCommand)
        for text in alarms {
            let alarm = try Alarm(text)
            let selected = try names.find(alarm.name)
            asked.append(selected)
            plan.armed.append((alarm, selected))
        }
        for text in settings.alarms {
            let alarm = try Alarm(text)
            do {
                plan.armed.append((alarm, try names.find(alarm.name)))
            } catch {
                note("the alarm \(alarm.text) of the configuration is left out: \(error.message)")
            }
        }
        return (asked, plan)
    }
}

/// What to watch for, and what is run then.
struct AlarmPlan: Sendable {
    /// Each condition with the signals that it is about.
    var armed: [(Alarm, SelectedSignal)] = []
    /// The program to run; nil = none.
    var command: String?

    /// Who watches and tells; nil when there is nothing to watch for.
    func bell(_ table: PIDTable, _ output: OutputOptions, accessory: String? = nil) -> AlarmBell? {
        var watch = AlarmWatch(units: output.units)
        for (alarm, selected) in armed {
            for signal in selected.signals(table) { watch.add(alarm, on: signal) }
        }
        if watch.isEmpty { return nil }
        return AlarmBell(
            watch: watch, table: table, output: output, accessory: accessory,
            command: command.flatMap { AlarmCommand($0) })
    }
}

extension SelectedSignal {
    /// The signals that are meant.
    func signals(_ table: PIDTable) -> [SignalIndex] {
        if let signal { return [signal] }
        guard let record else { return [table.adapterVoltage].compactMap(\.self) }
        return record.signals.map { SignalIndex(rawValue: $0) }
    }
}
