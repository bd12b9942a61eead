import Formats
import SystemIO

extension TextOutput {
    /// Prints a result; text waits until ``finish(_:)``.
    public mutating func print<Result>(
        _ result: Result, _ printer: inout RowPrinter<Result>
    ) throws(OutputError) {
        try append { printer.append(result, to: &$0) }
    }

    /// Prints what a printer kept back.
    public mutating func finish<Result>(_ printer: inout RowPrinter<Result>) throws(OutputError) {
        try append { printer.finish(&$0) }
    }

    /// Prints a row.
    public mutating func print(_ row: Row, _ writer: inout RowWriter) throws(OutputError) {
        try append { writer.append(row, to: &$0) }
    }

    /// Prints a row that is a whole result: an object, or a table of one line; nothing in text.
    public mutating func print(_ row: Row, _ format: OutputFormat) throws(OutputError) {
        if format == .text { return }
        try append { row.append(format, to: &$0) }
    }
}
