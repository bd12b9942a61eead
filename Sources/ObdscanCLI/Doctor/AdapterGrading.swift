import Adapters
import Diagnostics
import OBDCore
import ScanSession
import TripExport

/// What an adapter can do, found out by trying: `doctor --adapter`.
struct AdapterGrade: Hashable, Sendable {
    /// Times from request to prompt.
    struct RoundTrips: Hashable, Sendable {
        /// Unit: seconds.
        var p50: Double
        /// Unit: seconds.
        var p95: Double

        init?(_ times: [Double]) {
            guard !times.isEmpty else { return nil }
            let sorted = times.sorted()
            p50 = sorted[sorted.count / 2]
            p95 = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
        }
    }

    /// What was tried and what came of it; nil = could not be tried.
    struct Abilities: Hashable, Sendable {
        /// Whether answers carry the responder's address.
        var headers: Bool?
        /// Whether a count digit is understood and ends the wait.
        var countDigit: Bool?
        /// Whether one request may ask for several PIDs.
        var batches: Bool?
        /// Whether a message of several frames came whole.
        var longMessages: Bool?
    }

    /// The protocol string of what it speaks.
    var dialect: String
    /// What `AT I` printed.
    var banner: String?
    /// The claim against the answers.
    var verdict: AdapterVerdict
    /// The commands of the probe that were answered, of how many.
    var answered: Int
    /// Adapter commands, the prompt included.
    var commandTrips: RoundTrips?
    /// Single requests without a count digit.
    var plainTrips: RoundTrips?
    /// The same with a count digit.
    var countedTrips: RoundTrips?
    /// The longest message that came whole; unit: bytes.
    var longestAnswer: Int?
    /// What was tried.
    var abilities = Abilities()
}

extension AdapterGrade {
    /// Requests of each kind that are timed.
    private static let samples = 20

    /// Tries the adapter; the vehicle, where one answers, is only read.
    ///
    /// `map` asks for the vehicle's support map; nil = there is no vehicle.
    static func measure(
        _ connection: Connection, map: [UInt8]?
    ) throws(ScanError) -> AdapterGrade {
        var answered: Set<String> = []
        var times: [Double] = []
        let dialect = connection.scan.link?.dialect ?? ELM327Dialect.protocolString
        let probes = dialect == ELM327Dialect.protocolString ? AdapterProbe.all : []
        for probe in probes {
            let asked = try connection.command(probe.command)
            guard asked.problem == nil else { continue }
            times.append(asked.seconds)
            let lines = asked.answer.reply.rawLines(without: probe.command, banner: nil)
            if probe.isAnswered(by: lines) { answered.insert(probe.command) }
        }
        let identity = connection.scan.link?.identity
        var grade = AdapterGrade(
            dialect: dialect, banner: identity?.banner,
            verdict: AdapterVerdict(
                banner: identity?.banner, stnFirmware: identity?.stnFirmware, answered: answered),
            answered: answered.count, commandTrips: RoundTrips(times))
        if let map { try grade.measureVehicle(connection, map) }
        return grade
    }

    private mutating func measureVehicle(
        _ connection: Connection, _ map: [UInt8]
    ) throws(ScanError) {
        let plain = try Self.time(connection, map, frames: nil)
        guard let first = plain.answers.first else { return }
        plainTrips = RoundTrips(plain.seconds)
        abilities.headers = first.allSatisfy { $0.ecu != nil }
        let frames = first.reduce(0) { $0 + $1.frames }
        let counted = try Self.time(connection, map, frames: frames)
        countedTrips = RoundTrips(counted.seconds)
        let stillCounts = connection.scan.link?.capabilities.frameCountHelps ?? false
        abilities.countDigit =
            stillCounts && counted.answers.count == counted.seconds.count
            && counted.answers.allSatisfy { $0.count == first.count }
        if map == [0x01, 0x00] { abilities.batches = try measureBatch(connection, first) }
        try measureLongest(connection)
    }

    /// Two supported PIDs of the same ECU in one request.
    private func measureBatch(
        _ connection: Connection, _ maps: [ECUMessage]
    ) throws(ScanError) -> Bool? {
        guard connection.scan.link?.capabilities.vehicleProtocol?.family == .can,
            let map = maps.first(where: { $0.payload.count >= 6 })
        else { return nil }
        let supported = (1...32).filter { id in
            map.payload[2 + (id - 1) / 8] & 0x80 >> UInt8((id - 1) % 8) != 0
        }
        // Two whose records are known to be one byte each.
        let wanted = [0x04, 0x05, 0x0B, 0x0D, 0x0E, 0x0F, 0x11].filter(supported.contains)
        guard wanted.count >= 2 else { return nil }
        let ids = wanted.prefix(2).map { UInt8($0) }
        let asked = try connection.ask(
            .vehicle(connection.request([0x01] + ids, mayRepeat: false)))
        return asked.answer.reply.messages.contains { message in
            message.ecu == map.ecu && message.payload.count == 5
                && message.payload[0] == 0x41 && message.payload[1] == ids[0]
                && message.payload[3] == ids[1]
        }
    }

