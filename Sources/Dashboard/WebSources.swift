import Diagnostics
import Formats
import PIDTables
import Reports
import SystemIO
import TripStore
import VehicleScan

/// The functions that the program provides to the web server: data and messages.
package struct WebSources: Sendable {
    /// The units if a request names none.
    package var units: UnitSystem
    /// Opens the database for reading.
    package var database: @Sendable () throws -> TripStore
    /// Returns the number of the trip with the name in a text; throws a ``WebProblem`` for an unknown one.
    package var trip: @Sendable (String, TripStore) throws -> Int64
    /// Returns the data about the engine of a trip's vehicle.
    package var fuelProfile: @Sendable (TripSummary) -> FuelProfile
    /// The causes by which trips are judged.
    package var causes: @Sendable () throws -> CauseTable
    /// The known facts about the codes of a vehicle.
    package var codeWords: @Sendable (Vehicle) throws -> CodeWords
    /// Answers requests about codes besides the list itself.
    ///
    /// It throws a ``WebProblem`` or the vehicle's errors.
    package var codeAnswer:
        @Sendable (VehicleQuestions.Question, Vehicle, VehicleServices, inout TextOutput) throws ->
            Void
    /// Prints attached and known devices as JSON Lines.
    package var accessories: @Sendable (inout TextOutput) throws -> Void

    /// Prints reports; nil = no installed browser does.
    package var printer: WebPrinter?

    package init(
        units: UnitSystem, printer: WebPrinter?,
        database: @escaping @Sendable () throws -> TripStore,
        trip: @escaping @Sendable (String, TripStore) throws -> Int64,
        fuelProfile: @escaping @Sendable (TripSummary) -> FuelProfile,
        causes: @escaping @Sendable () throws -> CauseTable,
        codeWords: @escaping @Sendable (Vehicle) throws -> CodeWords,
        codeAnswer:
            @escaping @Sendable (
                VehicleQuestions.Question, Vehicle, VehicleServices, inout TextOutput
            ) throws -> Void,
        accessories: @escaping @Sendable (inout TextOutput) throws -> Void
    ) {
        self.units = units
        self.printer = printer
        self.database = database
        self.trip = trip
        self.fuelProfile = fuelProfile
        self.causes = causes
        self.codeWords = codeWords
        self.codeAnswer = codeAnswer
        self.accessories = accessories
    }
}
