import OBDCore

/// Reads a vehicle file with one statement per line, beginning with a keyword.
///
///     vehicle : petrol car, 1.8 L
///     protocol 6
///     ecu ECM : Engine Control
///       address 10
///       pid 0C RPM 2 scale 1/4 = rpm
///       stored P0301
///
/// Statements belong to the last `ecu`; `signal` and similar statements belong to the last record.
struct VehicleReader {
    /// The destination of `signal`, `bytes` and `text`.
    enum Place {
        case pid, did, local, identification, group, broadcast
    }

    let file: String
    var scenario: Scenario
    var line = 0
    /// The words of the line that were not read yet.
    var words: ArraySlice<Substring> = []
    /// The text after ` : `, or in a `text` statement after the keyword.
    var prose: Substring = ""
    var place: Place?
    /// The line number of each ECU, for faults that are found at the end.
    var ecuLines: [Int] = []
    /// The line of `physics`.
    var physicsLine = 0
    /// The first step of the drive that needs `physics`, with its line.
    var needsPhysics: (word: String, line: Int)?
    private var hasTitle = false

    private init(file: String) {
        self.file = file
        scenario = Scenario(name: file, title: "")
    }

    /// Reads the vehicle in a file.
    static func scenario(
        in contents: [UInt8], file: String
    ) throws(VehicleFileError) -> Scenario {
        var reader = VehicleReader(file: file)
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw reader.fault(.notUTF8)
        }
        for line in text.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" })
        {
            reader.line += 1
            try reader.read(line)
        }
        try reader.finish()
        return reader.scenario
    }

    private mutating func read(_ text: Substring) throws(VehicleFileError) {
        var code = text[...]
        while let last = code.last, Self.isBlank(last) { code.removeLast() }
        while let first = code.first, Self.isBlank(first) { code.removeFirst() }
        guard let first = code.first, first != "#" else { return }
        prose = ""
        words = code.split(whereSeparator: Self.isBlank)[...]
        if let colon = words.firstIndex(of: ":") {
            prose =
                words.indices.contains(colon + 1)
                ? code[words[colon + 1].startIndex...] : ""
            words = words[..<colon]
        }
        let keyword = try word("a word")
        try readStatement(keyword)
        if let rest = words.first { throw fault(.unexpected(String(rest))) }
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r"
    }

    /// The words with which a line may begin, besides those of ECUs and of the engine model.
    static let plainWords: Set<String> = [
        "vehicle", "protocol", "powertrain", "gears", "shifts", "drive", "broadcast", "ecu",
        "signal", "bytes", "text",
    ]

    private mutating func readStatement(_ keyword: String) throws(VehicleFileError) {
        switch keyword {
        case "vehicle":
            guard !hasTitle else { throw fault(.twice("`vehicle`")) }
            guard !prose.isEmpty else { throw fault(.missing("` : ` and the vehicle's title")) }
            hasTitle = true
            scenario.title = String(prose)
        case "protocol":
            let text = try word("a protocol, 1 to A")
            guard let found = VehicleProtocol(text), SimulatorOptions.simulated.contains(found)
            else { throw fault(.malformed(text, wanted: "a protocol, 1 to A")) }
            scenario.vehicleProtocol = found
        case "powertrain": try readPowertrain()
        case "gears": scenario.powertrain.gears = try numbers()
        case "shifts": scenario.powertrain.shifts = try numbers()
        case "drive": try readDrive()
        case "broadcast": try readBroadcast()
        case "ecu": try readECU()
        case "signal", "bytes", "text": try readPart(keyword)
        case _ where Self.physicsWords.contains(keyword): try readPhysicsStatement(keyword)
        default: try readECUStatement(keyword)
        }
    }

    /// `powertrain spark displacement 1.8 idle 780 …`: the kind, then names and numbers.
    private mutating func readPowertrain() throws(VehicleFileError) {
        let kind = try word("spark, compression, hybrid or electric")
        guard let found = Powertrain.Kind(rawValue: kind) else {
            throw fault(.malformed(kind, wanted: "spark, compression, hybrid or electric"))
        }
        scenario.powertrain.kind = found
        while let name = words.popFirst() {
            let value = try number("the number after `\(name)`")
            switch name {
            case "displacement": scenario.powertrain.displacement = value
            case "idle": scenario.powertrain.idle = value
            case "mass": scenario.powertrain.mass = value
            case "torque": scenario.powertrain.referenceTorque = value
            case "ambient": scenario.powertrain.ambient = value
            case "barometric": scenario.powertrain.barometric = value
            case "odometer": scenario.powertrain.odometer = value
            case "fuel": scenario.powertrain.fuelLevel = value
            default:
                throw fault(
                    .unknownName(
                        String(name), of: "powertrain",
                        known: [
                            "displacement", "idle", "mass", "torque", "ambient", "barometric",
                            "odometer", "fuel",
                        ]))
            }
        }
    }

    /// `drive 8s 0 9s 48 …`: pairs of a duration and the speed at its end in km/h, and steps with a word of
    /// their own.
    private mutating func readDrive() throws(VehicleFileError) {
        var legs: [DriveCycle.Leg] = []
        while let time = words.first {
            if let step = try driveAction() {
                legs.append(step)
                continue
            }
            let seconds = try duration("a time such as 8s").seconds
            let speed = try number("the speed after `\(time)`")
            guard seconds > 0, (0...300).contains(speed) else {
                throw fault(
                    .impossible("a leg takes more than 0 s and ends between 0 and 300 km/h"))
            }
            legs.append(DriveCycle.Leg(seconds: seconds, speed: speed))
        }
        guard let last = legs.last, last.speed == 0, last.action != .pull, last.action != .coast
        else { throw fault(.impossible("a drive begins and ends at 0 km/h")) }
        var speed: Double? = 0
        for leg in legs {
            switch leg.action {
            case .speed: speed = leg.speed
            case .pull, .coast: speed = nil
            case .rev, .key, .crank:
                guard speed == 0 else {
                    throw fault(
                        .impossible("the speed before `rev`, `key` and `crank` is 0 km/h"))
                }
            }
        }
        scenario.cycle = DriveCycle(legs: legs)
    }

    /// `broadcast 0C9 every 10ms`.
    private mutating func readBroadcast() throws(VehicleFileError) {
        let id = try hex("a CAN identifier", digits: 3...8)
        try keyword("every")
        let period = try duration("a time such as 10ms")
        guard id < 0x2000_0000, period >= .milliseconds(1) else {
            throw fault(.impossible("an identifier has 29 bits, a period at least 1 ms"))
        }
        scenario.broadcasts.append(
            Scenario.Broadcast(record: DataRecord(id: id), period: period))
        place = .broadcast
    }

    private func finish() throws(VehicleFileError) {
        guard hasTitle else { throw fault(.missing("`vehicle : TITLE`")) }
        guard let engine = scenario.ecus.first else { throw fault(.missing("an ECU")) }
        let powertrain = scenario.powertrain
        if powertrain.kind != .electric {
            guard powertrain.gears.count == powertrain.shifts.count + 1, powertrain.idle > 0 else {
                throw fault(
                    .impossible("an engine has an idle speed, gears, and a shift between each two"))
            }
        }
        guard engine.isFunctional else {
            throw fault(.impossible("the first ECU must answer emissions requests"))
        }
        if scenario.ecus.count(where: \.isFunctional) > 8 {
            throw fault(.impossible("at most 8 ECUs answer emissions requests"))
        }
        try checkPhysics()
        try checkAddresses()
        for (ecu, line) in zip(scenario.ecus, ecuLines)
        where ecu.calibrations.count != ecu.verification.count {
            throw fault(.impossible("a calibration has a verification number"), line: line)
        }
    }

    private func checkAddresses() throws(VehicleFileError) {
        var bytes: Set<UInt8> = []
        var identifiers: Set<ECUAddress> = []
        for (ecu, line) in zip(scenario.ecus, ecuLines) {
            guard bytes.insert(ecu.address).inserted else {
                throw fault(.twice("address \(Hex.string([ecu.address]))"), line: line)
            }
            guard let can = ecu.can else { continue }
            guard identifiers.insert(can.request).inserted,
                identifiers.insert(can.answer).inserted
            else { throw fault(.twice("a CAN identifier of this ECU"), line: line) }
        }
    }
}

