import Accessory
import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import VehicleScan

/// Walks from the adapter to the engine and stops at the first fault.
package struct VehicleCheckup {
    /// Why the vehicle cannot be asked further.
    package enum Fault {
        /// The vehicle's services are not known.
        case services(VehicleError)
        case noAnswer(QueryResult?)
    }

    private let grades: Bool
    /// Takes each step as soon as it is known.
    private let tell: (Check) throws -> Void
    private let tellGrade: (AdapterGrade) throws -> Void
    /// Further questions, once the vehicle answers.
    private let further: (Vehicle, VehicleServices) throws -> Void

    /// A check; with `grades` the adapter is measured at its end.
    package init(
        grades: Bool, tell: @escaping (Check) throws -> Void,
        tellGrade: @escaping (AdapterGrade) throws -> Void,
        further: @escaping (Vehicle, VehicleServices) throws -> Void
    ) {
        self.grades = grades
        self.tell = tell
        self.tellGrade = tellGrade
        self.further = further
    }

    /// Asks the adapter and the vehicle; nil when everything works.
    package func examine(
        _ connection: Vehicle, _ address: AccessoryAddress
    ) throws -> Fault? {
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
            if case .session = error { throw error }
            if grades { try tellGrade(AdapterGrade.measure(connection, map: nil)) }
            return .services(error)
        }
        guard services.isAnswered else {
            if grades { try tellGrade(AdapterGrade.measure(connection, map: nil)) }
            return .noAnswer(services.first)
        }
        let bus = connection.scan.link?.capabilities.vehicleProtocol
        try tell(Check(.vehicle, bus?.title ?? "answers"))
        let maps = try connection.ask(.supportedPIDs(0), in: services)
        let ecus = Set(maps.flatMap(\.answer.reply.messages).map(\.ecu))
        let names = ecus.compactMap(\.self).sorted().map(\.description)
        try tell(Self.check(ecus: names, isAnswered: !ecus.isEmpty))
        try tellEngine(connection, services)
        try further(connection, services)
        if grades {
            let map = services.profiles.first?.request(for: .supportedPIDs(0))
            try tellGrade(AdapterGrade.measure(connection, map: map))
        }
        return nil
    }

    /// The check of the ECUs that answered the question for their PIDs; without headers they have no addresses.
    static func check(ecus names: [String], isAnswered: Bool) -> Check {
        guard isAnswered else {
            return Check(
                .ecus, "no ECU lists its PIDs",
                advice: "the vehicle answered before: ask again, with the ignition on")
        }
        return Check(
            .ecus, names.isEmpty ? "answer without an address" : names.joined(separator: ", "))
    }

    private func tellVoltage(_ connection: Vehicle) throws {
        guard let voltage = try connection.ask(.readVoltage).answer.reply.voltage else { return }
        let text = "\(fixed(voltage, 1)) V"
        switch voltage {
        // No vehicle runs at that: some adapters cannot measure.
        case ..<6: try tell(Check(.voltage, "\(text): this adapter does not measure it"))
        // At rest an empty battery has 11.9 V, and switching the ignition on lowers the voltage by at most
        // 0.4 V.
        case ...11.5:
            try tell(
                Check(
                    .voltage, "\(text): the battery is low",
                    advice: "charge it; below 11 V ECUs and adapters restart"))
        // No battery of 12 V has that at rest. A battery below this voltage may be charged or not, and 24 V
        // are not judged.
        case 13.5..<18: try tell(Check(.voltage, "\(text), charging"))
        default: try tell(Check(.voltage, "\(text) at the adapter"))
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
