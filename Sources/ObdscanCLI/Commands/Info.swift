import Adapters
import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
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
            try writer.write(text(connection, answers, voltage))
            try writer.flush()
        } else {
            try printObjects(
                connection, adapter + answers.current.asked + answers.information, &writer)
        }
    }

    private func printObjects(
        _ connection: Vehicle, _ answers: [QueryResult], _ writer: inout TextOutput
    ) throws {
        let link = connection.scan.link
        let adapter = Row(
            "adapter",
            [
                "device": .text(connection.accessory), "name": .text(link?.name),
                "firmware": .text(link?.identity.banner), "dialect": .text(link?.dialect),
                "lineRate": .integer(link?.lineRate),
                "protocol": .text(link?.capabilities.vehicleProtocol?.name),
                "protocolTitle": .text(link?.capabilities.vehicleProtocol?.title),
            ])
        var printer = try AnswerPrinter(
            output, table: connection.table,
            kinds: [adapter.keys, ItemRows.Keys.reading] + ItemRows.Keys.rest)
        if link != nil { try printer.print(adapter, to: &writer) }
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

    // MARK: Text

    private func text(
        _ connection: Vehicle, _ answers: VehicleAnswers, _ voltage: Double?
    ) -> String {
        let palette = output.palette()
        var rows = TextTable([("", .left), ("", .left)], flexible: [0, 1])
        if let vin = answers.items.vin {
            rows.add(["Vehicle", .init(vin.text, .bold)])
            if let title = PIDTables.vinTables().title(of: vin) { rows.add(["", .init(title)]) }
        }
        rows.add(["Device", .init(connection.accessory)])
        if let link = connection.scan.link {
            rows.add(["Adapter", .init(link.title)])
            if let banner = link.identity.banner, banner != link.title {
                rows.add(["", .init("answers as \(banner)")])
            }
            if let rate = link.lineRate { rows.add(["Line rate", .init("\(rate) bit/s")]) }
            rows.add([
                "Protocol", .init(link.capabilities.vehicleProtocol?.title ?? "not known yet"),
            ])
        }
        if let voltage {
            rows.add(["Voltage", .init("\(fixed(voltage, 1)) V at the adapter")])
        }
        var result = rows.text(palette, columns: output.columns)
        for ecu in answers.ecus {
            result += "\n" + palette(.bold, ecu?.title ?? "ECU —") + "\n"
            result += self.text(ecu, answers, connection.table, palette)
        }
        return result
    }

    private func text(
        _ ecu: ECUAddress?, _ answers: VehicleAnswers, _ table: PIDTable, _ palette: Palette
    ) -> String {
        var rows = TextTable([("", .left), ("", .left)], flexible: [0, 1])
        var counters = 0
        for case .reading(let reading) in answers.items where reading.ecu == ecu {
            if case .supportMap = reading.value { continue }
            if reading.isMonitorCounter, !output.verbose {
                counters += 1
                continue
            }
            let signal = table[reading.signal]
            var value = ValueText(reading, signal, output.units).joined
            if let fault = reading.faultOfVIN {
                value += "  (\(fault))"
            } else if reading.checkDigit == true {
                value += "  (check digit right)"
            }
            rows.add([.init(signal.name), .init(value)])
        }
        if counters > 0 {
            rows.add(["Monitor counters", .init("\(counters); obdscan info -v lists them")])
        }
        let ids = answers.current.ids(of: ecu).filter { $0 & 0x1F != 0 }
        if !ids.isEmpty {
            rows.add([
                "Supported PIDs",
                .init("\(ids.count): " + ids.map { Hex.string([$0]) }.joined(separator: " ")),
            ])
        }
        for refusal in answers.refusals(of: ecu) {
            rows.add([
                .init("Refuses service \(refusal.service)"),
                .init("\(refusal.nrc.name) (\(Hex.string([refusal.nrc.rawValue])))"),
            ])
        }
        return rows.text(palette, indent: 2, columns: output.columns)
    }
}

/// The answers of a vehicle's ECUs about themselves.
private struct VehicleAnswers {
    /// The supported current data.
    private(set) var current = SupportedIDs()
    /// The requests for vehicle information with their answers.
    private(set) var information: [QueryResult] = []
    private var announced = SupportedIDs()

    /// No answers.
    init() {}

    /// Requests everything that the vehicle supports.
    init(_ connection: Vehicle, _ services: VehicleServices) throws(VehicleError) {
        current = try connection.supportedIDs(in: services) { .supportedPIDs($0) }
        announced = try connection.supportedIDs(in: services) { .supportedInfoTypes($0) }
        // Without a map, request the VIN anyway: some ECUs leave it out of the map.
        let ids = announced.all.isEmpty ? [0x02] : announced.all
        for id in ids {
            information += try connection.ask(.information(id), in: services)
        }
        for request in services.profiles.flatMap(\.identificationRequests) {
            information.append(try connection.ask(request))
        }
    }

    /// The items of the answers about vehicle information.
    var items: [DiagnosticItem] { information.flatMap(\.answer.items) }

    /// Every ECU that answered, even with a refusal, in the order of addresses.
    var ecus: [ECUAddress?] {
        let all =
            current.byECU.map(\.ecu) + (current.refusals + announced.refusals).map(\.ecu)
            + items.map(\.ecu)
        return Set(all).sorted { left, right in
            guard let left else { return right != nil }
            return right.map { left < $0 } ?? false
        }
    }

    /// The refusals of `ecu`, each service and reason once.
    func refusals(of ecu: ECUAddress?) -> [NegativeResponse] {
        var found: [NegativeResponse] = []
        let asked = items.compactMap { item -> (ecu: ECUAddress?, refusal: NegativeResponse)? in
            if case .negativeResponse(let refusal, let ecu, _) = item {
                (ecu, refusal)
            } else {
                nil
            }
        }
        for one in current.refusals + announced.refusals + asked
        where one.ecu == ecu && !found.contains(one.refusal) {
            found.append(one.refusal)
        }
        return found
    }
}

extension Reading {
    /// Whether it is a counter of monitor runs (info types 08 and 0B, for petrol and diesel
    /// engines).
    fileprivate var isMonitorCounter: Bool {
        guard case .number = value, let id = dataID else { return false }
        return id.service == .vehicleInformation
            ? id.id == 0x08 || id.id == 0x0B
            : id.id == 0xF808 || id.id == 0xF80B
    }
}
