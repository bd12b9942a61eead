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
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent)) { connection in
            var writer = TextOutput.standard
            let printer = CodePrinter(output, table: table, texts: PIDTables.codeTexts())
            let services = try connection.services()
            let before = try CodeScan(connection, in: services)
            if let failure = connection.failure(of: before.asked) { throw failure }
            try printer.print(
                before, of: connection.accessory, at: connection.utc(before.time), to: &writer)
            try writer.flush()
            let frozen = try connection.ask(.freezeFrameCode(frame: 0), in: services)
            showLoss(before, frozen, table)
            try permission.checkThatVehicleStandsStill(connection)
            try permission.confirm(
                "Clear all codes of every ECU that answers?", word: "clear", connection)
            let snapshot = try CodeSnapshot(vehicle.database, connection)
            try snapshot.keep(before.asked + frozen)
            // Once: the state of the vehicle after a lost answer is not known.
            let cleared: [Asked]
            do {
                cleared = try connection.ask(.clearCodes, in: services)
            } catch {
                try snapshot.finish([])
                throw error
            }
            try snapshot.finish(cleared)
            let after = try connection.ask(.readiness, in: services)
            try report(cleared, after, connection, &writer)
        }
    }

    private func showLoss(_ before: CodeScan, _ frozen: [Asked], _ table: PIDTable) {
        let readiness = Readiness(
            before.status.flatMap(\.answer.items), table: table)
        let complete = readiness.supported.count - readiness.incomplete.count
        var losses = ["\(before.codes.filter { $0.kind != .permanent }.count) codes"]
        if complete > 0 { losses.append("\(complete) completed monitors") }
        let hasFrame = frozen.flatMap(\.answer.items).contains { item in
            if case .reading(let reading) = item, case .text = reading.value { true } else { false }
        }
        if hasFrame { losses.append("the freeze frame") }
        output.note("Lost will be: \(losses.joined(separator: ", ")), and all test results.")
    }

    private func report(
        _ cleared: [Asked], _ after: [Asked], _ connection: Connection,
        _ writer: inout TextOutput
    ) throws {
        if output.format == .json {
            var printer = AnswerPrinter(output, table: connection.table)
            for asked in cleared + after {
                let time = connection.utc(asked.answer.answered)
                for item in asked.answer.items {
                    try printer.print(item, at: time, to: &writer)
                }
                try printer.printRest(of: asked, at: time, to: &writer)
            }
        }
        try writer.flush()
        let messages = cleared.flatMap(\.answer.reply.messages)
        var refusal: Failure?
        for message in messages {
            let name = message.ecu?.description ?? connection.accessory
            if message.confirmsClearing {
                output.note("\(name): cleared")
            } else if message.payload.count == 3, message.payload.first == 0x7F {
                let nrc = NRC(message.payload[2])
                let failure = Failure(
                    "\(name) refused to clear: \(nrc.name)",
                    hint: nrc == .conditionsNotCorrect
                        ? "ignition on, engine off, then once more" : nil,
                    status: .timedOut)
                writeToStandardError(failure.text)
                refusal = failure
            }
        }
        let items = after.flatMap(\.answer.items)
        if let lampIsOn = Readiness(items, table: connection.table).lampIsOn {
            output.note(lampIsOn ? "The check engine lamp is still on." : "The lamp is off.")
        }
        if let refusal { throw Failure.silent(refusal.status) }
        if !messages.contains(where: \.confirmsClearing) {
            throw cleared.compactMap(\.problem).first
                ?? Failure(
                    "\(connection.accessory): no ECU confirmed; the request is not repeated",
                    hint: "obdscan dtc shows whether the codes are gone", status: .timedOut)
        }
    }
}

extension ECUMessage {
    /// Whether it is the answer to a request to clear codes: 44, or 54 of UDS.
    var confirmsClearing: Bool {
        payload.first == Service.clearCodes.positiveResponse
            || payload.first == Service.clearDiagnosticInformation.positiveResponse
    }
}
