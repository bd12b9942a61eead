import Accessory
import Diagnostics
import Glibc
import LocalLinks
import PIDTables
import VehicleScan

/// Prints the codes of the vehicle at `sim:`, or at the device in the command line.
do {
    let address = CommandLine.arguments.dropFirst().first ?? "sim:"
    let vehicle = try Vehicle.open(
        TransportRegistry.all.address(address), table: PIDTables.standard(),
        monitors: PIDTables.monitorTables())
    defer { vehicle.close() }
    let texts = PIDTables.codeTexts()
    let scan = try CodeScan(vehicle, in: vehicle.services())
    for report in scan.codes {
        guard case .dtc(let code) = report.code else { continue }
        let words = texts.text(of: code) ?? ""
        print(report.ecu?.description ?? "", report.kind.rawValue, code, words, separator: "\t")
    }
    if let problem = scan.problem(vehicle) { throw problem }
} catch {
    let line = "trouble-codes: \(error)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}
