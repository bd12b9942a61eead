import Formats
import SystemIO

extension TextOutput {
    /// Prints a result; text is kept until ``finish(_:)``.
    package mutating func print<Result>(
        _ result: Result, _ printer: inout RowPrinter<Result>
    ) throws(OutputError) {
        try append { printer.append(result, to: &$0) }
    }

    /// Prints the text that a printer has kept.
    package mutating func finish<Result>(_ printer: inout RowPrinter<Result>) throws(OutputError) {
        try append { printer.finish(&$0) }
    }

    package mutating func print(_ row: Row, _ writer: inout RowWriter) throws(OutputError) {
        try append { writer.append(row, to: &$0) }
    }

    /// Prints a row as a complete result: an object, or a table of one line; nothing for text.
    package mutating func print(_ row: Row, _ format: OutputFormat) throws(OutputError) {
        if format == .text { return }
        try append { row.append(format, to: &$0) }
    }
}
