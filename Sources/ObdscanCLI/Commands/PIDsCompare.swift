import ArgumentParser
import Diagnostics
import Formats
import PIDTables
import Reports
import SystemIO

/// `obdscan pids compare`.
struct PIDsCompareCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare how two PID tables decode the same answers.",
        discussion: """
            Signals that read the same bits of the same record are compared on the answers that \
            either table holds as examples. Where no answer is recorded, made-up data is used, and \
            the result says so. A table may be one of another program that pids import reads.

            EXAMPLES
              obdscan pids compare mine.pids default.json
              obdscan pids compare a.pids b.pids --format json
            """)

    @Argument(help: ArgumentHelp("The first table.", valueName: "file"), completion: .file())
    var first: String

    @Argument(help: ArgumentHelp("The second table.", valueName: "file"), completion: .file())
    var second: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let compared = PIDTables.compare(try records(first), with: try records(second))
        var writer = TextOutput.standard
        var rows = RowPrinter(ComparedSignal.shape, output.form)
        for signal in compared { try writer.print(signal, &rows) }
        try writer.finish(&rows)
        try writer.flush()
        let agree = compared.count { $0.verdict == .agree }
        let madeUp = compared.count { $0.verdict == .agreeOnMadeUpData }
        let differ = compared.count { $0.verdict == .differ }
        output.note(
            "\(agree) agree on recorded answers, \(madeUp) on made-up data, \(differ) differ")
    }

    private func records(_ path: String) throws -> [TableRecord] {
        try PIDTables.records(in: try TableFile.all(at: path))
    }
}
