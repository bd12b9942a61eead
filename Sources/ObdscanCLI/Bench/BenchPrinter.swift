import TripExport
import VehicleScan

/// Prints what was measured: a table for people, JSON Lines or CSV.
struct BenchPrinter {
    /// The columns of `--format csv`.
    static let columns = [
        "what", "records", "countDigit", "requests", "failed", "p50", "p95", "readingsPerSecond",
    ]

    private let format: OutputFormat
    /// The width of the first column.
    private static let width = 34

    init(format: OutputFormat) {
        self.format = format
    }

    /// Appends what stands above the figures.
    mutating func begin(_ connection: Vehicle, to output: inout [UInt8]) {
        switch format {
        case .json: break
        case .csv: CSVRow.append(Self.columns, to: &output)
        case .text:
            let link = connection.scan.link
            var parts = [link?.identity.banner ?? "adapter", "at", connection.accessory]
            if let title = link?.capabilities.vehicleProtocol?.title {
                parts.append("(\(title))")
            }
            let title = LocaleText.shown(printable(parts.joined(separator: " ")))
            output.append(contentsOf: (title + "\n\n").utf8)
            line("ROUND TRIP", "P50", "P95", "READINGS/S", &output)
        }
    }

    /// Appends the figures of one kind of request.
    func append(_ figures: BenchFigures, to output: inout [UInt8]) {
        switch format {
        case .text:
            let time = { (share: Double) in
                figures.roundTrip(share).map { fixed($0 * 1000, 1) + " ms" } ?? "—"
            }
            line(
                Self.name(figures), time(0.5), time(0.95),
                figures.readingsPerSecond.map { fixed($0, 1) } ?? "—", &output)
        case .json:
            var object = JSONObject()
            object.add("kind", "bench")
            object.add("what", Self.word(figures.kind))
            object.add("records", Self.records(figures.kind))
            object.add("countDigit", Self.countDigit(figures.kind))
            object.add("requests", figures.requests)
            object.add("failed", figures.failed)
            object.add("p50", microseconds(figures.roundTrip(0.5)))
            object.add("p95", microseconds(figures.roundTrip(0.95)))
            object.add("readingsPerSecond", figures.readingsPerSecond.map(rounded))
            object.append(to: &output)
        case .csv:
            let number = { (value: Double?) in value.map { "\($0)" } ?? "" }
            CSVRow.append(
                [
                    Self.word(figures.kind), Self.records(figures.kind).map(String.init) ?? "",
                    Self.countDigit(figures.kind).map { $0 ? "1" : "0" } ?? "",
                    String(figures.requests), String(figures.failed),
                    number(microseconds(figures.roundTrip(0.5))),
                    number(microseconds(figures.roundTrip(0.95))),
                    number(figures.readingsPerSecond.map(rounded)),
                ], to: &output)
        }
    }

    /// Appends what follows from the figures.
    func end(_ verdict: BenchVerdict, to output: inout [UInt8]) {
        switch format {
        case .csv: break
        case .json:
            var object = JSONObject()
            object.add("kind", "benchVerdict")
            object.add("countDigit", verdict.countDigit)
            object.add("saved", microseconds(verdict.saved))
            object.add("recordsPerRequest", verdict.batch)
            object.add("readingsPerSecond", verdict.readingsPerSecond.map(rounded))
            object.append(to: &output)
        case .text:
            let text = LocaleText.shown(Self.sentences(verdict))
            output.append(contentsOf: ("\n" + text).utf8)
        }
    }

    /// The verdict in words.
    static func sentences(_ verdict: BenchVerdict) -> String {
        var lines: [String] = []
        switch verdict.countDigit {
        case true?:
            let saved = verdict.saved.map { max(0, $0) * 1000 } ?? 0
            lines.append("Count digit: yes, it saves \(fixed(saved, 1)) ms a request.")
        case false?: lines.append("Count digit: this adapter does not take it.")
        case nil: lines.append("Count digit: not tried, it is of no use here.")
        }
        switch verdict.batch {
        case let count? where count > 1:
            lines.append("Batches: \(count) records a request are answered.")
        case _?: lines.append("Batches: not answered; one record a request.")
        case nil: lines.append("Batches: not tried; this link takes one record a request.")
        }
        if let rate = verdict.readingsPerSecond {
            lines.append("Reached by polling: \(fixed(rate, 1)) readings a second.")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func name(_ figures: BenchFigures) -> String {
        let text: String
        switch figures.kind {
        case .adapter: text = "the adapter alone"
        case .records(let count, let countDigit):
            text =
                (count == 1 ? "one record a request" : "\(count) records a request")
                + (countDigit ? ", count digit" : "")
        case .polling: text = "polling"
        }
        return figures.failed > 0 ? text + " (\(figures.failed) failed)" : text
    }

    private static func word(_ kind: BenchFigures.Kind) -> String {
        switch kind {
        case .adapter: "adapter"
        case .records: "records"
        case .polling: "polling"
        }
    }

    private static func records(_ kind: BenchFigures.Kind) -> Int? {
        if case .records(let count, _) = kind { return count }
        return nil
    }

    private static func countDigit(_ kind: BenchFigures.Kind) -> Bool? {
        if case .records(_, let countDigit) = kind { return countDigit }
        return nil
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// Seconds to the microsecond: what is behind it is noise.
    private func microseconds(_ seconds: Double?) -> Double? {
        seconds.map { ($0 * 1e6).rounded() / 1e6 }
    }

    private func line(
        _ name: String, _ p50: String, _ p95: String, _ rate: String, _ output: inout [UInt8]
    ) {
        let right = { (text: String, width: Int) in
            String(repeating: " ", count: max(1, width - displayWidth(text))) + text
        }
        let filled = name + String(repeating: " ", count: max(0, Self.width - displayWidth(name)))
        let line = filled + right(p50, 11) + right(p95, 11) + right(rate, 12) + "\n"
        output.append(contentsOf: LocaleText.shown(line).utf8)
    }
}
