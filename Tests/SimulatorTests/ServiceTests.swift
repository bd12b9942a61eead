import OBDCore
import Testing

@testable import Simulator

/// The answers of ECUs.
///
/// Layouts: SAE J1979 and ISO 15031-5; refusals: ISO 15765-4 and ISO 14229-1.
@Suite struct `Services` {
    /// The payloads of the answers, in order.
    private func answers(
        _ address: String, _ request: String, to target: SimulatedVehicle.Target = .everybody
    ) throws -> [String] {
        var vehicle = try SimulatedVehicle(SimulatorOptions(address))
        let payload = try #require(Hex.bytes(request))
        return vehicle.answers(to: payload, for: target, after: .zero).map { answer in
            Hex.string(answer.payload)
        }
    }

    private static let engine = SimulatedVehicle.Target.one(ECUAddress(0x7E8, .can11))

    @Test func `a request for many PIDs leaves out unsupported ones`() throws {
        #expect(try answers("?ecus=1&engine=off", "010CFE0D") == ["410C00000D00"])
        #expect(try answers("?engine=off", "01FE") == [])
        #expect(try answers("?engine=off", "01FE", to: Self.engine) == ["7F0112"])
        #expect(try answers("?engine=off", "010C0D05110F0446", to: Self.engine) == ["7F0113"])
        #expect(try answers("?engine=off&protocol=3", "010C0D") == [])
    }

    @Test(arguments: Scenario.names.filter { $0 != "onuds" && $0 != "truck" })
    func `support maps name exactly the PIDs that answer`(scenario: String) throws {
        var vehicle = try SimulatedVehicle(SimulatorOptions(scenario))
        for address in vehicle.ecus {
            var announced: Set<Int> = []
            var base = 0
            while base >= 0 {
                let answer = try #require(
                    vehicle.answers(to: [1, UInt8(base)], for: .one(address), after: .zero).first)
                #expect(answer.payload.prefix(2) == [0x41, UInt8(base)])
                #expect(answer.payload.count == 6)
                for bit in 0..<32 where answer.payload[2 + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0
                {
                    announced.insert(base + bit + 1)
                }
                base = announced.contains(base + 32) && base < 0xE0 ? base + 32 : -1
            }
            for pid in 1...255 {
                let answer = vehicle.answers(to: [1, UInt8(pid)], for: .one(address), after: .zero)
                let answered = answer.first?.payload.first == 0x41
                #expect(answered == announced.contains(pid), "\(address) PID \(pid)")
            }
        }
    }

