import Adapters
import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import VehicleScan

/// `obdscan read`: requests signals once.
struct ReadCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Ask for signals once.",
        discussion: """
            Signals are given by their SAE short name (RPM VSS ECT), by an alias (rpm speed \
            coolant-temp) or by service and PID (01:0C). Every ECU that answers is shown. 'obdscan \
            pids list' shows all names. A name is read by the service that the vehicle speaks: SAE \
            J1979, SAE J1979-2 (OBDonUDS, 22 F40C instead of 01 0C) or SAE J1939 (where engine \
            speed is SPN190). A number is used as it is. A refusal is an answer, too: it is \
            printed, and the exit code is 0.

            EXAMPLES
              obdscan read rpm speed coolant-temp
              obdscan read 01:0C 09:02 --format json
              obdscan read vin -d sim:
              obdscan read ev-soc
              obdscan read leaf-soc --pack nissan-leaf
            """)

    @Argument(help: ArgumentHelp("Signals to read.", valueName: "signal"))
    var signals: [String]

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let automatic = tables.automaticPacks
        let table = try loadTable(tables, automatic: automatic)
        let names = SignalNames(table)
        let selected = try signals.map { try names.find($0) }
        let isForAdapter = selected.allSatisfy { $0.record == nil }
        let packs = PackChoice(tables, automatic, table)
        var needs = SessionNeeds(vehicle: isForAdapter ? .unused : .maybeSilent())
        needs.take(selected.compactMap(\.record))
        try withVehicle(vehicle, output, table, needs) { connection in
            let own = try packs.settle(selected, on: connection) { output.note($0) }.signals
            try connection.check(own.compactMap(\.record))
            let known = try names.resolve(own, in: connection.signalProfiles(for: own))
            let questions = SignalQuestion.all(known.signals)
            if questions.isEmpty, let first = known.unknown.first {
                throw VehicleError.unknownSignal(first)
            }
            for name in known.unknown { output.note(name.text) }
            var writer = TextOutput.standard
            var printer = try AnswerPrinter(
                output, table: table, kinds: ItemRows.Keys.data)
            printer.names = connection.ecuNames
            var isAnswered = false
            var lastFailure: Failure?
            var firstProblem: Failure?
            var missing: [String] = []
            for question in questions {
                let asked = try connection.ask(question)
                let time = connection.utc(asked.answer.answered)
                if let voltage = asked.answer.reply.voltage {
                    try printer.print(voltage: voltage, at: time, to: &writer)
                    isAnswered = true
                }
                for item in asked.answer.items where question.wants(item) {
                    try printer.print(item, at: time, to: &writer)
                    isAnswered = isAnswered || item.isAnswer
                }
                let lacks = try connection.unsupported(question, asked)
                if lacks == nil || printer.takesRows {
                    try printer.printRest(of: asked, at: time, to: &writer)
                }
                try writer.flush()
                if let lacks {
                    missing.append(lacks)
                    continue
                }
                let problem = connection.failure(of: asked)
                firstProblem = firstProblem ?? problem
                lastFailure =
                    problem
                    ?? asked.status.flatMap { _ in connection.failure(of: [asked]) }
                    ?? lastFailure
            }
            try printer.finish(&writer)
            if !missing.isEmpty {
                guard isAnswered || lastFailure != nil else {
                    throw Failure(
                        VehicleError.notReported(missing, by: connection.ecu),
                        at: connection.accessory)
                }
                output.note(VehicleError.text(notReported: missing, by: connection.ecu) + ".")
            }
            if !isAnswered {
                throw lastFailure
                    ?? Failure(
                        "\(connection.accessory): no answer could be read",
                        hint: "\"obdscan read -v SIGNAL\" shows the reply", status: .unavailable)
            }
            // The output is valid, but an exchange failed.
            if let firstProblem { throw firstProblem }
        }
    }
}
