import Dashboard
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import Settings
import VehicleScan

extension WebSources {
    /// The web's data from the database of the options, with the messages of this program.
    init(_ database: DatabaseOptions, units: UnitSystem, printer: WebPrinter? = nil) {
        self.init(
            units: units, printer: printer, database: { try database.open(.readOnly) },
            trip: { text, store in
                guard let reference = TripReference(argument: text) else {
                    throw WebProblem(.notFound, "a trip has a number or a name")
                }
                do throws(Failure) {
                    return try reference.number(in: store)
                } catch {
                    guard error.status == .usage else { throw error }
                    throw WebProblem(.notFound, error.message, hint: "/api/trips lists them")
                }
            },
            fuelProfile: { UserSettings.current.fuelProfile(of: $0.vin) },
            causes: { try loadCauses() },
            codeWords: { try CodeWords(database, $0, namesCommands: false) },
            codeAnswer: { question, vehicle, services, writer in
                let output = OutputOptions(format: .json, units: units, quiet: true)
                do throws(any Error) {
                    try CodeAnswers(
                        connection: vehicle, services: services, database: database,
                        output: output
                    )
                    .answer(question, to: &writer)
                } catch let failure as Failure {
                    throw WebProblem(failure.explanation)
                }
            },
            accessories: { writer in
                let output = OutputOptions(format: .json, units: units, quiet: true)
                _ = try DevicesListCommand.printAll(database, output, &writer)
            })
    }
}
