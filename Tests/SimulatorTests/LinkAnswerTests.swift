import Adapters
import OBDCore
import ScanTool
import SimulatorTestSupport
import Testing

@testable import Simulator

/// The scan tool with every kind of device, on a manual clock; whole programs prove only that the parts are joined.
@Suite struct LinkAnswerTests {
    private static let links =
        ["6", "7", "3", "5", "1", "2"].map { "petrol?personality=golink&protocol=\($0)" }
        + ["slcan", "slcan-silent", "slcan-z", "can"].map { "petrol?personality=\($0)" }
        + ["petrol", "diesel", "onuds"].map { "\($0)?personality=doip" }
        + ["onuds", "electric"].map { "\($0)?personality=slcan" }

    /// What `read`, `dtc`, `monitors`, `freeze` and `info` ask.
    private static let requests: [[UInt8]] =
        [[1, 0x00], [1, 0x01], [1, 0x04], [1, 0x05], [1, 0x0C], [1, 0x0D], [1, 0x20]]
        + [[2, 0x00, 0], [2, 0x02, 0], [2, 0x0C, 0], [3], [6, 0x00], [6, 0x01], [7], [0x0A]]
        + [[9, 0x00], [9, 0x02], [9, 0x04], [9, 0x06], [9, 0x0A]]
        + [
            [0x22, 0xF4, 0x0C], [0x22, 0xF4, 0x0D], [0x22, 0xF8, 0x02],
            [0x19, 0x42, 0x33, 0x08, 0x1E],
        ]

    private static func sorted(_ payloads: some Sequence<(ECUAddress?, [UInt8])>, _ isDoIP: Bool)
        -> [String]
    {
        // A gateway has addresses of its own.
        payloads.map { ecu, payload in
            "\(isDoIP ? "" : ecu.map(\.description) ?? "-") \(Hex.string(payload))"
        }.sorted()
    }

    @Test(arguments: links) func `every kind of link gives each ECU's answers`(address: String)
        throws
    {
        let options = try SimulatorOptions("\(address)&frozen=true&latency=2ms")
        var stand = try Stand(options)
        var vehicle = try SimulatedVehicle(options)
        var answered = 0
        for payload in Self.requests {
            stand.submit(
                .vehicle(
                    VehicleRequest(
                        id: RequestID(rawValue: 1), payload: payload, mayRepeat: true)))
            let outcome = try #require(stand.outcome, "\(Hex.string(payload))")
            let said = outcome.reply.messages.map { ($0.ecu, $0.payload) }
            let expected = vehicle.answers(to: payload, for: .everybody, after: .zero)
            let isDoIP = address.contains("doip")
            #expect(
                Self.sorted(said, isDoIP)
                    == Self.sorted(expected.map { ($0.ecu, $0.payload) }, isDoIP),
                "\(Hex.string(payload)): \(outcome)")
            if !said.isEmpty { answered += 1 }
        }
        #expect(answered >= (address.contains("onuds") ? 3 : 12), "\(answered)")
    }
}
