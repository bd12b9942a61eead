import Adapters
import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
import VehicleScan

/// Adapter and vehicle, for people and as a row.
package struct VehicleSheet {
    private let form: OutputForm
    private let isVerbose: Bool

    /// A sheet; `isVerbose` shows the counters of monitors, too.
    package init(_ form: OutputForm, isVerbose: Bool) {
        self.form = form
        self.isVerbose = isVerbose
    }

    package static func adapter(_ connection: Vehicle) -> Row {
        let link = connection.scan.link
        return Row(
            "adapter",
            [
                "device": .text(connection.accessory), "name": .text(link?.name),
                "firmware": .text(link?.identity.banner), "dialect": .text(link?.dialect),
                "lineRate": .integer(link?.lineRate),
                "protocol": .text(link?.capabilities.vehicleProtocol?.name),
                "protocolTitle": .text(link?.capabilities.vehicleProtocol?.title),
            ])
    }

    /// A table about the adapter, and one about each ECU.
    package func text(
        _ connection: Vehicle, _ answers: VehicleAnswers, _ voltage: Double?
    ) -> String {
        let palette = form.palette
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
        var result = rows.text(palette, columns: form.columns)
        for ecu in answers.ecus {
            let title = answers.names.title(of: ecu, none: "ECU —")
            result += "\n" + palette(.bold, title) + "\n"
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
            if reading.isMessageCount, !isVerbose { continue }
            if reading.isMonitorCounter, !isVerbose {
                counters += 1
                continue
            }
            let signal = table[reading.signal]
            var value = ValueText(reading, signal, form.units).joined
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
                .init(refusal.isPending ? "No answer" : "Refuses service \(refusal.service)"),
                .init(
                    (refusal.isPending ? refusal.outcome : refusal.nrc.words)
                        + " (\(Hex.string([refusal.nrc.rawValue])))"),
            ])
        }
        return rows.text(palette, indent: 2, columns: form.columns)
    }
}

/// The answers of a vehicle's ECUs about themselves.
package struct VehicleAnswers {
    /// The current data that the ECUs announce.
    package private(set) var current = SupportedIDs()
    /// The questions about vehicle information, and their results.
    package private(set) var information: [QueryResult] = []
    private var announced = SupportedIDs()
    package private(set) var names = ECUNames()

    package init() {}

    /// Asks for what the ECUs announce; without an announcement, for the info types in `usual`.
    package init(
        _ connection: Vehicle, _ services: VehicleServices, usual: [UInt8] = [0x02]
    ) throws(VehicleError) {
        current = try connection.supportedIDs(in: services) { .supportedPIDs($0) }
        announced = try connection.supportedIDs(in: services) { .supportedInfoTypes($0) }
        // Without a map the VIN is requested anyway, because the maps of some ECUs lack it.
        let ids = announced.all.isEmpty ? usual : announced.all
        for id in ids {
            information += try connection.ask(.information(id), in: services)
        }
        for request in services.profiles.flatMap(\.identificationRequests) {
            information.append(try connection.ask(request))
        }
        names = connection.ecuNames(of: ecus, in: services)
    }

    /// The items in the answers about vehicle information.
    var items: [DiagnosticItem] { information.flatMap(\.answer.items) }

    /// Every ECU that answered, including one that only refuses; in the order of addresses.
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
    /// Whether the item is only the number of messages in which ECUs before CAN send the next info type.
    fileprivate var isMessageCount: Bool {
        guard case .number = value, let id = dataID else { return false }
        return id.service == .vehicleInformation && [1, 3, 5, 7, 9].contains(id.id)
    }

    /// Whether the reading counts how often monitors ran (info types 08 and 0B, of petrol and diesel
    /// engines).
    fileprivate var isMonitorCounter: Bool {
        guard case .number = value, let id = dataID else { return false }
        return id.service == .vehicleInformation
            ? id.id == 0x08 || id.id == 0x0B
            : id.id == 0xF808 || id.id == 0xF80B
    }
}