    @Test func `codes come with their count on CAN`() throws {
        #expect(try answers("", "03") == ["430203010420", "4300"])
        #expect(try answers("", "07") == ["47010171", "4700"])
        #expect(try answers("", "0A") == ["4A0203010420", "4A00"])
        #expect(try answers("?codes=none&ecus=1", "03") == ["4300"])
        #expect(
            try answers("?codes=P0133,C0356,U1123&ecus=1", "03") == ["43030133" + "4356" + "D123"])
        #expect(try answers("?codes=P0133", "0101").first?.prefix(6) == "410181")
        #expect(try answers("?codes=none", "0101").first?.prefix(6) == "410100")
    }

    @Test func `codes come in threes before CAN`() throws {
        #expect(try answers("?protocol=3", "03") == ["43030104200000", "43000000000000"])
        #expect(
            try answers("?protocol=5&codes=P0001,P0002,P0003,P0004&ecus=1", "03") == [
                "43000100020003", "43000400000000",
            ])
        #expect(try answers("?protocol=2", "0A") == [])
    }

    @Test func `clearing is refused while the engine runs`() throws {
        #expect(try answers("", "04") == ["7F0422", "7F0422"])
        #expect(try answers("?engine=off", "04") == ["44", "44"])
        #expect(try answers("?engine=off", "0400", to: Self.engine) == ["7F0413"])
    }

    @Test func `clearing erases the required data and keeps permanent codes`() throws {
        var vehicle = try SimulatedVehicle(SimulatorOptions("?engine=off&ecus=1"))
        func ask(_ request: String) -> String {
            vehicle.answers(to: Hex.bytes(request) ?? [], for: .everybody, after: .seconds(5))
                .map { Hex.string($0.payload) }.joined(separator: " ")
        }
        #expect(ask("0101") == "41018207E504")
        #expect(ask("020200") == "4202000301")
        #expect(ask("020C00").hasPrefix("420C00"))
        #expect(ask("0131") != "41310000")
        #expect(ask("0621").hasPrefix("46218020" + "00D3"))
        #expect(ask("04") == "44")
        #expect(ask("03") == "4300")
        #expect(ask("07") == "4700")
        #expect(ask("0A") == "4A0203010420")
        #expect(ask("0101") == "41010077E5E5")
        #expect(ask("020200") == "4202000000")
        #expect(ask("020C00") == "")
        #expect(ask("0131") == "41310000")
        #expect(ask("0130") == "413000")
        #expect(ask("014E") == "414E0000")
        #expect(ask("0621") == "46218020" + "000000000000")
    }

    @Test func `a freeze frame holds the state at which its code was set`() throws {
        var vehicle = try SimulatedVehicle(SimulatorOptions("?frozen=322s&ecus=1"))
        let now = vehicle.answers(to: [0x01, 0x0C], for: .everybody, after: .zero)[0].payload
        let then = vehicle.answers(to: [0x02, 0x0C, 0x00], for: .everybody, after: .zero)[0].payload
        #expect(Array(then.dropFirst(3)) == Array(now.dropFirst(2)))
        #expect(then.prefix(3) == [0x42, 0x0C, 0x00])
        #expect(vehicle.answers(to: [2, 0x0C, 1], for: .everybody, after: .zero).isEmpty)
        #expect(vehicle.answers(to: [2, 0x0C], for: .everybody, after: .zero).isEmpty)
        let two = vehicle.answers(to: [2, 0x0C, 0, 0x0D, 0], for: .everybody, after: .zero)[0]
            .payload
        #expect(two.count == 1 + 4 + 3)
    }

    @Test func `monitor results on CAN are records of nine bytes`() throws {
        let misfire = try answers("?ecus=1", "06A2")
        #expect(misfire == ["46" + "A20B24006B0000FFFF" + "A20C2400D60000FFFF"])
        #expect(try answers("?ecus=1", "0600") == ["4600C0000001"])
        #expect(try answers("?ecus=1", "060020406080A0").first?.count == 2 + 10 * 6)
        #expect(try answers("", "06FE") == [])
        #expect(try answers("", "06FE", to: Self.engine) == ["7F0612"])
    }

    @Test func `monitor results before CAN have one limit each`() throws {
        #expect(try answers("?protocol=3&ecus=1", "0600") == ["4600FF88000000"])
        #expect(
            try answers("?protocol=3&ecus=1", "0601") == ["46010101320200", "46018101320040"])
        #expect(try answers("?protocol=3&ecus=1", "050002") == ["450002CA000000"])
        #expect(try answers("?protocol=3&ecus=1", "050502") == ["45050218003E"])
        #expect(try answers("", "050502") == [])
    }

    @Test func `vehicle information is whole on CAN`() throws {
        let vin = "1D4GP00R55B123456"
        let text = Hex.string(vin.utf8)
        #expect(try answers("?vin=\(vin)", "0902") == ["490201" + text])
        #expect(try answers("?ecus=1", "0900") == ["4900" + "55400000"])
        #expect(
            try answers("?ecus=1", "090A") == [
                "490A01" + "45434D002D" + "456E67696E6520436F6E74726F6C00"
            ])
        #expect(try answers("?ecus=1", "0908").first?.count == 2 * (3 + 40))
        #expect(try answers("diesel?ecus=1", "090B").first?.prefix(6) == "490B12")
        #expect(try answers("", "0901") == [])
    }

    @Test func `vehicle information comes in numbered parts before CAN`() throws {
        let parts = try answers("?protocol=5&vin=1D4GP00R55B123456", "0902")
        #expect(
            parts == [
                "49020100000031", "49020244344750", "49020330305235", "49020435423132",
                "49020533343536",
            ])
        #expect(try answers("?protocol=5&ecus=1", "0901") == ["490105"])
        #expect(try answers("?protocol=5&ecus=1", "0903") == ["490308"])
        #expect(try answers("?protocol=5&ecus=1", "0900") == ["490001FFC00000"])
        #expect(try answers("?protocol=5&ecus=1", "0904").count == 8)
    }

    @Test func `UDS reads by identifier, lists codes and refuses the rest`() throws {
        let vin = Hex.string("1D4GP00R55B123456".utf8)
        #expect(
            try answers("?vin=1D4GP00R55B123456", "22F190", to: Self.engine) == ["62F190" + vin])
        #expect(try answers("", "22F186", to: Self.engine) == ["62F18601"])
        #expect(try answers("", "22F810", to: Self.engine) == ["7F2231"])
        #expect(try answers("", "22F8", to: Self.engine) == ["7F2213"])
        #expect(try answers("", "22F810") == [])
        #expect(
            try answers("", "1902FF", to: Self.engine) == [
                "5902FF" + "030100AF" + "042000AF" + "01710027"
            ])
        #expect(try answers("", "190208", to: Self.engine) == ["5902FF" + "030100AF" + "042000AF"])
        #expect(try answers("", "1901FF", to: Self.engine) == ["5901FF010003"])
        #expect(try answers("", "1999", to: Self.engine) == ["7F1912"])
        #expect(try answers("", "3E00", to: Self.engine) == ["7E00"])
        #expect(try answers("", "3E80", to: Self.engine) == [])
        #expect(try answers("", "1003", to: Self.engine) == ["5003003201F4"])
        #expect(try answers("", "1002", to: Self.engine) == ["7F1012"])
        #expect(try answers("", "2E0101", to: Self.engine) == ["7F2E11"])
        #expect(try answers("", "2E0101") == [])
        #expect(try answers("", "14FFFFFF", to: Self.engine) == ["7F1422"])
        #expect(try answers("?engine=off", "14FFFFFF", to: Self.engine) == ["54"])
    }

    @Test func `the chosen number of ECUs answers`() throws {
        for count in 1...8 {
            let vehicle = try SimulatedVehicle(SimulatorOptions("?ecus=\(count)"))
            #expect(vehicle.ecus == (0..<count).map { ECUAddress(0x7E8 + UInt32($0), .can11) })
            #expect(try answers("?ecus=\(count)", "010D").count == count)
            let before = try SimulatedVehicle(SimulatorOptions("?protocol=3&ecus=\(count)"))
            #expect(Set(before.ecus).count == count)
        }
    }

    /// SAE J1979-2, with the layouts that three UDS libraries use: 59 42 has the severity, a code of
    /// three bytes and the status; 59 55 has the code and the status; 62 F8 has no item count.
    @Test func `OBDonUDS replaces the classic services`() throws {
        func ask(_ request: String, _ options: String = "") throws -> [String] {
            try answers("onuds?ecus=1&vin=1D4GP00R55B123456\(options)", request)
        }
        #expect(try ask("0100") == [])
        #expect(try ask("03") == [])
        #expect(try ask("22F810") == ["62F81001"])
        #expect(try ask("22F802") == ["62F802" + Hex.string("1D4GP00R55B123456".utf8)])
        #expect(try ask("22F400") == ["62F400BE3FA813"])
        #expect(try ask("22F40CF40DF4FE", "&engine=off") == ["62F40C0000F40D00"])
        #expect(try ask("22F621") == ["62F621" + "802000D3000000B4"])
        #expect(try ask("19423308FF") == ["594233FFFF04" + "22030100AF" + "22042000AF"])
        #expect(
            try ask("19423304FF") == ["594233FFFF04" + "22030100AF" + "22042000AF" + "2201710027"])
        #expect(try ask("195533") == ["595533FF04" + "03010008" + "04200008"])
        // The evaporative system (04) has not run. The catalyst's code is a stored one.
        #expect(try ask("22F501") == ["62F50182" + "07" + "01" + "11" + "0D" + "00"])
        #expect(try ask("19563304") == ["595633FF0404" + "04420050" + "04550050" + "04560050"])
        #expect(try ask("19563301") == ["595633FF0401" + "042000AF" + "04300040"])
        #expect(try ask("19563314") == [])
        #expect(try ask("190403010000").first?.hasPrefix("5904030100AF0013F403") == true)
        #expect(try ask("14FFFF33") == ["7F1422"])
        #expect(try ask("14FFFF33", "&engine=off") == ["54"])
        #expect(throws: SimulatorError.self) { try ask("22F810", "&protocol=3") }
    }

    /// An adapter's own search sends 01 00.
    ///
    /// A vehicle with SAE J1979-2 is found only by setting a protocol.
    @Test func `the adapter's search does not find a vehicle that supports only OBDonUDS`() throws {
        var bench = try Bench("onuds?latency=0&ecus=1")
        _ = bench.ask("ATE0")
        #expect(bench.lines("0100") == ["SEARCHING...", "UNABLE TO CONNECT"])
        _ = bench.ask("ATSP6")
        #expect(bench.lines("22F810") == ["62 F8 10 01 "])
    }
}
