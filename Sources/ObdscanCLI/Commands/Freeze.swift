import ArgumentParser
import Diagnostics
import OBDCore
import ScanSession

/// `obdscan freeze`: freeze frames.
struct FreezeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "freeze",
        abstract: "Freeze frames: what was measured when a code was stored.",
        discussion: """
            Asks each ECU which code froze its frame, then for every value that the frame holds.

            EXAMPLES
              obdscan freeze
              obdscan freeze --frame 1 --format json
            """)

    @Option(help: ArgumentHelp("Frame number; the mandatory one is 0.", valueName: "number"))
    var frame: UInt8 = 0

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent)) { connection in
            var writer = TextOutput.standard
            var printer = AnswerPrinter(output, table: table)
            let services = try connection.services()
            let causes = try connection.ask(.freezeFrameCode(frame: frame), in: services)
            let codes = frozenCodes(causes.flatMap(\.answer.items))
            for cause in causes { try print(cause, codes, connection, &printer, &writer) }
            if codes.isEmpty {
                try printer.finish(&writer)
                if let failure = connection.failure(of: causes) { throw failure }
                output.note("No freeze frame is stored.")
                return
            }
            // The map of a frame is asked for like any value of it.
            let supported = try connection.supportedIDs(in: services) {
                .freezeFrame(pid: $0, frame: frame)
            }
            for id in supported.all where id != 0x02 {
                for asked in try connection.ask(.freezeFrame(pid: id, frame: frame), in: services) {
                    try print(asked, codes, connection, &printer, &writer)
                }
            }
            try printer.finish(&writer)
        }
    }

    /// Which code froze the frame of which ECU.
    private func frozenCodes(_ items: [DiagnosticItem]) -> [(ecu: ECUAddress?, code: DTC)] {
        items.compactMap { item in
            guard case .reading(let reading) = item, case .text(let text) = reading.value,
                let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
    }

    private func print(
        _ asked: Asked, _ codes: [(ecu: ECUAddress?, code: DTC)], _ connection: Connection,
        _ printer: inout AnswerPrinter, _ writer: inout TextOutput
    ) throws {
        let time = connection.utc(asked.answer.answered)
        for item in asked.answer.items {
            if case .reading(var reading) = item {
                if reading.dtc == nil, reading.dataID?.id != 0x02 {
                    reading.dtc = codes.first { $0.ecu == reading.ecu }?.code
                }
                // A frame that no code froze holds nothing.
                if reading.dtc == nil && reading.dataID?.id != 0x02 { continue }
                try printer.print(.reading(reading), at: time, to: &writer)
            } else {
                try printer.print(item, at: time, to: &writer)
            }
        }
        try printer.printRest(of: asked, at: time, to: &writer)
    }
}
