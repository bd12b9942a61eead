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

    @Test func `a small vehicle file is a complete vehicle`() throws {
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
        ("adress 10", "a line cannot begin with `adress`; did you mean `address`?"),
        ("powertrian spark", "a line cannot begin with `powertrian`; did you mean `powertrain`?"),
        ("fualt rust 1%", "a line cannot begin with `fualt`; did you mean `fault`?"),
        ("pid 0C RPM 2 scale 1/4 = rpn", "there is no quantity `rpn`; did you mean `rpm`?"),
        ("pid 0C RPM 2 = warp", "there is no quantity `warp`; obdscan-vehicle(5) lists them"),
        ("powertrain spark weight 1200", "`powertrain` has no `weight`, but ambient, barometric, "),
        ("powertrain spark displacment 2", "`powertrain` has no `displacment`; did you mean `disp"),
        ("physics cylinder 4", "`physics` has no `cylinder`; did you mean `cylinders`?"),
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
        ("physics", "`physics` needs `powertrain spark`"),
        ("physics air", "meter or pressure is missing"),
        ("physics air both", "`both` is not meter or pressure"),
        ("physics oxygen none", "`none` is not wide or narrow"),
        ("physics cylinders 13", "`13` is not a number from 1 to 12"),
        ("physics ethanol 100", "`100` is not a number from 0 to 85"),
        ("physics turbo", "`physics` has no `turbo`, but air, alternator, battery, catalyst"),
        ("physics\nphysics", "`physics` is there twice"),
        ("fault vacuum-leak 1g/s", "`fault` comes before the `physics` it belongs to"),
        ("physics\nfault rust 1%", "`fault` has no `rust`, but "),
        (
            "physics\nfault vacum-leak 1g/s",
            "`fault` has no `vacum-leak`; did you mean `vacuum-leak`?"
        ),
        ("physics\nfault vacuum-leak 1", "`1` is not an amount from 0 to 50 with its unit g/s"),
        ("physics\nfault vacuum-leak -1g/s", "`-1g/s` is not an amount from 0 to 50"),
        ("physics\nfault vacuum-leak nang/s", "`nang/s` is not an amount from 0 to 50"),
        ("physics\nfault misfire 5 10%", "`5` is not a number from 1 to 4"),
        ("physics\nfault fuel-pump 0g/s", "`0g/s` is not an amount above 0"),
        ("physics\nfault egr-stuck 10%", "without `egr` in `physics` has no EGR valve"),
        ("physics\nfault fan-off 100% from now", "`now` is not a time"),
        ("physics\nfault fan-off 100% later", "`later` is not allowed here"),
        ("physics\nsensor rpm gain 2", "`sensor` has no `rpm`, but "),
        ("physics\nsensor coolent gain 2", "`sensor` has no `coolent`; did you mean `coolant`?"),
        ("physics\nsensor coolant", "gain, offset, lag, noise or stuck is missing"),
        ("physics\nsensor coolant gain 99", "`99` is not a number from -10 to 10"),
        ("physics\nsensor coolant bent", "`bent` is not allowed here"),
        ("physics\nspread -1", "`-1` is not a number from 0"),
        ("physics\nspread 1 wide 4", "`4` is not a number from 0 to 3"),
        ("physics\nsoak long", "`long` is not a time"),
        ("physics\nload lights 40", "`40` is not a load such as 40A"),
        ("ambient 70", "`70` is not a number from -50 to 60"),
        ("ambient 20 height 9000", "`9000` is not a number from -400 to 5000"),
        ("drive rev 20s 2500", "`rev` needs the statement `physics`"),
        ("drive rev 20s 20000", "`20000` is not a number from 400 to 6000"),
        ("drive 8s 50 key 10s 8s 0", "the speed before `rev`, `key` and `crank` is 0 km/h"),
        ("drive 8s 50 pull 10s", "a drive begins and ends at 0"),
        ("drive coast", "a time such as 8s is missing"),
    ])
    func `an error in a vehicle file names its line`(statement: String, reason: String) throws {
        let fault = try #require(throws: VehicleFileError.self) {
            try reading(Self.head + statement + "\n")
        }
        #expect(fault.reason.contains(reason), "\(fault)")
        #expect(fault.file == "my.vehicle" && fault.line >= 3)
    }

    /// Every statement of the engine model.
    private static let physics = """
        physics air pressure oxygen narrow cylinders 3 volume 2 ethanol 10 thermostat 92 catalyst 1.2 egr 6 \
        battery 45 alternator 90 learnt
        ambient -5 height 2000
        soak 8h
        spread 7 wide 1.5
        load lights 20A at 60s until 2min
        load compressor 12Nm
        fault vacuum-leak 0.6g/s from 30s over 10s
        fault injector-flow 2 85%
        sensor coolant gain 0.9 offset 3 lag 2s noise 0.5 stuck from 1min from 20s
        drive key 4s crank 20s 0 rev 10s 2500 5s 0 10s 50 pull 5s coast 5s 10s 0

        """

    @Test func `the statements of the engine model in a vehicle file describe an engine`() throws {
        let petrol = String(decoding: try #require(Scenario.text(of: "petrol")), as: UTF8.self)
        let scenario = try reading(petrol + Self.physics)
        let spec = try #require(scenario.physics)
        #expect(spec.airSensor == .pressure && spec.mixtureSensor == .narrow)
        #expect(spec.cylinders == 3 && spec.manifoldVolume == 2 && spec.ethanol == 10)
        #expect(spec.thermostat == 92 && spec.catalyst == 1.2 && spec.egrArea == 6)
        #expect(spec.battery == 45 && spec.alternator == 90 && spec.isLearnt)
        #expect(spec.soak == 8 && spec.spread == 7 && spec.spreadWidth == 1.5)
        #expect(
            spec.loads == [
                EngineSpec.Load(current: 20, begin: 60, end: 120), EngineSpec.Load(torque: 12),
            ])
        #expect(
            spec.faults == [
                EngineFault(kind: .vacuumLeak, amount: 0.6, begin: 30, rise: 10),
                EngineFault(kind: .injectorFlow, amount: 85, cylinder: 2),
            ])
        #expect(
            spec.sensorFaults == [
                SensorFault(
                    sensor: .coolant, gain: 0.9, offset: 3, lag: 2, noise: 0.5, stuck: 60, begin: 20
                )
            ])
        #expect(scenario.powertrain.ambient == -5)
        // 79.5 kPa at 2,000 m in the standard atmosphere.
        #expect(abs(scenario.powertrain.barometric - 79.5) < 0.1)
        #expect(abs(VehicleReader.pressure(height: 0) - 101.325) < 0.01)
        #expect(abs(VehicleReader.pressure(height: 1000) - 89.87) < 0.1)
        let actions = scenario.cycle.legs.map(\.action)
        #expect(
            actions == [.key, .crank, .speed, .rev(2500), .speed, .speed, .pull, .coast, .speed])
    }

    /// Two lines turn an included car into one with a leak: its ECU adds fuel.
    @Test func `two lines in a vehicle file simulate a leak and its effect on the fuel trim`()
        throws
    {
        let petrol = String(decoding: try #require(Scenario.text(of: "petrol")), as: UTF8.self)
        func trim(_ lines: String) throws -> Double {
            let scenario = try reading(petrol + "drive 100s 0\n" + lines)
            var vehicle = try SimulatedVehicle(SimulatorOptions("x", vehicle: scenario))
            func percent(_ pid: UInt8) -> Double {
                let answers = vehicle.answers(
                    to: [1, pid], for: .everybody, after: .milliseconds(59_500))
                return Double(answers.first?.payload.last ?? 0) / 1.28 - 100
            }
            // Without the engine model the ECU tells that it has learnt 3.125 %.
            return percent(0x06) + percent(0x07)
        }
        #expect(abs(try trim("physics\n")) < 4)
        #expect(try trim("physics\nfault vacuum-leak 0.4g/s\n") > 10)
        #expect(try trim("") < 6)
    }

    @Test func `files that are not a vehicle are refused`() {
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
        for name in ["petrol", "truck", "physics"] {
            var text = try #require(Scenario.text(of: name == "physics" ? "petrol" : name))
            // The statements of the engine model are hit more often when they are nearly alone.
            if name == "physics" {
                text = text.prefix(600) + Array(("\necu E : x\n" + Self.physics).utf8)
            }
            let isModelled = name == "physics"
            for seed in 0..<(isModelled ? 40 : 150) as Range<UInt64> {
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
                _ = vehicle.values(after: .seconds(isModelled ? 12 : 100))
            }
        }
    }
}
