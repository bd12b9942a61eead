import OBDCore

/// Reads the statements of an ECU.
extension VehicleReader {
    /// `ecu ECM : Engine Control`.
    mutating func readECU() throws(VehicleFileError) {
        let acronym = try word("the ECU's acronym")
        guard (1...8).contains(acronym.utf8.count) else {
            throw fault(.malformed(acronym, wanted: "an acronym of up to 8 letters"))
        }
        guard !prose.isEmpty else { throw fault(.missing("` : ` and the ECU's name")) }
        // 10, 18, 20, …: the address if the file does not set one.
        let address = UInt8(truncatingIfNeeded: 0x10 + scenario.ecus.count * 8)
        scenario.ecus.append(
            ECUModel(acronym: acronym, name: String(prose), address: address, vin: nil))
        ecuLines.append(line)
        place = nil
    }

    /// A statement of the last ECU.
    mutating func readECUStatement(_ keyword: String) throws(VehicleFileError) {
        guard Self.ecuWords.contains(keyword) else {
            throw fault(.unknownWord(keyword, meant: Self.meant(by: keyword)))
        }
        let last = scenario.ecus.count - 1
        guard last >= 0 else { throw fault(.outside(keyword, of: "`ecu`")) }
        if Self.recordWords.contains(keyword) {
            try readRecordStatement(keyword)
            return
        }
        var ecu = scenario.ecus[last]
        try readStatement(keyword, of: &ecu)
        scenario.ecus[last] = ecu
    }

    private mutating func readStatement(
        _ keyword: String, of ecu: inout ECUModel
    ) throws(VehicleFileError) {
        switch keyword {
        case "address": ecu.address = try byte("an address byte")
        case "can": try readIdentifiers(&ecu)
        case "answers": try readRole(&ecu)
        case "refuse":
            let service = try byte("a service")
            ecu.refusals[service] = try byte("a negative response code")
        case "late":
            let service = try byte("a service")
            ecu.late[service] = try duration("a time such as 800ms")
        case "padding": ecu.padding = try byte("a filler byte")
        case "vin": try readVIN(&ecu)
        case "calibration":
            let text = try word("a calibration identification")
            guard text.utf8.count <= 16 else {
                throw fault(.malformed(text, wanted: "a calibration of up to 16 characters"))
            }
            ecu.calibrations.append(text)
            ecu.verification.append(
                try hex("a verification number of 8 digits", digits: 8...8))
        case "in-use":
            while !words.isEmpty {
                ecu.inUse.append(UInt16(try whole("a count", 0...65_535)))
            }
        case "freeze-pids":
            while !words.isEmpty {
                ecu.freezePIDs.append(try hex("a PID", digits: 2...2))
            }
        case "monitors", "incomplete", "incomplete-this-cycle":
            try readMonitors(keyword, &ecu.readiness)
        case "test", "legacy-test", "oxygen-test": try readTest(keyword, &ecu)
        default: try readCodes(keyword, &ecu.faults)
        }
    }

    /// The word with which a line was probably meant to begin.
    private static func meant(by word: String) -> String? {
        nearestName(
            to: word, among: plainWords.union(ecuWords).union(physicsWords).sorted())
    }

    private static let recordWords: Set<String> = ["pid", "did", "local", "id", "group"]

    private static let ecuWords: Set<String> = recordWords.union([
        "active", "address", "answers", "calibration", "can", "code", "freeze", "freeze-pids",
        "in-use", "inactive", "incomplete", "incomplete-this-cycle", "lamp", "late", "legacy-test",
        "monitors", "oxygen-test", "padding", "pending", "permanent", "refuse", "stored", "test",
        "vin",
    ])

    private mutating func readRecordStatement(_ keyword: String) throws(VehicleFileError) {
        switch keyword {
        case "pid":
            let id = try hex("a PID", digits: 2...2)
            guard id & 0x1F != 0, id != 0x01, id != 0x02, id != 0x41 else {
                throw fault(
                    .impossible("support maps, PIDs 01, 02 and 41 follow from the other lines"))
            }
            try readRecord(id, in: .pid, at: \.records)
        case "did":
            try readRecord(
                try hex("a data identifier of 4 digits", digits: 4...4), in: .did, at: \.identifiers
            )
        case "local":
            try readRecord(
                try hex("a local identifier", digits: 2...2), in: .local, at: \.localIdentifiers)
        case "id":
            try readRecord(
                try hex("an identification option", digits: 2...2), in: .identification,
                at: \.identification)
        default: try readGroup()
        }
    }

