import ArgumentParser
import Diagnostics
import Formats
import SystemIO
import TripReports
import VehicleReports
import VehicleScan

/// `obdscan info`: shows the adapter and the vehicle.
struct InfoCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show adapter, protocol, ECUs, VIN and supported PIDs.",
        discussion: """
            EXAMPLES
              obdscan info -d /dev/ttyUSB0
              obdscan info --format json -d sim:
            """)

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .optional)) { connection in
            let voltage = try connection.ask(.readVoltage)
            let services: VehicleServices
            do {
                services = try connection.services()
            } catch {
                guard case VehicleError.adapterSaid = error else { throw error }
                // Facts about the adapter are useful even without a vehicle.
                try print(connection, VehicleAnswers(), [voltage])
                throw error
            }
            let answers = try VehicleAnswers(connection, services)
            try print(connection, answers, [voltage])
            if let failure = connection.failure(of: [services.first] + answers.information) {
                throw failure
            }
        }
    }

    private func print(
        _ connection: Vehicle, _ answers: VehicleAnswers, _ adapter: [QueryResult]
    ) throws {
        var writer = TextOutput.standard
        if output.format == .text {
            let voltage = adapter.compactMap(\.answer.reply.voltage).first
            try writer.write(
                VehicleSheet(output.form, isVerbose: output.verbose)
                    .text(connection, answers, voltage))
            try writer.flush()
        } else {
            try printObjects(
                connection, adapter + answers.current.asked + answers.information, &writer)
        }
    }

    private func printObjects(
        _ connection: Vehicle, _ answers: [QueryResult], _ writer: inout TextOutput
    ) throws {
        let adapter = VehicleSheet.adapter(connection)
        var printer = try AnswerPrinter(
            output, table: connection.table,
            kinds: [adapter.keys, ItemRows.Keys.reading] + ItemRows.Keys.rest)
        if connection.scan.link != nil { try printer.print(adapter, to: &writer) }
        for asked in answers {
            let time = connection.utc(asked.answer.answered)
            if let voltage = asked.answer.reply.voltage {
                try printer.print(voltage: voltage, at: time, to: &writer)
            }
            for item in asked.answer.items {
                // Codes that happen to arrive here are incomplete; `dtc` reads all of them.
                if case .code = item { continue }
                try printer.print(item, at: time, to: &writer)
            }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
        try printer.finish(&writer)
    }
}
