import Adapters
import Diagnostics
import OBDCore
import ScanTool
import Testing

@testable import VehicleScan

/// Answers that prove that a vehicle stands still, and answers that do not.
@Suite struct `Proof that a vehicle stands still` {
    private static func reply(
        _ text: String, _ statuses: [AdapterStatus] = [], group: UInt32? = nil
    ) throws -> Reply {
        var reply = Reply()
        for (number, part) in text.split(separator: ";").enumerated() {
            var message = ECUMessage(
                ecu: ECUAddress(0x7E8 + UInt32(number), .can11),
                payload: try #require(Hex.bytes(part)))
            message.parameterGroup = group
            reply.messages.append(message)
        }
        reply.statuses = statuses
        return reply
    }

    /// SAE J1979: 41 0C has two bytes, 41 0D has one.
    ///
    /// A refusal is 7F, the service, the reason.
    @Test(arguments: [
        (StandstillSignal.engineSpeed, "410C0000", StandstillSignal.Finding.still),
        (.engineSpeed, "410C0000;410C0000", .still), (.engineSpeed, "410C0C80", .moving),
        (.engineSpeed, "410C0000;410C0C80", .moving), (.engineSpeed, "410C0001", .moving),
        (.engineSpeed, "7F0112;410C0000", .still), (.engineSpeed, "7F0112", .silent),
        (.engineSpeed, "", .silent), (.engineSpeed, "410C00", .unclear(.unusable)),
        (.engineSpeed, "410C000000", .unclear(.unusable)),
        (.engineSpeed, "410D00", .unclear(.otherRequest)),
        (.engineSpeed, "410C0000;410500", .unclear(.otherRequest)),
        (.engineSpeed, "7F0411", .unclear(.otherRequest)),
        (.vehicleSpeed, "410D00", .still), (.vehicleSpeed, "410D03", .moving),
        (.vehicleSpeed, "410D", .unclear(.unusable)),
        (.vehicleSpeed, "410C0000", .unclear(.otherRequest)),
    ])
    func `is read from the answers to SAE J1979`(
        signal: StandstillSignal, messages: String, finding: StandstillSignal.Finding
    ) throws {
        #expect(signal.finding(in: try Self.reply(messages), .classicCAN) == finding)
    }

    /// SAE J1979-2: 62 F4 0C.
    ///
    /// SAE J1939-71: EEC1 bytes 4 and 5, CCVS1 bytes 2 and 3.
    ///
    /// A value from FB00 on is not a number.
    @Test func `is read from the answers to SAE J1979-2 and SAE J1939`() throws {
        func found(
            _ signal: StandstillSignal, _ text: String, _ profile: DiagnosticProfile,
            group: UInt32? = nil
        ) throws -> StandstillSignal.Finding {
            signal.finding(in: try Self.reply(text, group: group), profile)
        }
        #expect(try found(.engineSpeed, "62F40C0000", .onUDS) == .still)
        #expect(try found(.engineSpeed, "62F40C0C80", .onUDS) == .moving)
        #expect(try found(.vehicleSpeed, "62F40D00", .onUDS) == .still)
        #expect(try found(.vehicleSpeed, "7F2231", .onUDS) == .silent)
        #expect(try found(.engineSpeed, "F07D7D0000FFFFFF", .j1939, group: 0xF004) == .still)
        #expect(try found(.engineSpeed, "F07D7D6810FFFFFF", .j1939, group: 0xF004) == .moving)
        #expect(
            try found(.engineSpeed, "FFFFFFFFFFFFFFFF", .j1939, group: 0xF004)
                == .unclear(.unusable))
        #expect(
            try found(.engineSpeed, "F07D7D0000FFFFFF", .j1939, group: 0xF003)
                == .unclear(.otherRequest))
        #expect(try found(.vehicleSpeed, "FF0000FFFFFFFFFF", .j1939, group: 0xFEF1) == .still)
        #expect(try found(.vehicleSpeed, "FF0020FFFFFFFFFF", .j1939, group: 0xFEF1) == .moving)
        #expect(try found(.vehicleSpeed, "01FFFFFFFFF1FE00", .j1939, group: 0xE800) == .silent)
    }

    @Test(arguments: AdapterStatus.allCases)
    func `is not what an adapter says in words`(status: AdapterStatus) throws {
        let reply = try Self.reply("410C0000", [status])
        let silence = try Self.reply("", [status])
        if status == .noData {
            #expect(StandstillSignal.engineSpeed.finding(in: silence, .classicCAN) == .silent)
        } else {
            for one in [reply, silence] {
                #expect(
                    StandstillSignal.engineSpeed.finding(in: one, .classicCAN)
                        == .unclear(.adapterSaid(status)))
            }
        }
    }

    /// SAE J1979: the highest bit of the map in the answer to 00 is PID 01.
    ///
    /// So 0C is bit 20, and 0D is bit 19.
    @Test(arguments: [
        ("4100BE3EB811", true as Bool?, true as Bool?), ("410080000000", false, false),
        ("410000100000", true, false), ("410000080000", false, true),
        ("410080000000;410000100000", true, false), ("7F0112", nil, nil), ("", nil, nil),
        ("41008000", nil, nil), ("410500", nil, nil), ("410080000000;4105", nil, nil),
    ])
    func `is not needed of what the map of a vehicle does not have`(
        messages: String, engine: Bool?, speed: Bool?
    ) throws {
        let reply = try Self.reply(messages)
        #expect(StandstillSignal.engineSpeed.isSupported(in: reply, .classicCAN) == engine)
        #expect(StandstillSignal.vehicleSpeed.isSupported(in: reply, .classicCAN) == speed)
        let damaged = try Self.reply(messages, [.dataError])
        #expect(StandstillSignal.engineSpeed.isSupported(in: damaged, .classicCAN) == nil)
    }

    @Test(arguments: [
        ([StandstillSignal.Finding.silent, .still], StandstillSignal.Finding.still),
        ([.still, .moving], .moving), ([.unsupported, .silent], .unsupported),
        ([.unsupported, .unclear(.damaged)], .unclear(.damaged)), ([.silent, .silent], .silent),
    ])
    func `in several services is what any of them proves`(
        findings: [StandstillSignal.Finding], together: StandstillSignal.Finding
    ) {
        #expect(StandstillSignal.Finding.together(findings) == together)
    }
}
