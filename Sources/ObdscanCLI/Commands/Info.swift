import ArgumentParser
import Diagnostics
import OBDCore
import ScanSession
import TripExport

/// `obdscan info`: adapter and vehicle.
struct InfoCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Adapter, voltage, vehicle protocol, ECUs, VIN, calibrations, supported PIDs.",
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
            let voltage = try connection.command("AT RV")
            let services: VehicleServices
            do {
                services = try connection.services()
            } catch let failure as Failure {
                // Without a vehicle the adapter is still worth a look.
                try print(connection, SupportedIDs(), [voltage], [])
                throw failure
            }
            let current = try connection.supportedIDs(in: services) { .supportedPIDs($0) }
            let information = try vehicleInformation(connection, services)
            try print(connection, current, [voltage, services.first], information)
            if let failure = connection.failure(of: [services.first] + information) {
                throw failure
            }
        }
    }

    private func print(
        _ connection: Connection, _ current: SupportedIDs, _ adapter: [Asked],
        _ information: [Asked]
    ) throws {
        var writer = TextOutput.standard
        if output.format == .text {
            let voltage = adapter.compactMap(\.answer.reply.voltage).first
            try writer.write(text(connection, current, voltage, information))
            try writer.flush()
        } else {
            try printObjects(connection, adapter + information, &writer)
        }
    }

    /// Everything that vehicle information is announced of.
    private func vehicleInformation(
        _ connection: Connection, _ services: VehicleServices
    ) throws(ScanError) -> [Asked] {
        let supported = try connection.supportedIDs(in: services) { .supportedInfoTypes($0) }
        // Without a map the identification number is asked for all the same: some ECUs forget it.
        let ids = supported.all.isEmpty ? [0x02] : supported.all
        var answers: [Asked] = []
        for id in ids { answers += try connection.ask(.information(id), in: services) }
        return answers
    }

    private func printObjects(
        _ connection: Connection, _ answers: [Asked], _ writer: inout TextOutput
    ) throws {
        var printer = AnswerPrinter(output, table: connection.table)
        if output.format == .json, let link = connection.scan.link {
            var object = JSONObject()
            object.add("kind", "adapter")
            object.add("accessory", connection.accessory)
            object.add("name", link.name)
            object.add("firmware", link.identity.banner)
            object.add("dialect", link.dialect)
            object.add("lineRate", link.lineRate)
            object.add("protocol", link.capabilities.vehicleProtocol?.name)
            object.add("protocolTitle", link.capabilities.vehicleProtocol?.title)
            try writer.append { object.append(to: &$0) }
        }
        for asked in answers {
            let time = connection.utc(asked.answer.answered)
            if let voltage = asked.answer.reply.voltage {
                try printer.print(voltage: voltage, at: time, to: &writer)
            }
            for item in asked.answer.items { try printer.print(item, at: time, to: &writer) }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
        try printer.finish(&writer)
    }

    // MARK: Text

    private func text(
        _ connection: Connection, _ current: SupportedIDs, _ voltage: Double?,
        _ information: [Asked]
    ) -> String {
        let palette = Palette(isOn: output.colours(1))
        var rows = TextTable([("", .left), ("", .left)])
        rows.add(["Accessory", .init(connection.accessory)])
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
        var result = rows.text(palette)
        let items = information.flatMap(\.answer.items)
        let ecus = Set(current.byECU.map(\.ecu) + items.map(\.ecu))
        for ecu in ecus.sorted(by: Self.before) {
            result += "\n" + palette(.bold, "ECU \(ecu?.description ?? "—")") + "\n"
            result += self.text(ecu, items, current, connection.table, palette)
        }
        return result
    }

    private static func before(_ left: ECUAddress?, _ right: ECUAddress?) -> Bool {
        guard let left else { return right != nil }
        return right.map { left < $0 } ?? false
    }

    private func text(
        _ ecu: ECUAddress?, _ items: [DiagnosticItem], _ current: SupportedIDs, _ table: PIDTable,
        _ palette: Palette
    ) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        for case .reading(let reading) in items where reading.ecu == ecu {
            if case .supportMap = reading.value { continue }
            let signal = table[reading.signal]
            var value = ValueText(reading, signal, output.units).joined
            if let isRight = reading.checkDigit {
                value += isRight ? "  (check digit right)" : "  (no valid check digit)"
            }
            rows.add([.init(signal.name), .init(value)])
        }
        let ids = current.ids(of: ecu).filter { $0 & 0x1F != 0 }
        if !ids.isEmpty {
            rows.add([
                "Supported PIDs",
                .init("\(ids.count): " + ids.map { Hex.string([$0]) }.joined(separator: " ")),
            ])
        }
        return rows.text(palette, indent: 2)
    }
}
