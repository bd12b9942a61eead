import Formats
import VehicleScan

/// Prints measurements: a table for people, JSON Lines or CSV.
package struct BenchPrinter {
    private let format: OutputFormat
    private let palette: Palette
    private var rows: RowWriter
    /// The width of the first column.
    private static let width = 36

    package init(_ output: OutputForm) {
        format = output.format
        palette = output.palette
        rows = RowWriter(output.format, kinds: [Self.figureKeys, Self.verdictKeys])
    }

    private static let figureKeys = [
        "what", "records", "countDigit", "requests", "failed", "p50", "p95", "readingsPerSecond",
    ]
    private static let verdictKeys = ["countDigit", "saved", "recordsPerRequest"]

    /// Appends the heading.
    package mutating func begin(_ connection: Vehicle, to output: inout [UInt8]) {
        guard format == .text else { return rows.finish(&output) }
        let link = connection.scan.link
        var parts = [link?.identity.banner ?? "adapter", "at", connection.accessory]
        if let title = link?.capabilities.vehicleProtocol?.title {
            parts.append("(\(title))")
        }
        let title = palette.shown(printable(parts.joined(separator: " ")))
        output.append(contentsOf: (title + "\n\n").utf8)
        line("ROUND TRIP", "P50", "P95", "READINGS/S", &output)
    }

    /// Appends the measurements of one kind of request.
    package mutating func append(_ figures: BenchFigures, to output: inout [UInt8]) {
        guard format == .text else {
            let row = Row(
                "bench",
                [
                    "what": .text(Self.word(figures.kind)),
                    "records": .integer(Self.records(figures.kind)),
                    "countDigit": .flag(Self.countDigit(figures.kind)),
                    "requests": .integer(figures.requests), "failed": .integer(figures.failed),
                    "p50": .number(figures.roundTrip(0.5), places: Self.microseconds),
                    "p95": .number(figures.roundTrip(0.95), places: Self.microseconds),
                    "readingsPerSecond": .number(figures.readingsPerSecond, places: 1),
                ])
            return rows.append(row, to: &output)
        }
        let time = { (share: Double) in
            figures.roundTrip(share).map { fixed($0 * 1000, 1) + " ms" } ?? "—"
        }
        line(
            Self.name(figures), time(0.5), time(0.95),
            figures.readingsPerSecond.map { fixed($0, 1) } ?? "—", &output)
    }

    /// Appends the conclusions.
    package mutating func end(_ verdict: BenchVerdict, to output: inout [UInt8]) {
        guard format == .text else {
            let row = Row(
                "benchVerdict",
                [
                    "countDigit": .flag(verdict.countDigit),
                    "saved": .number(verdict.saved, places: Self.microseconds),
                    "recordsPerRequest": .integer(verdict.batch),
                    "readingsPerSecond": .number(verdict.readingsPerSecond, places: 1),
                ])
            return rows.append(row, to: &output)
        }
        let text = palette.shown(Self.sentences(verdict))
        output.append(contentsOf: ("\n" + text).utf8)
    }

    /// The conclusions in words.
    package static func sentences(_ verdict: BenchVerdict) -> String {
        var lines: [String] = []
        switch verdict.countDigit {
        case true?:
            let saved = verdict.saved.map { max(0, $0) * 1000 } ?? 0
            lines.append("Count digit: yes, it saves \(fixed(saved, 1)) ms per request.")
        case false?: lines.append("Count digit: this adapter does not support it.")
        case nil: lines.append("Count digit: not tried, because it would not help here.")
        }
        switch verdict.batch {
        case let count? where count > 1:
            lines.append("Batches: \(count) records per request are answered.")
        case _?: lines.append("Batches: not answered; one record per request.")
        case nil: lines.append("Batches: not tried; this link takes one record per request.")
        }
        if let rate = verdict.readingsPerSecond {
            lines.append("Reached by polling: \(fixed(rate, 1)) readings per second.")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func name(_ figures: BenchFigures) -> String {
        let text: String
        switch figures.kind {
        case .adapter: text = "the adapter alone"
        case .records(let count, let countDigit):
            text =
                (count == 1 ? "one record per request" : "\(count) records per request")
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

    /// Decimals of a time in seconds; further digits are noise.
    private static let microseconds = 6

    private func line(
        _ name: String, _ p50: String, _ p95: String, _ rate: String, _ output: inout [UInt8]
    ) {
        let right = { (text: String, width: Int) in
            String(repeating: " ", count: max(1, width - displayWidth(text))) + text
        }
        let filled = name + String(repeating: " ", count: max(0, Self.width - displayWidth(name)))
        let line = filled + right(p50, 11) + right(p95, 11) + right(rate, 12) + "\n"
        output.append(contentsOf: palette.shown(line).utf8)
    }
}
