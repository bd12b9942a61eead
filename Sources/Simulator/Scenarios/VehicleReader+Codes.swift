import OBDCore

/// Trouble codes and test results.
extension VehicleReader {
    /// Service 06 and 05: `test MID TID UAS value low high`, `legacy-test TID CID value limit`,
    /// `oxygen-test TID SENSOR values`.
    mutating func readTest(_ keyword: String, _ ecu: inout ECUModel) throws(VehicleFileError) {
        func count(_ value: Int) -> UInt16 { UInt16(truncatingIfNeeded: value) }
        switch keyword {
        case "test":
            ecu.monitorTests.append(
                ECUModel.MonitorTest(
                    mid: try byte("a monitor id"), tid: try byte("a test id"),
                    uas: try byte("a unit and scaling id"),
                    value: count(try whole("a value", -32_768...65_535)),
                    low: count(try whole("a lower limit", -32_768...65_535)),
                    high: count(try whole("an upper limit", -32_768...65_535))))
        case "legacy-test":
            ecu.legacyTests.append(
                ECUModel.LegacyTest(
                    tid: try byte("a test id"), component: try byte("a component id"),
                    value: count(try whole("a value", 0...65_535)),
                    limit: count(try whole("a limit", 0...65_535))))
        default:
            var test = ECUModel.OxygenTest(
                tid: try byte("a test id"), sensor: try byte("a sensor's bit"), data: [])
            while !words.isEmpty { test.data.append(UInt8(try whole("a value", 0...255))) }
            guard test.data.count == 1 || test.data.count == 3 else {
                throw fault(.missing("a value, or value, minimum and maximum"))
            }
            ecu.oxygenTests.append(test)
        }
    }

    /// `stored P0301 …`, `lamp off`, `freeze P0301 at 322s`, `freeze SPN110/FMI0 at 322s`, `code C0035-11 2F`,
    /// `active SPN110/FMI0 3 amber mil`.
    mutating func readCodes(
        _ keyword: String, _ faults: inout FaultMemory
    ) throws(VehicleFileError) {
        switch keyword {
        case "stored": faults.stored += try codes()
        case "pending":
            if isParameterFault {
                faults.maturing.append(try parameterFault())
            } else {
                faults.pending += try codes()
            }
        case "permanent":
            if isParameterFault {
                faults.lasting.append(try parameterFault())
            } else {
                faults.permanent += try codes()
            }
        case "lamp":
            let text = try word("on or off")
            guard text == "on" || text == "off" else {
                throw fault(.malformed(text, wanted: "on or off"))
            }
            faults.commandsLamp = text == "on"
        case "freeze" where isParameterFault:
            let code = try parameterCode()
            try self.keyword("at")
            faults.parameterFrames.append(
                FaultMemory.ParameterFrame(
                    code: code, elapsed: try duration("a time such as 322s").seconds))
        case "freeze":
            let code = try code()
            try self.keyword("at")
            faults.freezeFrames.append(
                FaultMemory.FreezeFrame(
                    dtc: code, elapsed: try duration("a time such as 322s").seconds))
        case "code":
            faults.detailed.append(
                FaultMemory.StatusCode(dtc: try code(), status: try byte("a status byte")))
        case "active": faults.active.append(try parameterFault())
        default: faults.inactive.append(try parameterFault())
        }
    }

    private var isParameterFault: Bool { words.first?.hasPrefix("SPN") ?? false }

    private mutating func code() throws(VehicleFileError) -> DTC {
        let text = try word("a code such as P0301")
        guard let code = DTC(text), code.code != 0 else {
            throw fault(.malformed(text, wanted: "a code such as P0301 or C0035-11"))
        }
        return code
    }

    private mutating func codes() throws(VehicleFileError) -> [DTC] {
        var list: [DTC] = []
        while !words.isEmpty { list.append(try code()) }
        guard list.count < 128 else { throw fault(.impossible("at most 127 codes fit")) }
        return list
    }

    private mutating func parameterCode() throws(VehicleFileError) -> J1939Code {
        let text = try word("a code such as SPN110/FMI0")
        guard let code = J1939Code(text) else {
            throw fault(.malformed(text, wanted: "a code such as SPN110/FMI0"))
        }
        return code
    }

    private mutating func parameterFault() throws(VehicleFileError) -> FaultMemory.ParameterFault {
        var code = try parameterCode()
        code.occurrenceCount = UInt8(try whole("how often it occurred", 0...127))
        var lamps: UInt8 = 0
        while let lamp = words.popFirst() {
            switch lamp {
            case "mil": lamps |= 0x40
            case "red": lamps |= 0x10
            case "amber": lamps |= 0x04
            case "protect": lamps |= 0x01
            default: throw fault(.malformed(String(lamp), wanted: "mil, red, amber or protect"))
            }
        }
        return FaultMemory.ParameterFault(code: code, lamps: lamps)
    }
}