    /// `group F004 every 20ms`, `group FEE5`.
    private mutating func readGroup() throws(VehicleFileError) {
        let last = scenario.ecus.count - 1
        let id = try hex("a parameter group number", digits: 4...6)
        guard id <= 0x3_FFFF, !Self.computedGroups.contains(id) else {
            throw fault(
                .impossible(
                    "DM1, DM2, DM5, DM6, DM11, DM12, DM28 and the VIN follow from the other lines"))
        }
        guard !scenario.ecus[last].groups.contains(where: { $0.record.id == id }) else {
            throw fault(.twice("group \(Hex.string(id, digits: 4))"))
        }
        var group = ECUModel.ParameterGroup(record: DataRecord(id: id))
        if words.first == "every" {
            words.removeFirst()
            let period = try duration("a time such as 100ms")
            guard period >= .milliseconds(1) else {
                throw fault(.impossible("a period has at least 1 ms"))
            }
            group.period = period
        }
        if words.first == "priority" {
            words.removeFirst()
            group.priority = UInt8(try whole("a priority", 0...7))
        }
        scenario.ecus[last].groups.append(group)
        place = .group
        try readPartOnLine()
    }

    private static let computedGroups: Set<UInt32> = [
        0xFECA, 0xFECB, 0xFECE, 0xFECF, 0xFED3, 0xFED4, 0xFD80, 0xFEEC,
    ]

    /// `can 7B0 7B8`, `can 17FC007B 17FE007B`, `can 6F1/07 607/F1`.
    private mutating func readIdentifiers(_ ecu: inout ECUModel) throws(VehicleFileError) {
        let request = try identifier("a request identifier of 3 or 8 digits")
        let answer = try identifier("an answer identifier of 3 or 8 digits")
        guard request.form == answer.form, request != answer,
            (request.extended == nil) == (answer.extended == nil)
        else {
            throw fault(.impossible("two different identifiers of the same kind are needed"))
        }
        ecu.can = ECUModel.Identifiers(request: request, answer: answer)
    }

    private mutating func identifier(_ wanted: String) throws(VehicleFileError) -> ECUAddress {
        let text = try word(wanted)
        guard let address = ECUAddress(text), address.form != .byte else {
            throw fault(.malformed(text, wanted: wanted))
        }
        return address
    }

    private mutating func readRole(_ ecu: inout ECUModel) throws(VehicleFileError) {
        let text = try word("obd, onuds, diagnostics or silent")
        guard let role = ECUModel.Role(rawValue: text) else {
            throw fault(.malformed(text, wanted: "obd, onuds, diagnostics or silent"))
        }
        ecu.role = role
    }

    private mutating func readVIN(_ ecu: inout ECUModel) throws(VehicleFileError) {
        let text = try word("a vehicle identification number")
        guard let number = VIN(text) else {
            throw fault(
                .malformed(text, wanted: "a VIN: 17 letters and digits without I, O and Q"))
        }
        ecu.vin = number.text
    }

    /// `monitors spark misfire catalyst …`, `incomplete catalyst …`.
    private mutating func readMonitors(
        _ keyword: String, _ readiness: inout ECUModel.Readiness
    ) throws(VehicleFileError) {
        if keyword == "monitors", let kind = words.first,
            kind == "spark" || kind == "compression"
        {
            words.removeFirst()
            readiness.compression = kind == "compression"
        }
        while let name = words.popFirst() {
            if keyword == "monitors", let bit = Self.continuous.firstIndex(of: String(name)) {
                readiness.continuous |= 1 << UInt8(bit)
                continue
            }
            let names = readiness.compression ? Self.compression : Self.spark
            guard let bit = names.firstIndex(of: String(name)) else {
                throw fault(
                    .malformed(
                        String(name), wanted: "a monitor of this kind of engine"))
            }
            let mask = UInt8(1) << UInt8(bit)
            switch keyword {
            case "monitors": readiness.supported |= mask
            case "incomplete": readiness.incomplete |= mask
            default: readiness.incompleteThisCycle |= mask
            }
            guard keyword == "monitors" || readiness.supported & mask != 0 else {
                throw fault(.impossible("only a monitor that is supported can be incomplete"))
            }
        }
    }

    private static let continuous = ["misfire", "fuelSystem", "components"]
    /// Byte C of PID 01, bit 0 first.
    private static let spark = [
        "catalyst", "heatedCatalyst", "evaporative", "secondaryAir", "gpfOrACRefrigerant",
        "oxygenSensor", "oxygenSensorHeater", "egrVvt",
    ]
    private static let compression = [
        "nmhcCatalyst", "noxSCR", "", "boostPressure", "", "exhaustGasSensor", "pmFilter",
        "egrVvt",
    ]
}
