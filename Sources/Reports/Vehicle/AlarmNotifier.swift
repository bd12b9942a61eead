import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO

/// Watches the readings for alarms, reports them, and starts the user's program.
package struct AlarmNotifier {
    package enum Report {
        /// An alarm began or ended.
        case news(AlarmNews, text: String)
        /// The user's program could not be started.
        case commandFailed(program: String, errno: Int32)
    }

    package private(set) var watch: AlarmWatch
    private let table: PIDTable
    private let units: UnitSystem
    private let accessory: String?
    /// A program and its arguments; empty = none.
    private let command: [String]
    private let report: (Report) -> Void

    /// Reports the changes of `watch` by `report`.
    ///
    /// - Parameters:
    ///   - accessory: the name of the vehicle in texts; nil = there is one vehicle.
    ///   - command: a program and its arguments, separated by blanks; it runs without a shell.
    package init(
        watch: AlarmWatch, table: PIDTable, units: UnitSystem, accessory: String?,
        command: String?, report: @escaping (Report) -> Void
    ) {
        self.watch = watch
        self.table = table
        self.units = units
        self.accessory = accessory
        self.command = command?.split(separator: " ").map(String.init) ?? []
        self.report = report
    }

    /// Takes a batch and reports alarms that begin or end with it.
    package mutating func take(_ batch: ReadingBatch) {
        for (news, text) in news(of: batch) { report(.news(news, text: text)) }
    }

    /// Takes a batch; returns each piece of news and its text.
    package mutating func news(of batch: ReadingBatch) -> [(news: AlarmNews, text: String)] {
        var heard: [(news: AlarmNews, text: String)] = []
        for case .reading(let reading) in batch.items { take(reading, at: batch.answered, &heard) }
        if let voltage = batch.voltage, let signal = table.adapterVoltage {
            let reading = Reading(
                ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [], line: 0)
            take(reading, at: batch.answered, &heard)
        }
        return heard
    }

    private mutating func take(
        _ reading: Reading, at now: Instant, _ heard: inout [(news: AlarmNews, text: String)]
    ) {
        let signal = table[reading.signal]
        for news in watch.take(reading, signal, at: now) {
            let value = ValueText(reading, signal, units)
            let words = [accessory, reading.ecu?.description, signal.name, value.joined]
                .compactMap(\.self)
            let text = "\(news.alarm.text): \(words.joined(separator: " "))"
            heard.append((news, text))
            if news.isRaised { start(news, text, signal, value) }
        }
    }

    private func start(_ news: AlarmNews, _ text: String, _ signal: Signal, _ value: ValueText) {
        guard let program = command.first else { return }
        let variables = [
            "OBDSCAN_ALARM": news.alarm.text, "OBDSCAN_ECU": news.ecu?.description ?? "",
            "OBDSCAN_SIGNAL": signal.id, "OBDSCAN_VALUE": value.value, "OBDSCAN_UNIT": value.unit,
        ]
        do throws(SystemError) {
            try ChildProcess.start(
                command + [printable(text)],
                variables: variables.map { "\($0.key)=\(printable($0.value))" })
        } catch {
            report(.commandFailed(program: program, errno: error.errno))
        }
    }
}