// Words and numbers.
extension VehicleReader {
    func fault(_ fault: VehicleFileError.Fault, line: Int? = nil) -> VehicleFileError {
        VehicleFileError(file: file, line: max(1, line ?? self.line), fault: fault)
    }

    mutating func word(_ wanted: String) throws(VehicleFileError) -> String {
        guard let word = words.popFirst() else { throw fault(.missing(wanted)) }
        return String(word)
    }

    /// A given word.
    mutating func keyword(_ keyword: String) throws(VehicleFileError) {
        let found = try word("`\(keyword)`")
        guard found == keyword else { throw fault(.malformed(found, wanted: "`\(keyword)`")) }
    }

    mutating func number(_ wanted: String) throws(VehicleFileError) -> Double {
        let text = try word(wanted)
        guard let value = Double(text), value.isFinite, abs(value) < 1e12 else {
            throw fault(.malformed(text, wanted: "a number"))
        }
        return value
    }

    /// All remaining numbers.
    mutating func numbers() throws(VehicleFileError) -> [Double] {
        var values: [Double] = []
        while !words.isEmpty { values.append(try number("a number")) }
        return values
    }

    /// A whole decimal number, or a hexadecimal one after `0x`.
    mutating func whole(_ wanted: String, _ range: ClosedRange<Int>) throws(VehicleFileError) -> Int
    {
        let text = try word(wanted)
        let value = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        guard let value, range.contains(value) else {
            throw fault(
                .malformed(text, wanted: "a number from \(range.lowerBound) to \(range.upperBound)")
            )
        }
        return value
    }

    /// Hexadecimal digits, this many of them.
    mutating func hex(
        _ wanted: String, digits: ClosedRange<Int>
    ) throws(VehicleFileError) -> UInt32 {
        let text = try word(wanted)
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ Hex.value($0) != nil }),
            let value = UInt32(text, radix: 16)
        else { throw fault(.malformed(text, wanted: wanted)) }
        return value
    }

    /// Two hexadecimal digits.
    mutating func byte(_ wanted: String) throws(VehicleFileError) -> UInt8 {
        UInt8(truncatingIfNeeded: try hex(wanted, digits: 2...2))
    }

    /// Pairs of hexadecimal digits to the end of the line.
    mutating func bytes() throws(VehicleFileError) -> [UInt8] {
        let text = words.joined()
        guard let bytes = Hex.bytes(text), !bytes.isEmpty else {
            throw fault(.malformed(text, wanted: "pairs of hexadecimal digits"))
        }
        words = []
        return bytes
    }

    /// `20ms`, `1.5s`.
    mutating func duration(_ wanted: String) throws(VehicleFileError) -> Duration {
        let text = try word(wanted)
        guard let value = SimulatorOptions.duration(text) else {
            throw fault(.malformed(text, wanted: "a time such as 20ms or 1.5s"))
        }
        return value
    }
}
