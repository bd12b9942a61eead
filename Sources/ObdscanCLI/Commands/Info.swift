import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import SystemIO
import VehicleScan

/// `obdscan info`: shows the adapter and the vehicle.
struct InfoCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show adapter, protocol, ECUs, VIN and supported PIDs.",
        discussion: """
            With --all-modules it also asks every address at which a module may be for its part, \
            serial and software numbers (UDS, ISO 14229-1: F187 to F199). It only reads, and takes \
            up to some minutes. Identifiers that a module refuses are counted.

            \(Self.ruleText)

            EXAMPLES
              obdscan info -d /dev/ttyUSB0
              obdscan info --all-modules
              obdscan info --format json -d sim:
            """)

    @Flag(help: "Ask every module what it is.")
    var allModules = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--all-modules asks every ECU: leave --ecu out") {
            $0.allModules && $0.vehicle.ecu != nil
        }
    ]

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
            let modules = allModules ? try modules(connection, services) : []
            try print(connection, answers, [voltage], modules)
            if let failure = connection.failure(of: [services.first] + answers.information) {
                throw failure
            }
        }
    }

    private func modules(
        _ connection: Vehicle, _ services: VehicleServices
    ) throws -> [ModuleIdentities.Module] {
        let known =
            connection.scan.link?.capabilities.vehicleProtocol
            ?? services.first?.answer.exchange.vehicleProtocol
        guard let known else {
            output.note("The vehicle protocol is not known: set it with --protocol.")
            return []
        }
        let line = ModuleScanLine(output)
        defer { line.clear() }
        guard let found = try ModuleIdentities(connection, on: known, progress: line.show) else {
            output.note("\(known.title) has no addresses of modules to ask by UDS.")
            return []
        }
        if found.unasked > 0 {
            output.note(
                "Time ran out before \(counted(found.unasked, "address was", "addresses were")) asked."
            )
        }
        return found.modules
    }

    private func print(
        _ connection: Vehicle, _ answers: VehicleAnswers, _ adapter: [QueryResult],
        _ modules: [ModuleIdentities.Module] = []
    ) throws {
        var writer = TextOutput.standard
        if output.format == .text {
            let voltage = adapter.compactMap(\.answer.reply.voltage).first
            try writer.write(
                VehicleSheet(output.form, isVerbose: output.verbose)
                    .text(connection, answers, voltage))
            try writer.write(
                ModuleSheet(output.form, table: connection.table, names: connection.ecuNames)
                    .text(modules))
            try writer.flush()
        } else {
            try printObjects(
                connection, adapter + answers.current.asked + answers.information, modules,
                &writer)
        }
    }

    private func printObjects(
        _ connection: Vehicle, _ answers: [QueryResult], _ modules: [ModuleIdentities.Module],
        _ writer: inout TextOutput
    ) throws {
        let adapter = VehicleSheet.adapter(connection)
        var kinds = [adapter.keys, ItemRows.Keys.reading] + ItemRows.Keys.rest
        if allModules { kinds.append(ModuleSheet.keys) }
        var printer = try AnswerPrinter(output, table: connection.table, kinds: kinds)
        if connection.scan.link != nil { try printer.print(adapter, to: &writer) }
        try print(answers, connection, &printer, &writer)
        let sheet = ModuleSheet(
            output.form, table: connection.table, names: connection.ecuNames)
        for module in modules {
            let first = module.answers.first?.answer.answered
            let time = first.map(connection.utc) ?? connection.anchor.utc
            try printer.print(sheet.row(module, at: time), to: &writer)
            try print(module.answers, connection, &printer, &writer)
        }
        try printer.finish(&writer)
    }

    private func print(
        _ answers: [QueryResult], _ connection: Vehicle, _ printer: inout AnswerPrinter,
        _ writer: inout TextOutput
    ) throws {
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
    }
}
