import OBDCore
import Testing

@testable import Simulator

@Suite struct `Vehicle files` {
    private static let head =
        "vehicle : my car\nprotocol 6\npowertrain electric\necu ECM : Engine\n"

    private func reading(_ text: String) throws(VehicleFileError) -> Scenario {
        try Scenario(contents: Array(text.utf8), file: "my.vehicle")
    }

    @Test(arguments: Scenario.names)
    func `every embedded file can be read`(name: String) throws {
        let scenario = try Scenario.embedded(name)
        #expect(scenario.name == name)
        #expect(!scenario.title.isEmpty && !scenario.ecus.isEmpty)
    }

    @Test func `a small file makes a vehicle`() throws {
        let text =
            Self.head + """
                  address 12
                  vin 5XXBD1GA8LX000042
                  pid 0D VSS 1 = 88
                  pid 33\r
                    bytes 01 02
                    signal - 2 scale 1/10 offset -40 little signed = 12.5 # no comment here
                """
        let fault = try #require(throws: VehicleFileError.self) { try reading(text) }
        #expect(fault.description == "my.vehicle:10: `#` is not allowed here")
        let mended = text.replacing(" # no comment here", with: "")
        let options = try SimulatorOptions("my.vehicle", vehicle: reading(mended))
        var vehicle = try SimulatedVehicle(options)
        #expect(vehicle.title.hasPrefix("my car; "))
        func answer(_ request: [UInt8]) -> [UInt8]? {
            vehicle.answers(to: request, for: .everybody, after: .zero).first?.payload
        }
        #expect(answer([1, 0x0D]) == [0x41, 0x0D, 88])
        // (12.5 + 40) * 10 = 525 = 20Dh, with the least significant byte first.
        #expect(answer([1, 0x33]) == [0x41, 0x33, 0x01, 0x02, 0x0D, 0x02])
        #expect(answer([9, 2])?.count == 20)
    }

    /// A wrong statement after a correct beginning, and the reason that is reported.
    @Test(arguments: [
        ("colour red", "a line cannot begin with `colour`"),
        ("pid 0C RPM 2 scale 1/4 = rpn", "there is no quantity `rpn`"),
        ("pid 0C RPM 2 scale 0 = rpm", "`0` is not a scale"),
        ("pid 0C RPM 9 = rpm", "`9` is not a number from 1 to 8"),
        ("pid 0C RPM", "the number of bytes is missing"),
        ("pid 0C RPM 2 = rpm * x", "`x` is not a number"),
        ("pid 0C RPM 2 = rpm 7", "`7` is not allowed here"),
        ("pid 20 X 1 = 1", "support maps, PIDs 01, 02 and 41 follow"),
        ("pid 1", "`1` is not a PID"),
        ("pid 0C\npid 0C", "record 0C is there twice"),
        ("signal X 1 = 2", "`signal` comes before the record it belongs to"),
        ("pid 0C bytes 1", "`1` is not pairs"),
        ("protocol B", "`B` is not a protocol, 1 to A"),
        ("answers maybe", "`maybe` is not obd, onuds, diagnostics or silent"),
        ("can 7E0 7E0", "two different identifiers"),
        ("vin 123", "`123` is not a VIN"),
        ("stored P0301 X", "`X` is not a code such as P0301"),
        ("active SPN1", "`SPN1` is not a code such as SPN110/FMI0"),
        ("active SPN110/FMI32 1", "`SPN110/FMI32` is not a code"),
        ("active SPN110/FMI1 128", "`128` is not a number from 0 to 127"),
        ("monitors spark boostPressure", "`boostPressure` is not a monitor of this kind"),
        ("incomplete catalyst", "only a monitor that is supported"),
        ("group FECA every 1s", "DM1, DM2, DM5, DM6, DM11, DM12, DM28 and the VIN"),
        ("group FEF1 every 0", "a period has at least 1 ms"),
        ("late 19 soon", "`soon` is not a time"),
        ("drive 8s", "the speed after `8s` is missing"),
        ("drive 8s 50", "a drive begins and ends at 0"),
        ("powertrain steam", "`steam` is not spark"),
        ("vehicle : another", "`vehicle` is there twice"),
        ("broadcast 0C9 every 10ms\nbytes 00 00 00 00 00 00 00 00 00", "at most 8 bytes"),
        ("ecu TCM", "` : ` and the ECU's name is missing"),
        ("ecu TCM : Gears\naddress 10", "address 10 is there twice"),
        ("answers silent", "the first ECU must answer emissions requests"),
        ("powertrain spark", "an engine has an idle speed, gears"),
    ])
    func `what is wrong is named with its line`(statement: String, reason: String) throws {
        let fault = try #require(throws: VehicleFileError.self) {
            try reading(Self.head + statement + "\n")
        }
        #expect(fault.reason.contains(reason), "\(fault)")
        #expect(fault.file == "my.vehicle" && fault.line >= 3)
    }

    @Test func `other files are refused`() {
        for (contents, reason) in [
            ([0xFF, 0xFE], "the text is not UTF-8"), ([], "`vehicle : TITLE` is missing"),
            (Array("ecu A : B\n".utf8), "`vehicle : TITLE` is missing"),
            (Array("vehicle : x\n".utf8), "an ECU is missing"),
            (Array("pid 0C\n".utf8), "`pid` comes before the `ecu`"),
        ] as [([UInt8], String)] {
            #expect {
                try Scenario(contents: contents, file: "x")
            } throws: { ($0 as? VehicleFileError)?.reason.contains(reason) == true }
        }
    }

    /// A file with any bytes gives a vehicle or an error, but never a crash.
    ///
    /// A vehicle that was read answers without a crash.
    @Test func `damaged files are read or refused`() throws {
        var noise = Noise(seed: 1)
        for name in ["petrol", "truck"] {
            let text = try #require(Scenario.text(of: name))
            for seed in 0..<150 as Range<UInt64> {
                noise.seed = seed
                var damaged = text
                for hit in 0..<(1 + seed % 4) {
                    let place = Int(
                        noise.fraction(channel: 1, index: hit) * Double(damaged.count - 1))
                    let kind = noise.fraction(channel: 2, index: hit)
                    if kind < 0.4 {
                        damaged[place] = UInt8(noise.fraction(channel: 3, index: hit) * 128)
                    } else if kind < 0.7 {
                        damaged.remove(at: place)
                    } else {
                        damaged.insert(contentsOf: Array("9".utf8), at: place)
                    }
                }
                guard let scenario = try? Scenario(contents: damaged, file: "x") else { continue }
                let options = try SimulatorOptions("x", vehicle: scenario)
                guard var vehicle = try? SimulatedVehicle(options) else { continue }
                for service in [0x01, 0x06, 0x09, 0x22] as [UInt8] {
                    for id in 0..<64 as Range<UInt8> {
                        let request = service == 0x22 ? [service, 0xF4, id] : [service, id]
                        _ = vehicle.answers(to: request, for: .everybody, after: .seconds(9))
                    }
                }
                _ = vehicle.values(after: .seconds(100))
            }
        }
    }
}
