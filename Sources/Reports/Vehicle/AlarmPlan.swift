import Diagnostics
import Formats
import OBDCore
import VehicleScan

/// The alarms to watch, and the program to run for them.
package struct AlarmPlan: Sendable {
    /// A condition and its signal.
    package struct Armed: Sendable {
        var alarm: Alarm
        /// The signal with the user's name, in any service of the vehicle.
        var selected: SelectedSignal
        /// Whether an option set the alarm; the user is then informed if the alarm cannot ring.
        var isAsked: Bool

        package init(_ alarm: Alarm, of selected: SelectedSignal, isAsked: Bool) {
            self.alarm = alarm
            self.selected = selected
            self.isAsked = isAsked
        }
    }

    /// Each condition with its signals.
    package var armed: [Armed] = []
    /// The program to run; nil = none.
    package var command: String?

    package init(command: String? = nil) { self.command = command }

    /// The notifier for the readings of `setup`; nil if there is nothing to watch.
    ///
    /// A signal is watched in the services of this vehicle: the engine speed of SAE J1939 is another signal
    /// than that of SAE J1979. `note` receives the alarms that cannot ring here.
    package func bell(
        _ table: PIDTable, _ units: UnitSystem, accessory: String? = nil, for setup: PollSetup,
        note: (String) -> Void, report: @escaping (AlarmNotifier.Report) -> Void
    ) -> AlarmNotifier? {
        var watch = AlarmWatch(units: units)
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
            watch: watch, table: table, units: units, accessory: accessory, command: command,
            report: report)
    }
}

extension PollSetup {
    /// Whether a signal is polled, alone or among others.
    fileprivate func reads(_ selected: SelectedSignal) -> Bool {
        guard let dataID = selected.dataID else { return readsVoltage }
        return wants.contains { $0.dataID == dataID }
    }
}

extension SelectedSignal {
    fileprivate func signals(_ table: PIDTable) -> [SignalIndex] {
        if let signal { return [signal] }
        guard let record else { return [table.adapterVoltage].compactMap(\.self) }
        return record.signals.map { SignalIndex(rawValue: $0) }
    }
}
