import Diagnostics
import OBDCore
import PIDTables
import Testing
import VehicleLink

@testable import Simulator

/// SAE J1939 in the form that an ELM327 shows.
///
/// Forms: ELM327 data sheet rev. J, "Using J1939". The data sheet's example is `6 0FECA 00 00 FF 00 00 00 00
/// FF FF`. Without headers it shows the length and numbered lines. Identifiers and the transport protocol:
/// SAE J1939-21. DM1, DM2, DM5, DM11: SAE J1939-73.
@Suite struct `The truck` {
    private func bench(_ settings: String...) throws -> Bench {
        var bench = try Bench("truck?latency=0&engine=off")
        for command in ["ATE0", "ATSPA", "ATH1"] + settings { _ = bench.ask(command) }
        return bench
    }

    @Test func `an ECU that has a parameter group answers a request to all`() throws {
        var bench = try bench()
        #expect(
            bench.lines("00FEEC") == [
                "7 0ECFF 00 20 12 00 03 FF EC FE 00 ", "7 0EBFF 00 01 34 58 58 42 44 35 54 ",
                "7 0EBFF 00 02 41 31 4E 58 30 30 30 ", "7 0EBFF 00 03 33 31 31 2A FF FF FF ",
            ])
        #expect(bench.adapter.requests.last?.header == "18EAFFF9")
        // On the bus the group number has its least significant byte first.
        #expect(bench.adapter.requests.last?.payload == [0xEC, 0xFE, 0x00])
        #expect(bench.lines("00F0A0") == ["NO DATA"])
        _ = bench.ask("ATJS")
        #expect(bench.lines("ECFE00").count == 4)
        #expect(bench.lines("00FEEC") == ["NO DATA"])
    }

    @Test func `headers are shown as on the bus, or not at all`() throws {
        var bench = try bench("ATJHF0")
        #expect(bench.lines("00FEEC").first == "1C EC FF 00 20 12 00 03 FF EC FE 00 ")
        _ = bench.ask("ATS0")
        #expect(bench.lines("00FEEC").last == "1CEBFF000333" + "31312AFFFFFF")
        _ = bench.ask("ATH0")
        #expect(
            bench.lines("00FEEC") == [
                "012", "01:34585842443554", "02:41314E58303030", "03:3331312AFFFFFF",
            ])
        _ = bench.ask("ATCAF0")
        #expect(bench.lines("00FEEC").first == "20120003FFECFE00")
    }

    @Test func `a single ECU answers its requester, or refuses`() throws {
        var bench = try bench("ATSHEA00F9")
        #expect(bench.lines("00FEEC").first == "7 0ECF9 00 10 12 00 03 FF EC FE 00 ")
        #expect(bench.lines("00FEF1") == ["6 0E8FF 00 01 FF FF FF F9 F1 FE 00 "])
        _ = bench.ask("ATSHEA0BF9")
        #expect(bench.lines("00FEF1").first?.hasPrefix("6 0FEF1 0B ") == true)
        _ = bench.ask("ATSH18EA55F9")
        #expect(bench.lines("00FEF1") == ["NO DATA"])
        #expect(bench.adapter.requests.last?.header == "18EA55F9")
    }

    /// DM1 of several ECUs, one of them long.
    ///
    /// J1939-73 puts the lamps first, then SPN, FMI and count.
    @Test func `codes of every ECU are listed, also after clearing`() throws {
        var bench = try bench()
        let lines = bench.lines("00FECA")
        #expect(lines.contains("6 0FECA 03 00 FF 00 00 00 00 FF FF "))
        // SPN 789 = 315h, FMI 5, seven times.
        #expect(lines.contains("6 0FECA 0B 04 FF 15 03 05 07 FF FF "))
        #expect(lines.first == "7 0ECFF 00 20 0A 00 02 FF CA FE 00 ")
        // SPN 110 = 6Eh FMI 0 three times; SPN 3216 = C90h FMI 4 twelve times; MIL and amber.
        #expect(lines.contains("7 0EBFF 00 01 44 FF 6E 00 00 03 90 "))
        #expect(lines.contains("7 0EBFF 00 02 0C 04 0C FF FF FF FF "))
        _ = bench.ask("ATSHEA00F9")
        #expect(bench.lines("00FED3") == ["6 0E8FF 00 00 FF FF FF F9 D3 FE 00 "])
        #expect(bench.lines("00FECA") == ["6 0FECA 00 00 FF 00 00 00 00 FF FF "])
        var running = try Bench("truck?latency=0")
        for command in ["ATE0", "ATSPA", "ATH1", "ATSHEA00F9"] { _ = running.ask(command) }
        #expect(running.lines("00FED3") == ["6 0E8FF 00 03 FF FF FF F9 D3 FE 00 "])
    }

    /// The ECUs with monitors answer DM6, DM28 and DM12.
    ///
    /// The others are silent (SAE J1939-73).
    @Test func `pending, permanent and emission-related codes are listed`() throws {
        var bench = try bench()
        #expect(
            bench.lines("00FECF") == [
                // SPN 3251 = CB3h FMI 16, once.
                "6 0FECF 00 00 FF B3 0C 10 01 FF FF ", "6 0FECF 3D 00 FF 00 00 00 00 FF FF ",
            ])
        #expect(bench.lines("00FD80").first == "6 0FD80 00 40 FF 90 0C 04 0C FF FF ")
        #expect(
            bench.lines("00FED4") == [
                "6 0FED4 00 44 FF 90 0C 04 0C FF FF ", "6 0FED4 3D 40 FF 0C 11 12 02 FF FF ",
            ])
        // Software identification: the number of parts, then the parts.
        #expect(bench.lines("00FEDA").count == 4)
        #expect(bench.lines("00FEDA")[1] == "7 0EBFF 00 01 01 4F 42 44 53 49 4D ")
    }

    /// DM4: length, code, torque mode, boost, speed, load, coolant, vehicle speed (SAE J1939-73).
    @Test func `freeze frames are listed`() throws {
        var bench = try bench()
        let lines = bench.lines("00FECD")
        #expect(lines.count == 5)
        #expect(lines.first == "7 0ECFF 00 20 1A 00 04 FF CD FE 00 ")
        #expect(lines[1].hasPrefix("7 0EBFF 00 01 0C 6E 00 00 03 F1 "))
        #expect(lines[2].hasSuffix(" 0C "))
        #expect(lines[3].hasPrefix("7 0EBFF 00 03 90 0C 04 0C F1 "))
    }

    /// ELM327 data sheet: MP takes four or six digits.
    ///
    /// One more digit counts whole messages. DM1 is MP FECA.
    @Test func `a single parameter group can be monitored`() throws {
        var bench = try bench()
        #expect(bench.lines("ATMPFEF12").count == 2)
        #expect(bench.lines("ATMP00FEF11").first?.hasPrefix("6 0FEF1 0B ") == true)
        let codes = bench.lines("ATMPFECA5")
        #expect(codes.count == 7)
        #expect(codes.count { $0.contains("0EBFF 00 ") } == 2)
        bench.adapter.receive(Array("ATDM1\r".utf8), at: bench.now)
        _ = bench.waiting(upTo: .milliseconds(2100))
        bench.adapter.receive([0x20], at: bench.now)
        #expect(bench.saying().hasSuffix("STOPPED↵↵>"))
        var car = try Bench("?latency=0")
        _ = car.ask("ATE0")
        #expect(car.lines("ATDM1") == ["?"])
    }

    /// The adapter's own search tries ISO 15765 and older protocols.
    ///
    /// J1939 must be set.
    @Test func `the adapter's search does not find SAE J1939`() throws {
        var bench = try Bench("truck?latency=0")
        _ = bench.ask("ATE0")
        #expect(bench.lines("0100") == ["SEARCHING...", "UNABLE TO CONNECT"])
        _ = bench.ask("ATSPA")
        #expect(bench.lines("ATDP") == ["SAE J1939 (CAN 29/250)"])
        #expect(bench.lines("00FEE5").count == 1)
    }

    @Test func `a car has no parameter groups`() throws {
        let options = try SimulatorOptions("?protocol=A")
        let fault = try #require(throws: SimulatorError.self) { try SimulatedVehicle(options) }
        #expect(fault.reason.hasPrefix("protocol=A: 1 to 9 (this vehicle"))
    }

    /// The formulas of the vehicle file must agree with the table of parameter groups.
    @Test func `decoded values equal the simulated values`() throws {
        let table = try PIDTables.standard()
        var decoder = ResponseDecoder(table: table, monitors: try PIDTables.monitorTables())
        var vehicle = try SimulatedVehicle(SimulatorOptions("truck"))
        var compared: Set<String> = []
        for second in stride(from: 0, to: 900, by: 31) {
            let elapsed = Duration.seconds(second)
            for meant in vehicle.values(after: elapsed) {
                guard table.record(meant.id, from: nil) != nil else { continue }
                let group = meant.id.id
                let onBus = [0, 8, 16].map { UInt8(truncatingIfNeeded: group >> $0) }
                let answer = try #require(
                    vehicle.answers(to: onBus, for: .one(meant.ecu), after: elapsed).first)
                let message = ECUMessage(
                    ecu: meant.ecu, payload: answer.payload, parameterGroup: group)
                var items: [DiagnosticItem] = []
                decoder.decode(
                    message, in: Exchange(request: onBus.reversed(), vehicleProtocol: .j1939),
                    &items)
                let values = items.compactMap { item -> Double? in
                    guard case .reading(let reading) = item,
                        table[reading.signal].id == meant.signal,
                        case .number(let number) = reading.value
                    else { return nil }
                    return number
                }
                #expect(values.count == 1, "\(meant.signal) \(Hex.string(answer.payload))")
                let distance = abs((values.first ?? .infinity) - meant.value)
                #expect(distance <= meant.step * 0.5 + 1e-6, "\(meant.signal) \(meant.value)")
                compared.insert(meant.signal)
            }
        }
        #expect(compared.count >= 30)
    }
}