    private mutating func measureLongest(_ connection: Connection) throws(ScanError) {
        let isCAN = connection.scan.link?.capabilities.vehicleProtocol?.family == .can
        for payload: [UInt8] in [[0x09, 0x02], [0x09, 0x04], [0x09, 0x0A]] {
            let reply = try connection.ask(payload).answer.reply
            guard let longest = reply.messages.map(\.payload.count).max() else {
                if !reply.errors.isEmpty { abilities.longMessages = false }
                continue
            }
            longestAnswer = max(longestAnswer ?? 0, longest)
            if isCAN, longest > 7 { abilities.longMessages = abilities.longMessages ?? true }
            if !reply.errors.isEmpty { abilities.longMessages = false }
        }
    }

    private static func time(
        _ connection: Connection, _ payload: [UInt8], frames: Int?
    ) throws(ScanError) -> (seconds: [Double], answers: [[ECUMessage]]) {
        var seconds: [Double] = []
        var answers: [[ECUMessage]] = []
        for _ in 0..<samples {
            var request = connection.request(payload)
            request.expectedFrames = frames
            let asked = try connection.ask(.vehicle(request))
            seconds.append(asked.seconds)
            if asked.isPositive { answers.append(asked.answer.reply.messages) }
        }
        return (seconds, answers)
    }
}

extension Asked {
    /// From the request to the end of its answer; unit: seconds.
    fileprivate var seconds: Double { (answer.answered - answer.asked).seconds }
}

// How a grade is told.
extension AdapterGrade {
    /// Whether it speaks something else than an ELM327.
    private var isForeign: Bool { dialect != ELM327Dialect.protocolString }

    /// The claim and the answers in one sentence.
    var summary: String {
        let claim = verdict.claimed.map { "v\($0 / 10).\($0 % 10)" }
        let like = verdict.behavesLike.map { "it answers like v\($0 / 10).\($0 % 10)" }
        switch verdict.kind {
        case .genuine: return "answers everything that \(claim ?? "its firmware") has"
        case .stn: return "an STN chip: the ELM327 set and its own"
        case .clone:
            let count = verdict.missing.count
            let lacks = count == 0 ? nil : "lacks \(count) command\(count == 1 ? "" : "s")"
            let never = verdict.claimed == 15 ? "v1.5 was never made by Elm: a clone" : nil
            return [never ?? "claims \(claim ?? "?")", lacks, like]
                .compactMap(\.self).joined(separator: "; ")
        case .unknown where isForeign: return "speaks \(dialect), no AT commands"
        case .unknown:
            return ["does not say what it is", like].compactMap(\.self).joined(separator: "; ")
        }
    }

    var object: JSONObject {
        var object = JSONObject()
        object.add("kind", "adapterGrade")
        object.add("dialect", dialect)
        object.add("banner", banner)
        object.add("grade", verdict.kind.rawValue)
        object.add("summary", summary)
        object.add("commandsAnswered", answered)
        object.add("commandsProbed", isForeign ? 0 : AdapterProbe.all.count)
        object.add("missing", isForeign ? [] : verdict.missing)
        if let trips = commandTrips { object.add("commandRoundTrip", Self.object(trips)) }
        if let trips = plainTrips { object.add("roundTrip", Self.object(trips)) }
        if let trips = countedTrips { object.add("roundTripWithCount", Self.object(trips)) }
        object.add("headers", abilities.headers)
        object.add("countDigit", abilities.countDigit)
        object.add("batches", abilities.batches)
        object.add("longMessages", abilities.longMessages)
        object.add("longestAnswer", longestAnswer)
        return object
    }

    private static func object(_ trips: RoundTrips) -> JSONObject {
        var object = JSONObject()
        object.add("p50", trips.p50)
        object.add("p95", trips.p95)
        return object
    }

    func text(_ palette: Palette, columns: Int? = nil) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        rows.add(["Grade", .init("\(verdict.kind.rawValue): \(summary)", .bold)])
        if !isForeign {
            rows.add([
                "Commands", .init("\(answered) of \(AdapterProbe.all.count) probed are answered"),
            ])
        }
        if !isForeign, !verdict.missing.isEmpty {
            rows.add(["Missing", .init(verdict.missing.joined(separator: ", "))])
        }
        for (name, trips) in [
            ("Adapter command", commandTrips), ("Request", plainTrips),
            ("Request with count digit", countedTrips),
        ] {
            guard let trips else { continue }
            rows.add([
                .init(name),
                .init(
                    "\(fixed(trips.p50 * 1e3, 1)) ms, 95 % within \(fixed(trips.p95 * 1e3, 1)) ms"),
            ])
        }
        if let longestAnswer { rows.add(["Longest answer", .init("\(longestAnswer) bytes")]) }
        for (name, ability) in [
            ("Headers", abilities.headers), ("Count digit", abilities.countDigit),
            ("Several PIDs a request", abilities.batches),
            ("Messages of several frames", abilities.longMessages),
        ] {
            rows.add([.init(name), .init(ability.map { $0 ? "yes" : "no" } ?? "not tried")])
        }
        return rows.text(palette, columns: columns)
    }
}
