import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import Simulator

/// The formulas of the scenarios were written from SAE J1979, independently of the PID table.
///
/// The formulas and the table must agree to half a raw count.
@Suite struct `Simulated values` {
    @Test(arguments: Scenario.names.filter { $0 != "truck" }, [6, 7, 3, 5])
    func `decoded values equal the simulated values`(scenario: String, number: Int) throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        // OBDonUDS exists only on CAN.
        if scenario == "onuds" && number < 6 { return }
        let service: [UInt8] = scenario == "onuds" ? [0x22, 0xF4] : [0x01]
        var decoder = ResponseDecoder(table: table, monitors: monitors)
        var vehicle = try SimulatedVehicle(SimulatorOptions("\(scenario)?protocol=\(number)"))
        var compared = 0
        for second in stride(from: 0, to: 400, by: 7) {
            let elapsed = Duration.milliseconds(second * 1000 + 350)
            for meant in vehicle.values(after: elapsed) {
                let request = service + [UInt8(meant.id.id)]
                let answer = try #require(
                    vehicle.answers(to: request, for: .one(meant.ecu), after: elapsed).first)
                let isSent = vehicle.vehicleProtocol.family == .can || answer.payload.count <= 7
                guard isSent else { continue }
                let message = ECUMessage(ecu: meant.ecu, payload: answer.payload)
                let exchange = Exchange(
                    request: request, vehicleProtocol: vehicle.vehicleProtocol)
                var items: [DiagnosticItem] = []
                decoder.decode(message, in: exchange, &items)
                let values = items.compactMap { item -> Double? in
                    guard case .reading(let reading) = item,
                        table[reading.signal].id == meant.signal
                    else { return nil }
                    switch reading.value {
                    case .number(let number): return number
                    case .label(let code): return Double(code)
                    case .flag, .text, .supportMap, .missing: return nil
                    }
                }
                #expect(values.count == 1, "\(meant.signal) \(Hex.string(answer.payload))")
                let distance = abs((values.first ?? .infinity) - meant.value)
                #expect(
                    distance <= meant.step * 0.5 + 1e-9,
                    "\(meant.signal): in \(meant.value), out \(values)")
                compared += 1
            }
        }
        #expect(compared > 50 * 8)
    }
}
