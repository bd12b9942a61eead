import Diagnostics
import Formats
import Glibc
import OBDCore
import ScanSession
import SystemIO
import VehicleReports

/// Tells of alarms: a line on stderr, the terminal's bell, a program of the user's.
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

    /// Takes a batch and says of what began and ended by it.
    mutating func take(_ batch: ReadingBatch) {
        var heard: [(news: AlarmNews, text: String)] = []
        take(batch.items, at: batch.answered) { heard.append(($0, $1)) }
        if let voltage = batch.voltage {
            take(voltage: voltage, at: batch.answered) { heard.append(($0, $1)) }
        }
        for (news, text) in heard { tell(news, text) }
    }

    /// Takes what was read; `heard` is given each piece of news and its text.
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

    /// The line on stderr, with the bell where a person hears it.
    func tell(_ news: AlarmNews, _ text: String) {
        guard takesMore(STDERR_FILENO) else { return }
        let palette = output.palette(STDERR_FILENO)
        let line = printable((news.isRaised ? "alarm: " : "alarm over: ") + text)
        let bell = news.isRaised && isatty(STDERR_FILENO) == 1 ? "\u{07}" : ""
        writeToStandardError(palette(news.isRaised ? .bad : .good, line) + bell + "\n")
    }
}
