import Accessory
import Adapters
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import ScanSession
import TripReports
import VehicleReports
import VehicleScan

/// Checks from the cable to the engine and stops at the first fault.
struct DoctorRun {
    private let options: VehicleOptions
    private let output: OutputOptions
    private let grades: Bool
    /// Called with each finished step.
    private let tell: (Check) throws -> Void
    /// Called with the adapter's grade.
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
                Failure(fault.error, accessory: fault.accessory))
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
        case .initialisation, .adapterSilent, .requestFailed, .refused: .adapter
        case .interrupted, .stopped, .system: .link
        }
    }

    // MARK: From the adapter on

    private func examine(
        _ connection: Vehicle, _ address: AccessoryAddress
    ) throws -> Failure? {
        let link = connection.scan.link
        for finding in address.transport.findings(lineRate: link?.lineRate) {
            try tell(Check(finding))
        }
        let identity = link?.identity
        let unknown = identity?.unsupportedCommands ?? []
        try tell(
            Check(
                .adapter, link?.title ?? "answers",
                advice: unknown.isEmpty
                    ? nil : "it does without " + unknown.joined(separator: ", ")))
        try tellVoltage(connection)
        let services: VehicleServices
        do {
            services = try connection.services()
        } catch {
            guard let failure = error.told(of: connection.accessory) as? Failure else {
                throw error
            }
            if grades { try tellGrade(AdapterGrade.measure(connection, map: nil)) }
            return try fault(.vehicle, failure)
        }
        guard services.isAnswered else {
            if grades { try tellGrade(AdapterGrade.measure(connection, map: nil)) }
            let failure =
                connection.failure(of: [services.first])
                ?? Failure(
                    "no ECU answers", hint: "switch the ignition on, then try again",
                    status: .timedOut)
            return try fault(.vehicle, failure)
        }
        let bus = connection.scan.link?.capabilities.vehicleProtocol
        try tell(Check(.vehicle, bus?.title ?? "answers"))
        let maps = try connection.ask(.supportedPIDs(0), in: services)
        let ecus = Set(maps.flatMap(\.answer.reply.messages).map(\.ecu))
        let names = ecus.compactMap(\.self).sorted().map(\.description)
        try tell(
            Check(
                .ecus,
                names.isEmpty
                    ? "\(ecus.count) without address" : names.joined(separator: ", ")))
        try tellEngine(connection, services)
        try further(connection, services)
        if grades {
            let map = services.profiles.first?.request(for: .supportedPIDs(0))
            try tellGrade(AdapterGrade.measure(connection, map: map))
        }
        return nil
    }

    private func tellVoltage(_ connection: Vehicle) throws {
        guard let voltage = try connection.ask(.readVoltage).answer.reply.voltage else { return }
        let text = "\(fixed(voltage, 1)) V"
        switch voltage {
        // No vehicle runs at this voltage; some adapters cannot measure it.
        case ..<6: try tell(Check(.voltage, "\(text): this adapter does not measure it"))
        case ..<11.8:
            try tell(
                Check(
                    .voltage, "\(text): the battery is low",
                    advice: "charge it; below 11 V ECUs and adapters restart"))
        case ..<13.0: try tell(Check(.voltage, "\(text), the battery alone"))
        default: try tell(Check(.voltage, "\(text), charging"))
        }
    }

    private func tellEngine(_ connection: Vehicle, _ services: VehicleServices) throws {
        for asked in try connection.ask(.currentData([0x0C]), in: services) {
            for case .reading(let reading) in asked.answer.items {
                guard case .number(let speed) = reading.value else { continue }
                let text = "\(fixed(speed, 0)) rpm"
                try tell(Check(.engine, speed > 0 ? "runs, \(text)" : "stands still, ignition on"))
                return
            }
        }
    }
}
