import Foundation
import Testing

/// Each way in which a raw CAN link fails has its sentence, its exit code and a hint.
@Suite(.ownThreads) struct `Failures of links without an ELM327` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    struct Row: Sendable, CustomTestStringConvertible {
        /// The adapter's answer to a set-up command, and to a frame.
        var command: ScriptedAdapter.Action
        var frame: ScriptedAdapter.Action
        var status: Int32
        var sentence: String
        var hint: String

        var testDescription: String { sentence }
    }

    static let rows = [
        Row(
            command: .nothing, frame: .nothing, status: 69, sentence: "nothing answers",
            hint: "is the adapter plugged into the car"),
        Row(
            command: .say("\u{7}"), frame: .say("\u{7}"), status: 69,
            sentence: "the adapter refuses to open the CAN bus", hint: "end other programs"),
        // A frame that stays in the adapter's queue.
        Row(
            command: .say("\r"), frame: .say("\u{7}"), status: 69,
            sentence: "no ECU on the CAN bus acknowledges any frame",
            hint: "turn the ignition on; check the bus's bit rate"),
        // The lines of the kernel's driver.
        Row(
            command: .say("\r"), frame: .say("e1a\r"), status: 69,
            sentence: "no ECU on the CAN bus acknowledges any frame",
            hint: "turn the ignition on"),
        Row(
            command: .say("\r"), frame: .say("sb256000\r"), status: 69,
            sentence: "the CAN controller left the bus after too many errors (bus-off)",
            hint: "check the bit rate, CAN-H and CAN-L"),
        Row(
            command: .say("\r"), frame: .say("sp128000\r"), status: 69,
            sentence: "the CAN controller counts many errors (error passive)",
            hint: "check the bit rate, CAN-H and CAN-L"),
        Row(
            command: .say("\r"), frame: .say("z\r"), status: 75, sentence: "no ECU answered",
            hint: "the vehicle may not support it, or the ignition is off"),
        Row(
            command: .say("\r"), frame: .dropConnection, status: 74,
            sentence: "closed the connection", hint: "most Wi-Fi adapters serve one program"),
    ]

    @Test(arguments: rows) func `an error shows the cause of an slcan adapter's failure`(row: Row)
        async throws
    {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text.hasPrefix("t") || line.text.hasPrefix("T") ? row.frame : row.command
        }
        let outcome = try await workplace.run(
            ["info", "-d", "slcan:" + adapter.address.dropFirst("tcp:".count)])
        #expect(outcome.status == row.status, "\(outcome)")
        #expect(outcome.errors.contains(row.sentence), "\(outcome)")
        #expect(outcome.errors.contains("hint: " + row.hint), "\(outcome)")
    }

    @Test(arguments: ["can:can77", "slcan:/dev/ttyACM77"])
    func `a device that does not exist is unavailable`(device: String) async throws {
        let outcome = try await workplace.run(["info", "-d", device])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("hint: "), "\(outcome)")
    }
}
