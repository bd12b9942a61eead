import Diagnostics
import Formats
import Glibc
import OBDCore
import ScanSession
import SystemIO
import VehicleReports

/// Reports alarms: a line on stderr, the terminal's bell, and the user's program.
struct AlarmNotifier {
    private(set) var watch: AlarmWatch
    private let table: PIDTable
    private let output: OutputOptions
    private let accessory: String?
    private let command: AlarmCommand?

    init(
        watch: AlarmWatch, table: PIDTable, output: OutputOptions, accessory: String?,
        command: AlarmCommand?
    ) {
        self.watch = watch
        self.table = table
        self.output = output
        self.accessory = accessory
        self.command = command
    }

    /// Takes a batch and reports alarms that it began or ended.
    mutating func take(_ batch: ReadingBatch) {
        var heard: [(news: AlarmNews, text: String)] = []
        take(batch.items, at: batch.answered) { heard.append(($0, $1)) }
        if let voltage = batch.voltage {
            take(voltage: voltage, at: batch.answered) { heard.append(($0, $1)) }
        }
        for (news, text) in heard { tell(news, text) }
    }

    /// Takes items and calls `heard` with each change of an alarm and its text.
    mutating func take(
        _ items: [DiagnosticItem], at now: Instant, heard: (AlarmNews, String) -> Void
    ) {
        for case .reading(let reading) in items { take(reading, at: now, heard: heard) }
    }

    /// Takes the voltage at the adapter; unit: V.
    mutating func take(voltage: Double, at now: Instant, heard: (AlarmNews, String) -> Void) {
        guard let signal = table.adapterVoltage else { return }
        let reading = Reading(
            ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [], line: 0)
        take(reading, at: now, heard: heard)
    }

    private mutating func take(
        _ reading: Reading, at now: Instant, heard: (AlarmNews, String) -> Void
    ) {
        let signal = table[reading.signal]
        for news in watch.take(reading, signal, at: now) {
            let value = ValueText(reading, signal, output.units)
            let words = [accessory, reading.ecu?.description, signal.name, value.joined]
                .compactMap(\.self)
            let text = "\(news.alarm.text): \(words.joined(separator: " "))"
            heard(news, text)
            if news.isRaised { command?.run(news, text, signal, value) }
        }
    }

    /// Writes the line to stderr, with a bell if that is a terminal.
    func tell(_ news: AlarmNews, _ text: String) {
        guard takesMore(STDERR_FILENO) else { return }
        let palette = output.palette(STDERR_FILENO)
        let line = printable((news.isRaised ? "alarm: " : "alarm over: ") + text)
        let bell = news.isRaised && isatty(STDERR_FILENO) == 1 ? "\u{07}" : ""
        writeToStandardError(palette(news.isRaised ? .bad : .good, line) + bell + "\n")
    }
}
