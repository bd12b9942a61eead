import Accessory
import Adapters
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import VehicleScan

/// Checks from the cable to the engine and stops at the first fault.
struct DoctorRun {
    private let options: VehicleOptions
    private let output: OutputOptions
    private let grades: Bool
    /// Called with each finished step.
    private let tell: (Check) throws -> Void
    private let tellGrade: (AdapterGrade) throws -> Void
    /// Further requests to a vehicle that answers.
    var further: (Vehicle, VehicleServices) throws -> Void = { _, _ in }

    init(
        _ options: VehicleOptions, _ output: OutputOptions, grades: Bool,
        tell: @escaping (Check) throws -> Void,
        tellGrade: @escaping (AdapterGrade) throws -> Void
    ) {
        self.options = options
        self.output = output
        self.grades = grades
        self.tell = tell
        self.tellGrade = tellGrade
    }

    /// The failure to end the command with; nil if everything works.
    func run(_ table: PIDTable) throws -> Failure? {
        let address: AccessoryAddress
        do {
            address = try options.address()
        } catch {
            return try fault(.accessory, error)
        }
        try tell(Check(.accessory, "\(address)"))
        for finding in address.transport.findings() { try tell(Check(finding)) }
        var problem: Failure?
        do {
            try withSession(options, output, table, SessionNeeds(vehicle: .optional)) {
                problem = try examine($0, address)
            }
        } catch let fault as SessionFault {
            return try self.fault(
                Self.step(of: fault.error),
                Failure(fault.error, at: fault.accessory))
        } catch {
            guard let failure = Failure(known: error), !failure.message.isEmpty else { throw error }
            return try fault(.link, failure)
        }
        return problem
    }

    private func fault(_ step: Check.Step, _ failure: Failure) throws -> Failure {
        try tell(Check(step, fault: failure.message, fix: failure.hint))
        return failure
    }

    /// The step in which `error` happened.
    private static func step(of error: ScanError) -> Check.Step {
        switch error {
        case .accessory(let error), .linkLost(let error): Check.Step(error.words.step)
        case .initialisation(.noVehicle): .vehicle
        case .initialisation, .adapterSilent, .adapterRestarted, .requestFailed, .refused: .adapter
        case .interrupted, .stopped, .system: .link
        }
    }

    private func examine(
        _ connection: Vehicle, _ address: AccessoryAddress
    ) throws -> Failure? {
        let checkup = VehicleCheckup(
            grades: grades, tell: tell, tellGrade: tellGrade, further: further)
        switch try checkup.examine(connection, address) {
        case nil: return nil
        case .services(let error):
            return try fault(.vehicle, Failure(error, at: connection.accessory))
        case .noAnswer(let asked):
            return try fault(
                .vehicle,
                connection.failure(of: [asked])
                    ?? Failure(
                        "no ECU answers", hint: "turn the ignition on, then try again",
                        status: .timedOut))
        }
    }
}
