/// Reads the statements of the engine model.
///
///     physics air pressure sensor narrow cylinders 4
///     fault vacuum-leak 1.2g/s from 60s over 30s
///     sensor coolant offset -12 lag 5s
///     load lights 40A at 60s
extension VehicleReader {
    static let physicsWords: Set<String> = [
        "physics", "fault", "sensor", "spread", "ambient", "soak", "load",
    ]

    /// A statement of the engine model.
    mutating func readPhysicsStatement(_ keyword: String) throws(VehicleFileError) {
        if keyword == "ambient" { return try readAmbient() }
        if keyword == "physics" { return try readPhysics() }
        guard var spec = scenario.physics else {
            throw fault(.outside(keyword, of: "`physics`"))
        }
        switch keyword {
        case "fault": spec.faults.append(try engineFault(spec))
        case "sensor": spec.sensorFaults.append(try sensorFault())
        case "spread":
            spec.spread = UInt64(try whole("a seed", 0...Int.max))
            if words.first == "wide" {
                words.removeFirst()
                spec.spreadWidth = try ranged("the width of the tolerances", 0...3)
            }
        case "soak": spec.soak = try time("a time such as 8h") / 3600
        default: spec.loads.append(try load())
        }
        scenario.physics = spec
    }

    /// `ambient 5 height 1200`: °C, and the pressure of the standard atmosphere at a height in m.
    private mutating func readAmbient() throws(VehicleFileError) {
        scenario.powertrain.ambient = try ranged("a temperature", -50...60)
        guard words.first == "height" else { return }
        words.removeFirst()
        let height = try ranged("a height in m", -400...5000)
        scenario.powertrain.barometric = Self.pressure(height: height)
    }

    /// kPa of the standard atmosphere at a height in m.
    ///
    /// The exponent 5.256 is five and about a quarter: two square roots give the quarter.
    static func pressure(height: Double) -> Double {
        let base = 1 - 2.256e-5 * height
        let quarter = base.squareRoot().squareRoot()
        return 101.325 * base * base * base * base * base * quarter * (1 - 0.006 * (1 - base))
    }

    private mutating func readPhysics() throws(VehicleFileError) {
        guard scenario.physics == nil else { throw fault(.twice("`physics`")) }
        var spec = EngineSpec()
        while let name = words.popFirst() {
            switch name {
            case "cylinders": spec.cylinders = try whole("a number of cylinders", 1...12)
            case "air":
                let text = try word("meter or pressure")
                guard let found = EngineSpec.AirSensor(rawValue: text) else {
                    throw fault(.malformed(text, wanted: "meter or pressure"))
                }
                spec.airSensor = found
            case "oxygen":
                let text = try word("wide or narrow")
                guard let found = EngineSpec.MixtureSensor(rawValue: text) else {
                    throw fault(.malformed(text, wanted: "wide or narrow"))
                }
                spec.mixtureSensor = found
            case "volume": spec.manifoldVolume = try ranged("a volume in L", 0.5...30)
            case "ethanol": spec.ethanol = try ranged("a share in %", 0...85)
            case "thermostat": spec.thermostat = try ranged("a temperature", 60...110)
            case "catalyst": spec.catalyst = try ranged("grams of oxygen", 0.05...10)
            case "egr": spec.egrArea = try ranged("an area in mm2", 0...100)
            case "battery": spec.battery = try ranged("a capacity in Ah", 20...250)
            case "alternator": spec.alternator = try ranged("a current in A", 20...400)
            case "learnt": spec.isLearnt = true
            default:
                throw fault(
                    .unknownName(
                        String(name), of: "physics",
                        known: [
                            "cylinders", "air", "oxygen", "volume", "ethanol", "thermostat",
                            "catalyst", "egr", "battery", "alternator", "learnt",
                        ]))
            }
        }
        scenario.physics = spec
        physicsLine = line
    }

    /// `fault vacuum-leak 1.2g/s`, `fault misfire 2 30% from 60s over 20s`.
    private mutating func engineFault(_ spec: EngineSpec) throws(VehicleFileError) -> EngineFault {
        let name = try word("the name of a fault")
        guard let kind = EngineFault.Kind(rawValue: name) else {
            throw fault(
                .unknownName(name, of: "fault", known: EngineFault.Kind.allCases.map(\.rawValue)))
        }
        var cylinder = 0
        if kind.hasCylinder { cylinder = try whole("a cylinder", 1...spec.cylinders) }
        if kind == .egrStuck, spec.egrArea == 0 {
            throw fault(.impossible("an engine without `egr` in `physics` has no EGR valve"))
        }
        let unit = kind.unit
        let text = try word("an amount in \(unit.name)")
        let wanted = "an amount from 0 to \(Int(unit.limit)) with its unit \(unit.name)"
        let lowest = kind == .camShift ? -unit.limit : 0
        guard text.hasSuffix(unit.name),
            let amount = Double(text.dropLast(unit.name.utf8.count)), amount >= lowest,
            amount <= unit.limit
        else { throw fault(.malformed(text, wanted: wanted)) }
        if amount == 0, kind.mustFlow {
            throw fault(.malformed(text, wanted: "an amount above 0"))
        }
        var found = EngineFault(kind: kind, amount: amount, cylinder: cylinder)
        if words.first == "from" {
            words.removeFirst()
            found.begin = try time("a time such as 60s")
        }
        if words.first == "over" {
            words.removeFirst()
            found.rise = try time("a time such as 60s")
            if found.begin < 0 { found.begin = 0 }
        }
        return found
    }

