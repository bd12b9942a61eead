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

    /// The alarms, each with its signal, as far as `names` knows them; `asked` are those of options.
    func find(
        _ names: SignalNames, _ settings: Settings
    ) throws(Failure) -> (asked: [SelectedSignal], armed: [(Alarm, SelectedSignal)]) {
        var asked: [SelectedSignal] = []
        var armed: [(Alarm, SelectedSignal)] = []
        for text in alarms {
            let alarm = try Alarm(text)
            let selected = try names.find(alarm.name)
            asked.append(selected)
            armed.append((alarm, selected))
        }
        for text in settings.alarms {
            let alarm = try Alarm(text)
            armed.append((alarm, try names.find(alarm.name)))
        }
        return (asked, armed)
    }

    /// Who watches for `armed` and tells; nil when there is nothing to watch for.
    func bell(
        _ armed: [(Alarm, SelectedSignal)], _ table: PIDTable, _ output: OutputOptions,
        accessory: String? = nil
    ) -> AlarmBell? {
        var watch = AlarmWatch(units: output.units)
        for (alarm, selected) in armed {
            for signal in selected.signals(table) { watch.add(alarm, on: signal) }
        }
        if watch.isEmpty { return nil }
        let command = alarmCommand ?? Settings.current.alarmCommand
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
