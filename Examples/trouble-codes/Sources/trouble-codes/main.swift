import Accessory
import Diagnostics
import LocalLinks
import PIDTables
import VehicleScan

/// The codes of the vehicle behind `sim:`, or behind the accessory that the command line names.
let text = CommandLine.arguments.dropFirst().first ?? "sim:"
let vehicle = try Vehicle.open(
    TransportRegistry.all.address(text), table: PIDTables.standard(),
    monitors: PIDTables.monitorTables())
defer { vehicle.close() }
let texts = PIDTables.codeTexts()
let scan = try CodeScan(vehicle, in: vehicle.services())
for report in scan.codes {
    guard case .dtc(let code) = report.code else { continue }
    print(
        report.ecu?.description ?? "", report.kind.rawValue, code, texts.text(of: code) ?? "",
        separator: "\t")
}
if let problem = scan.problem(vehicle) { print("not everything came: \(problem)") }
