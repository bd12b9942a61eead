import Diagnostics
import Formats
import FuelFigures
import PIDTables
import SystemIO
import TripStore
import VehicleScan

/// What the web needs of the program around it: where things are kept, and the words for faults.
package struct WebSources: Sendable {
    /// The units in which values are shown where an address names none.
    package var units: UnitSystem
    /// Opens the database to read.
    package var database: @Sendable () throws -> TripStore
    /// The number of the trip that a text names; a ``WebProblem`` where it names none.
    package var trip: @Sendable (String, TripStore) throws -> Int64
    /// What is known of the engine of a trip's vehicle.
    package var fuelProfile: @Sendable (TripSummary) -> FuelProfile
    /// The texts of codes.
    package var codeKnowledge: @Sendable () throws -> CodeKnowledge
    /// Answers what is asked about codes besides the codes themselves; throws a ``WebProblem``, or what the
    /// vehicle throws.
    package var codeAnswer:
        @Sendable (VehicleQuestions.Question, Vehicle, VehicleServices, inout TextOutput) throws ->
            Void
    /// Prints what is attached and what is known, as JSON Lines.
    package var accessories: @Sendable (inout TextOutput) throws -> Void
    /// What a browser is told of an error; nil where nobody waits for an answer any more.
    package var problem: @Sendable (any Error) -> WebProblem?
    /// What a browser is told of a vehicle, behind the accessory of that name, that did not answer.
    package var vehicleProblem: @Sendable (VehicleError, String) -> WebProblem

    package init(
        units: UnitSystem, database: @escaping @Sendable () throws -> TripStore,
        trip: @escaping @Sendable (String, TripStore) throws -> Int64,
        fuelProfile: @escaping @Sendable (TripSummary) -> FuelProfile,
        codeKnowledge: @escaping @Sendable () throws -> CodeKnowledge,
        codeAnswer:
            @escaping @Sendable (
                VehicleQuestions.Question, Vehicle, VehicleServices, inout TextOutput
            ) throws -> Void,
        accessories: @escaping @Sendable (inout TextOutput) throws -> Void,
        problem: @escaping @Sendable (any Error) -> WebProblem?,
        vehicleProblem: @escaping @Sendable (VehicleError, String) -> WebProblem
    ) {
        self.units = units
        self.database = database
        self.trip = trip
        self.fuelProfile = fuelProfile
        self.codeKnowledge = codeKnowledge
        self.codeAnswer = codeAnswer
        self.accessories = accessories
        self.problem = problem
        self.vehicleProblem = vehicleProblem
    }
}
