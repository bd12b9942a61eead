import Diagnostics
import Formats
import OBDCore
import PIDTables
import VehicleScan

/// The table of the codes of many vehicles: `dtc --batch`, `dtc --to`.
package struct CodeBatch {
    /// A vehicle of the batch, without its codes.
    package struct Car: Hashable, Sendable {
        /// The device as `-d` or the list names it.
        package var device: String
        /// The vehicle's label in the list.
        package var label: String?
        package var vin: String?
        /// Unit: km.
        package var odometer: Double?

        /// A vehicle of which only the device and the label are known.
        package init(device: String, label: String? = nil) {
            self.device = device
            self.label = label
        }
    }

    /// The `kind` of these rows, where output mixes rows of several kinds.
    package static let kind = "codeRow"

    /// The columns of the table; they are stable, because users' programs depend on them.
    package static let columns = [
        "time", "device", "label", "vin", "odometerKm", "ecu", "ecuName", "light", "status", "code",
        "failureType", "statusByte", "description", "driveOn", "error",
    ]

    /// The rows of one vehicle: one for each code, and one for each ECU without codes.
    package static func rows(
        _ scan: CodeScan, of car: Car, _ knowledge: CodeKnowledge, _ table: PIDTable, time: UTC
    ) -> [Row] {
        var rows: [Row] = []
        let codes = scan.codes
        for ecu in scan.ecus {
            let module = scan.modules.first { $0.module.responder == ecu }
            let light = scan.lampIsOn(ecu, table)
            let own = codes.filter { $0.ecu == ecu }
            if own.isEmpty {
                let error = problem(scan.absence(of: ecu, table), scan, ecu)
                rows.append(row(car, time, ecu, module?.name, light, nil, CodeFacts(), error))
            }
            for report in own {
                rows.append(
                    row(
                        car, time, ecu, module?.name, light, report, knowledge.facts(of: report),
                        nil))
            }
        }
        return rows
    }

    /// Why an ECU without codes in the answers may still have some; nil if it is known to have
    /// none.
    package static func problem(
        _ absence: CodeScan.Absence, _ scan: CodeScan, _ ecu: ECUAddress?
    ) -> String? {
        switch absence {
        case .noCodes: nil
        case .noStoredCodes where !scan.hasBrokenList(of: ecu): nil
        case .noStoredCodes: "no stored codes; another list did not come"
        case .announced, .refused, .broken, .unanswered:
            CodePrinter.text(absence, of: scan.modules.first { $0.module.responder == ecu })
        }
    }

    /// The row of a vehicle that could not be read.
    package static func row(failed car: Car, _ error: String, time: UTC) -> Row {
        row(car, time, nil, nil, nil, nil, CodeFacts(), printable(error))
    }

    private static func row(
        _ car: Car, _ time: UTC, _ ecu: ECUAddress?, _ name: String?, _ light: Bool?,
        _ report: CodeReport?, _ facts: CodeFacts, _ error: String?
    ) -> Row {
        var failureType: UInt8?
        if case .dtc(let code) = report?.code { failureType = code.failureType }
        return Row(
            kind,
            [
                "time": .time(time), "device": .text(car.device), "label": .text(car.label),
                "vin": .text(car.vin), "odometerKm": .number(car.odometer),
                "ecu": .text(ecu?.description), "ecuName": .text(name), "light": .flag(light),
                "status": .text(report?.kind.rawValue), "code": .text(report?.code.text),
                "failureType": .hex(failureType), "statusByte": .hex(report?.statusByte),
                "description": .text(facts.text), "driveOn": .text(facts.driveOn?.rawValue),
                "error": .text(error),
            ])
    }
}
