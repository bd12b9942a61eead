import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import VehicleScan

/// `obdscan dtc clear`.
struct DTCClearCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Clear codes, after showing and storing what this erases.",
        discussion: """
            Clearing also erases freeze frames, test results and readiness, and a vehicle needs \
            days of driving before it is ready for an inspection again. Permanent codes stay until \
            the ECU has checked the repair itself. First, what is lost (codes, freeze frames, \
            readiness) is counted, and stored whole in the database. obdscan refuses to clear while \
            the engine runs or the vehicle moves. It also refuses if the vehicle does not answer \
            clearly; --force clears anyway. The request is sent once and never repeated. If no ECU \
            confirms it, the codes are read again for up to five seconds to see whether they are \
            gone. A SAE J1939 vehicle gets DM11, sent to each ECU's own address. obdscan asks you \
            to type a word. Any other answer changes nothing; the exit code is then 1.

            EXAMPLES
              obdscan dtc clear
              obdscan dtc clear --yes -d /dev/ttyUSB0
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Clear without proof that the vehicle stands still.")
    var force = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let permission = WritePermission(yes: yes, force: force)
        try permission.checkThatSomebodyCanAnswer(for: "clearing codes")
        let table = try loadTable(tables)
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
            connection in
            var writer = TextOutput.standard
            let printer = CodePrinter(
                output, table: table, knowledge: CodeKnowledge(texts: try loadCodeTexts()),
                accessory: connection.accessory)
            let services = try connection.services()
            if let ecu = connection.ecu, !connection.hasPhysicalRequests {
                let spoken = connection.scan.link?.capabilities.vehicleProtocol?.title
                let who = connection.asksSingleECUs ? spoken ?? "this vehicle" : "this adapter"
                throw Failure(
                    "\(who) can only clear all ECUs at once, not \(ecu) alone",
                    hint: "leave --ecu out to clear them all", status: .usage)
            }
            let before = try CodeScan(connection, in: services)
            if let failure = connection.failure(of: before.asked) { throw failure }
            try printer.print(
                before, of: CodeBatch.Car(device: connection.accessory),
                at: connection.utc(before.time), to: &writer)
            try writer.flush()
            // An adapter that is out of step may answer the request to clear with something else,
            // too.
            if before.asked.contains(where: \.isOutOfStep),
                let failure = before.failure(connection)
            {
                throw failure
            }
            let frozen = try frames(before, connection, services)
            let vin = try connection.vin(by: services.profiles)
            showLoss(before, frozen, table, hasTests: services.profiles != [.j1939])
            let whose = connection.ecu.map { "\($0)" } ?? "every ECU that answers"
            let consent = try permission.consent(
                to: "Clear all codes of \(whose)?", word: "clear", connection)
            let snapshot = try CodeSnapshot(vehicle.database, connection, vin)
            try snapshot.keep(before, frozen)
            // Do not repeat the request: after a lost answer, the state of the vehicle is unknown.
            let clearing: CodeClearing
            do {
                clearing = try CodeClearing(before, connection, in: services, consent)
            } catch {
                output.note(
                    "The request to clear may have reached the vehicle, and it is not repeated. "
                        + "\"obdscan dtc\" shows which codes are left.")
                try snapshot.finish(nil)
                throw error
            }
            try snapshot.finish(clearing)
            try report(clearing, before, connection, &writer)
        }
    }

    /// The freeze frames of the codes, from every service in which the ECUs keep them.
    private func frames(
        _ before: CodeScan, _ connection: Vehicle, _ services: VehicleServices
    ) throws(VehicleError) -> [QueryResult] {
        // SAE J1939 has all frames in one message.
        var frozen = try connection.ask(.freezeFrames, in: services)
        if !frozen.isEmpty { return frozen }
        frozen = try FrameScan(0, connection, in: services).asked
        if services.profiles.contains(.onUDS) {
            frozen += try SnapshotScan(before.codes, connection, record: nil).asked
        }
        return frozen
    }

    private func showLoss(
        _ before: CodeScan, _ frozen: [QueryResult], _ table: PIDTable, hasTests: Bool
    ) {
        let readiness = Readiness(
            before.status.flatMap(\.answer.items), table: table)
        let complete = readiness.supported.count - readiness.incomplete.count
        let codes = before.clearable.count
        var losses = [counted(codes, "code")]
        let inactive = before.codes.count { $0.kind != .permanent && $0.isActive == false }
        if inactive > 0 { losses.append("perhaps \(inactive) that are not active") }
        if complete > 0 {
            losses.append(counted(complete, "completed monitor"))
        }
        let frames = Set(
            frozen.flatMap(\.answer.items).compactMap { item -> String? in
                guard case .reading(let reading) = item,
                    reading.dtc != nil || reading.parameterCode != nil
                        || reading.frame != nil && reading.value.isText
                else { return nil }
                let ecu = reading.ecu?.description ?? ""
                return "\(ecu) \(reading.frame ?? 0) \(reading.parameterCode?.text ?? "")"
            })
        if !frames.isEmpty {
            losses.append(frames.count == 1 ? "the freeze frame" : "the freeze frames")
        }
        let permanent = Set(before.codes.filter { $0.kind == .permanent }.map(\.fullText)).count
        let text =
            "This erases: \(losses.joined(separator: ", "))"
            + (hasTests ? ", and any test results" : "")
            + (permanent == 0
                ? "." : "; \(counted(permanent, "permanent code stays", "permanent codes stay")).")
        // The user needs this to answer the question, even with -q.
        if yes { output.note(text) } else { tellOnStandardError(text + "\n") }
    }

    private func report(
        _ clearing: CodeClearing, _ before: CodeScan, _ connection: Vehicle,
        _ writer: inout TextOutput
    ) throws {
        try tellAnswers(clearing, connection, &writer)
        // Throw before reporting the result.
        if !clearing.wasSent, let problem = clearing.sent.compactMap(connection.failure).first {
            throw problem
        }
        tellWhatIsLeft(clearing, connection)
        if !clearing.refusals.isEmpty { throw Failure.silent(.timedOut) }
        if clearing.isConfirmed { return }
        try explainSilence(clearing, before, connection)
    }

    /// Reports which ECUs confirmed, and which refused and why.
    private func tellAnswers(
        _ clearing: CodeClearing, _ connection: Vehicle, _ writer: inout TextOutput
    ) throws {
        if output.format == .json {
            var printer = try AnswerPrinter(
                output, table: connection.table, kinds: ItemRows.Keys.all)
            for asked in clearing.sent + clearing.after.status {
                let time = connection.utc(asked.answer.answered)
                for item in asked.answer.items {
                    try printer.print(item, at: time, to: &writer)
                }
                try printer.printRest(of: asked, at: time, to: &writer)
            }
        }
        try writer.flush()
        for message in clearing.sent.flatMap(\.answer.reply.messages)
        where message.confirmsClearing {
            output.note("\(message.ecu?.description ?? connection.accessory): cleared")
        }
        for refusal in clearing.refusals {
            let failure = Failure(
                "\(refusal.ecu?.description ?? connection.accessory) refused to clear: "
                    + refusal.reason,
                hint: refusal.isConditions
                    ? "turn the ignition on with the engine off, then try again" : nil,
                status: .timedOut)
            tellOnStandardError(failure.text)
        }
    }

    /// Reports codes and lights after clearing.
    private func tellWhatIsLeft(_ clearing: CodeClearing, _ connection: Vehicle) {
        let left = clearing.after.clearable.count
        if left > 0 {
            output.note(
                left == 1
                    ? "1 code is still present, or came back."
                    : "\(counted(left, "code is", "codes are")) still present, or came back.")
        }
        let permanent = clearing.after.codes.filter { $0.kind == .permanent }.map(\.fullText)
        if !permanent.isEmpty {
            output.note(
                "Permanent codes stay until the vehicle has tested the repair itself: "
                    + permanent.joined(separator: " "))
        }
        let ecus = clearing.after.ecus
        let lamps = ecus.compactMap { clearing.after.lampIsOn($0, connection.table) }
        if !lamps.isEmpty {
            output.note(
                lamps.contains(true)
                    ? "The check engine light is still on." : "The check engine light is off.")
        }
    }

    /// Reads the codes again if no ECU confirmed; throws if they are still present.
    private func explainSilence(
        _ clearing: CodeClearing, _ before: CodeScan, _ connection: Vehicle
    ) throws {
        let change = clearing.change(since: before)
        if change == .gone {
            output.note("No ECU confirmed, but reading again shows that the codes are gone.")
            return
        }
        let found =
            switch change {
            case .none: "reading them again shows no change"
            case .some, .gone: "reading them again shows that some are gone"
            case .unknown: "reading them again does not show whether they are cleared"
            }
        let failure = Failure(
            "\(connection.accessory): no ECU confirmed, and \(found); the request is not repeated",
            hint: "turn the ignition on with the engine off; \"obdscan dtc\" shows the codes",
            status: .timedOut)
        guard let problem = clearing.sent.compactMap(connection.failure).first else {
            throw failure
        }
        output.note("No ECU confirmed, and \(found); the request is not repeated.")
        throw problem
    }
}

extension Reading.Value {
    /// Whether the value is text, such as the code of a freeze frame.
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
