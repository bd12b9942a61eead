import OBDCore
import TestSupport
import Testing

@testable import Simulator

/// Numbers that no vehicle file has: it is refused with its line, or the vehicle answers.
@Suite struct `Extreme numbers in vehicle files` {
    @Test func `extreme numbers crash nothing`() {
        let text = """
            vehicle : my car
            protocol 6
            powertrain petrol
            seed 5
            ecu ECM : Engine
              address 12
              vin 5XXBD1GA8LX000042
              code P0420 stored
              pid 0C RPM 2 scale 1/4 = rpm
              pid 0D VSS 1 = 88
              pid 33
                bytes 01 02
                signal - 2 scale 1/10 offset -40 little signed = 12.5
            """
        Extremes.forEach(of: text) { changed in
            guard let scenario = try? Scenario(contents: Array(changed.utf8), file: "my.vehicle"),
                let options = try? SimulatorOptions("my.vehicle", vehicle: scenario),
                var vehicle = try? SimulatedVehicle(options)
            else { return }
            for request: [UInt8] in [[1, 0x00], [1, 0x0C], [1, 0x0D], [1, 0x33], [9, 2], [3]] {
                for seconds: Int64 in [0, 1, 1_000_000] {
                    _ = vehicle.answers(to: request, for: .everybody, after: .seconds(seconds))
                }
            }
        }
    }
}