    /// `sensor coolant gain 0.9 offset 3 lag 2s noise 0.5 stuck from 60s`.
    private mutating func sensorFault() throws(VehicleFileError) -> SensorFault {
        let name = try word("the quantity of a sensor")
        guard let sensor = SensorFault.Sensor(rawValue: name) else {
            throw fault(
                .unknownName(
                    name, of: "sensor", known: SensorFault.Sensor.allCases.map(\.rawValue)))
        }
        var found = SensorFault(sensor: sensor)
        guard !words.isEmpty else { throw fault(.missing("gain, offset, lag, noise or stuck")) }
        while let word = words.popFirst() {
            switch word {
            case "gain": found.gain = try ranged("a factor", -10...10)
            case "offset": found.offset = try ranged("a number", -1000...1000)
            case "lag": found.lag = try time("a time such as 2s")
            case "noise": found.noise = try ranged("a number", 0...1000)
            case "stuck":
                found.stuck = 0
                if words.first == "from" {
                    words.removeFirst()
                    found.stuck = try time("a time such as 60s")
                }
            case "from": found.begin = try time("a time such as 60s")
            default: throw fault(.unexpected(String(word)))
            }
        }
        return found
    }

    /// `load lights 40A at 60s until 200s`, `load compressor 12Nm`.
    private mutating func load() throws(VehicleFileError) -> EngineSpec.Load {
        _ = try word("the name of a load")
        let text = try word("a load such as 40A or 12Nm")
        var found = EngineSpec.Load()
        if let torque = Self.amount(text, "Nm", 0...60) {
            found.torque = torque
        } else if let current = Self.amount(text, "A", 0...300) {
            found.current = current
        } else {
            throw fault(.malformed(text, wanted: "a load such as 40A (to 300) or 12Nm (to 60)"))
        }
        if words.first == "at" {
            words.removeFirst()
            found.begin = try time("a time such as 60s")
        }
        if words.first == "until" {
            words.removeFirst()
            found.end = try time("a time such as 60s")
        }
        return found
    }

    private static func amount(
        _ text: String, _ unit: String, _ range: ClosedRange<Double>
    ) -> Double? {
        guard text.hasSuffix(unit) else { return nil }
        return Double(text.dropLast(unit.utf8.count)).flatMap { range.contains($0) ? $0 : nil }
    }

    private mutating func ranged(
        _ wanted: String, _ range: ClosedRange<Double>
    ) throws(VehicleFileError) -> Double {
        let text = words.first.map(String.init) ?? ""
        let value = try number(wanted)
        guard range.contains(value) else {
            let bounds = "from \(range.lowerBound.short) to \(range.upperBound.short)"
            throw fault(.malformed(text, wanted: "a number \(bounds)"))
        }
        return value
    }

    /// `500ms`, `20s`, `15min`, `8h`; unit of the result: seconds.
    private mutating func time(_ wanted: String) throws(VehicleFileError) -> Double {
        for (unit, seconds) in [("min", 60.0), ("h", 3600)] {
            if let text = words.first.map(String.init),
                let value = Self.amount(text, unit, 0...1e6)
            {
                words.removeFirst()
                return value * seconds
            }
        }
        return try duration(wanted).seconds
    }

    /// A step of the drive with its own word: `rev 25s 2500`, `key 10s`, `crank`, `pull 8s`, `coast 20s`;
    /// nil for a time and a speed.
    mutating func driveAction() throws(VehicleFileError) -> DriveCycle.Leg? {
        let actions: [Substring: DriveCycle.Action] = [
            "key": .key, "crank": .crank, "pull": .pull, "coast": .coast, "rev": .rev(0),
        ]
        guard let name = words.first, var action = actions[name] else { return nil }
        words.removeFirst()
        // The starter turns for three seconds at most.
        let seconds = action == .crank ? 3 : try duration("a time such as 8s").seconds
        if case .rev = action { action = .rev(try ranged("an engine speed", 400...6000)) }
        guard seconds > 0 else { throw fault(.impossible("a step takes more than 0 s")) }
        needsPhysics = needsPhysics ?? (String(name), line)
        return DriveCycle.Leg(seconds: seconds, speed: 0, action: action)
    }

    /// The rules that hold for a whole file with the engine model.
    func checkPhysics() throws(VehicleFileError) {
        guard scenario.physics != nil else {
            if let (word, line) = needsPhysics {
                throw fault(.impossible("`\(word)` needs the statement `physics`"), line: line)
            }
            return
        }
        let powertrain = scenario.powertrain
        let sound =
            powertrain.gears.allSatisfy { $0 > 5 && $0 < 400 }
            && (0.1...10).contains(powertrain.displacement)
            && (300...2000).contains(powertrain.idle) && (100...20_000).contains(powertrain.mass)
            && (50...110).contains(powertrain.barometric)
            && (-50...60).contains(powertrain.ambient)
        guard powertrain.kind == .spark else {
            throw fault(.impossible("`physics` needs `powertrain spark`"), line: physicsLine)
        }
        guard sound else {
            throw fault(
                .impossible(
                    "`physics` needs gears of 5 to 400 rpm per km/h, 0.1 to 10 L, an idle speed of 300 to 2000, 100 to 20000 kg, 50 to 110 kPa and -50 to 60 degrees"
                ), line: physicsLine)
        }
        let times = scenario.ecus.flatMap(\.faults.freezeFrames).map(\.elapsed)
        guard times.allSatisfy({ $0 <= EngineTrack.longest }) else {
            throw fault(
                .impossible("with `physics` a freeze frame is from the first 6 hours"),
                line: physicsLine)
        }
    }
}

extension Double {
    /// Without a fraction that is zero.
    fileprivate var short: String { self == rounded() ? String(Int(self)) : String(self) }
}
