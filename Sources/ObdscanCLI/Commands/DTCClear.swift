import ArgumentParser
import Diagnostics
import OBDCore
import PIDTables
import TripExport

/// `obdscan dtc clear`.
struct DTCClearCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Clear codes, after showing and keeping what is lost.",
        discussion: """
            Clearing also erases freeze frames, test results and readiness: a vehicle is not ready \
            for an inspection until it was driven for days. Permanent codes stay until the ECU \
            itself is content. What is lost is shown and kept in the database first. The request is \
            sent once and never repeated.

            EXAMPLES
              obdscan dtc clear
              obdscan dtc clear --yes -d /dev/ttyUSB0
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Also while the engine runs or the vehicle moves.")
    var force = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let permission = WritePermission(yes: yes, force: force)
        try permission.checkThatSomebodyCanAnswer(for: "clearing codes")
        let table = try loadTable(tables)
        try withVehicle(vehicle, output, table) { connection in
            var writer = TextOutput.standard
            let printer = CodePrinter(output, table: table, texts: PIDTables.codeTexts())
            let before = try CodeScan(connection)
            if let failure = before.failure(accessory: connection.accessory) { throw failure }
            try printer.print(
                before, of: connection.accessory,
                at: connection.utc(before.status.answer.answered), to: &writer)
            try writer.flush()
            let frozen = try connection.ask([0x02, 0x02, 0x00])
            showLoss(before, frozen, table)
            try permission.checkThatVehicleStandsStill(connection)
            try permission.confirm(
                "Clear all codes of every ECU that answers?", word: "clear", connection)
            let snapshot = try CodeSnapshot(vehicle.database, connection)
            try snapshot.keep([before.status, frozen] + before.lists.map(\.asked))
            // Once: the state of the vehicle after a lost answer is not known.
            let cleared = try connection.ask([Service.clearCodes.rawValue])
            try snapshot.finish(cleared)
            let after = try connection.ask([0x01, 0x01])
            try report(cleared, after, connection, &writer)
        }
    }

    private func showLoss(_ before: CodeScan, _ frozen: Asked, _ table: PIDTable) {
        let readiness = Readiness(before.status.answer.items, table: table)
        let complete = readiness.supported.count - readiness.incomplete.count
        var losses = ["\(before.codes.filter { $0.kind != .permanent }.count) codes"]
        if complete > 0 { losses.append("\(complete) completed monitors") }
        let hasFrame = frozen.answer.items.contains { item in
            if case .reading(let reading) = item, case .text = reading.value { true } else { false }
        }
        if hasFrame { losses.append("the freeze frame") }
        output.note("Lost will be: \(losses.joined(separator: ", ")), and all test results.")
    }

    private func report(
        _ cleared: Asked, _ after: Asked, _ connection: Connection, _ writer: inout TextOutput
    ) throws {
        let time = connection.utc(cleared.answer.answered)
        var refusal: Failure?
        if output.format == .json {
            var printer = AnswerPrinter(output, table: connection.table)
            for item in cleared.answer.items + after.answer.items {
                try printer.print(item, at: time, to: &writer)
            }
            try printer.printRest(of: cleared, at: time, to: &writer)
        }
        for message in cleared.answer.reply.messages {
            let name = message.ecu?.description ?? connection.accessory
            if message.payload.first == Service.clearCodes.positiveResponse {
                output.note("\(name): cleared")
            } else if message.payload.count == 3, message.payload.first == 0x7F {
                let nrc = NRC(message.payload[2])
                refusal = Failure(
                    "\(name) refused to clear: \(nrc.name)",
                    hint: nrc == .conditionsNotCorrect
                        ? "ignition on, engine off, then once more" : nil,
                    status: .timedOut)
                if let refusal { writeToStandardError(refusal.text) }
            }
        }
        try writer.flush()
        let lampIsOn = Readiness(after.answer.items, table: connection.table).lampIsOn
        if let lampIsOn {
            output.note(lampIsOn ? "The check engine lamp is still on." : "The lamp is off.")
        }
        if let refusal { throw Failure.silent(refusal.status) }
        if cleared.answer.reply.messages.isEmpty {
            throw cleared.problem
                ?? Failure(
                    "\(connection.accessory): no ECU confirmed; the request is not repeated",
                    hint: "obdscan dtc shows whether the codes are gone", status: .timedOut)
        }
    }
}
