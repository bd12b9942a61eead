import Adapters
import Diagnostics
import OBDCore
import ScanTool
import Simulator
import SimulatorTestSupport
import Testing

@testable import VehicleScan

/// Answers that prove that a vehicle stands still, and answers that do not.
@Suite struct `Proof that a vehicle stands still` {
    private static func reply(
        _ text: String, _ statuses: [AdapterStatus] = [], group: UInt32? = nil
    ) throws -> Reply {
        var reply = Reply()
        for (number, part) in text.split(separator: ";").enumerated() {
            // A star repeats the ECU before.
            let isSame = part.first == "*"
            let ecu = isSame ? reply.messages.last?.ecu : ECUAddress(0x7E8 + UInt32(number), .can11)
            var message = ECUMessage(
                ecu: ecu, payload: try #require(Hex.bytes(part.drop { $0 == "*" })))
            message.parameterGroup = group
            reply.messages.append(message)
        }
        reply.statuses = statuses
        return reply
    }

    /// The result of an exchange, and the ECUs that prove standstill.
    private static func found(
        _ signal: StandstillSignal, _ reply: Reply, _ profile: DiagnosticProfile = .classicCAN
    ) -> (outcome: StandstillProof.Outcome, proven: String) {
        var proof = StandstillProof(signal)
        let outcome = proof.take(reply, profile)
        return (outcome, proof.proven.sorted().map(\.description).joined(separator: " "))
    }

    /// SAE J1979: 41 0C has two bytes, 41 0D has one.
    ///
    /// A refusal is 7F, the service, the reason.
    @Test(arguments: [
        (StandstillSignal.engineSpeed, "410C0000", StandstillProof.Outcome.clear, "7E8"),
        (.engineSpeed, "410C0000;410C0000", .clear, "7E8 7E9"),
        (.engineSpeed, "410C0C80", .moving, ""),
        (.engineSpeed, "410C0000;410C0C80", .moving, ""), (.engineSpeed, "410C0001", .moving, ""),
        (.engineSpeed, "7F0112;410C0000", .clear, "7E9"), (.engineSpeed, "7F0112", .clear, ""),
        (.engineSpeed, "", .clear, ""), (.engineSpeed, "410C00", .doubt(.unusable), ""),
        (.engineSpeed, "410C000000", .doubt(.unusable), ""),
        (.engineSpeed, "410D00", .doubt(.otherRequest), ""),
        (.engineSpeed, "410C0000;410500", .doubt(.otherRequest), ""),
        (.engineSpeed, "7F0411", .doubt(.otherRequest), ""),
        (.engineSpeed, "7F0178;*410C0000", .clear, "7E8"),
        (.engineSpeed, "410C0000;*410C0000", .clear, "7E8"),
        (.engineSpeed, "410C0000;*7F0122", .doubt(.contradiction), ""),
        (.engineSpeed, "7F0122;*410C0000;410C0000", .doubt(.contradiction), ""),
        (.engineSpeed, "410C0000;*410C0C80", .moving, ""),
        (.vehicleSpeed, "410D00", .clear, "7E8"), (.vehicleSpeed, "410D03", .moving, ""),
        (.vehicleSpeed, "410D", .doubt(.unusable), ""),
        (.vehicleSpeed, "410C0000", .doubt(.otherRequest), ""),
    ])
    func `the answers of SAE J1979 prove standstill`(
        signal: StandstillSignal, messages: String, outcome: StandstillProof.Outcome,
        proven: String
    ) throws {
        let found = Self.found(signal, try Self.reply(messages))
        #expect(found.outcome == outcome && found.proven == proven)
    }

    /// SAE J1979-2: 62 F4 0C.
    ///
    /// SAE J1939-71: EEC1 bytes 4 and 5, CCVS1 bytes 2 and 3.
    ///
    /// A value from FB00 on is not a number. SAE J1939-21: an acknowledgement with control byte 1 names
    /// the group that the ECU does not have.
    @Test(arguments: [
        (
            StandstillSignal.engineSpeed, "62F40C0000", DiagnosticProfile.onUDS, UInt32?.none,
            StandstillProof.Outcome.clear, "7E8"
        ),
        (.engineSpeed, "62F40C0C80", .onUDS, nil, .moving, ""),
        (.vehicleSpeed, "62F40D00", .onUDS, nil, .clear, "7E8"),
        (.vehicleSpeed, "7F2231", .onUDS, nil, .clear, ""),
        (.engineSpeed, "F07D7D0000FFFFFF", .j1939, 0xF004, .clear, "7E8"),
        (.engineSpeed, "F07D7D6810FFFFFF", .j1939, 0xF004, .moving, ""),
        (.engineSpeed, "FFFFFFFFFFFFFFFF", .j1939, 0xF004, .doubt(.unusable), ""),
        (.engineSpeed, "F07D7D00FBFFFFFF", .j1939, 0xF004, .doubt(.unusable), ""),
        (.engineSpeed, "F07D7DFFFAFFFFFF", .j1939, 0xF004, .moving, ""),
        (.engineSpeed, "F07D7D0100FFFFFF", .j1939, 0xF004, .moving, ""),
        (.engineSpeed, "F07D7D0000FFFFFF", .j1939, 0xF003, .doubt(.otherRequest), ""),
        (.vehicleSpeed, "FF0000FFFFFFFFFF", .j1939, 0xFEF1, .clear, "7E8"),
        (.vehicleSpeed, "FF0020FFFFFFFFFF", .j1939, 0xFEF1, .moving, ""),
        (.vehicleSpeed, "01FFFFFFF9F1FE00", .j1939, 0xE800, .clear, "7E8"),
        (.vehicleSpeed, "02FFFFFFF9F1FE00", .j1939, 0xE800, .clear, ""),
        (.vehicleSpeed, "03FFFFFFF9F1FE00", .j1939, 0xE800, .clear, ""),
        (.vehicleSpeed, "01FFFFFFF904F000", .j1939, 0xE800, .doubt(.otherRequest), ""),
    ])
    func `the answers of SAE J1979-2 and SAE J1939 prove standstill`(
        signal: StandstillSignal, messages: String, profile: DiagnosticProfile, group: UInt32?,
        outcome: StandstillProof.Outcome, proven: String
    ) throws {
        let found = Self.found(signal, try Self.reply(messages, group: group), profile)
        #expect(found.outcome == outcome && found.proven == proven)
    }

    @Test(arguments: AdapterStatus.allCases)
    func `text of an adapter proves nothing`(status: AdapterStatus) throws {
        for text in ["410C0000", ""] {
            let found = Self.found(.engineSpeed, try Self.reply(text, [status]))
            #expect(found.outcome == (status == .noData ? .clear : .doubt(.adapterSaid(status))))
        }
    }

    /// SAE J1979: the highest bit of the map in the answer to 00 is PID 01.
    ///
    /// So 0C is bit 20, and 0D is bit 19.
    @Test(arguments: [
        ("4100BE3EB811", "", ""), ("410080000000", "7E8", "7E8"), ("410000100000", "", "7E8"),
        ("410000080000", "7E8", ""), ("410080000000;410000100000", "7E8", "7E8 7E9"),
        ("7F0112", "", ""), ("", "", ""), ("41008000", "", ""), ("410500", "", ""),
        ("4105;410080000000", "7E9", "7E9"), ("410080000000;*410080000000", "7E8", "7E8"),
        ("410080000000;*4100BE3EB811", "-", "-"), ("410080000000;*7F0112", "-", "-"),
    ])
    func `a support map without the signal proves standstill of the map's ECU`(
        messages: String, engine: String, speed: String
    ) throws {
        for (signal, proven) in [(StandstillSignal.engineSpeed, engine), (.vehicleSpeed, speed)] {
            var proof = StandstillProof(signal)
            let outcome = proof.takeMaps(try Self.reply(messages), .classicCAN)
            #expect(outcome == (proven == "-" ? .doubt(.contradiction) : .clear))
            let found = proof.proven.sorted().map(\.description).joined(separator: " ")
            #expect(found == (proven == "-" ? "" : proven))
            let damaged = try Self.reply(messages, [.dataError])
            #expect(proof.takeMaps(damaged, .classicCAN) == .doubt(.adapterSaid(.dataError)))
        }
    }

    // MARK: Every link

    /// The answers of an ECU to requests for the signals and for its map.
    enum Kind: CaseIterable {
        case zero, lacking, zeroByIdentifier, lackingByIdentifier
        case moving, movingByIdentifier
        case silent, mute, refusing, short, foreign, differing, refusingThenZero

        /// Whether it proves that nothing moves.
        var isProof: Bool {
            switch self {
            case .zero, .lacking, .zeroByIdentifier, .lackingByIdentifier: true
            default: false
            }
        }

        /// Whether it only answers SAE J1979-2, which is on CAN and DoIP.
        var isOnUDS: Bool {
            switch self {
            case .zeroByIdentifier, .lackingByIdentifier, .movingByIdentifier: true
            default: false
            }
        }

        /// Whether the set-up of a session hears it.
        var answersMap: Bool { self != .mute && !isOnUDS }

        /// The payloads for a request with the data of a value that is zero.
        func answers(to request: String, zero: String) -> [String] {
            let isMap = request.hasSuffix("00")
            let isByIdentifier = request.hasPrefix("22")
            let positive = (isByIdentifier ? "62" : "41") + request.dropFirst(2)
            let refusal = "7F" + request.prefix(2) + "22"
            if isByIdentifier != isOnUDS { return [] }
            switch self {
            case .mute: return []
            case .lacking, .lackingByIdentifier: return isMap ? [positive + "80000000"] : []
            case _ where isMap: return [positive + "BE3EB811"]
            case .zero, .zeroByIdentifier: return [positive + zero]
            case .moving, .movingByIdentifier: return [positive + zero.dropLast(2) + "08"]
            case .silent: return []
            case .refusing: return [refusal]
            case .short: return [positive + zero.dropLast(2)]
            case .foreign: return ["410548"]
            case .differing: return [positive + zero, positive + zero.dropLast(2) + "08"]
            case .refusingThenZero: return [refusal, positive + zero]
            }
        }
    }

    /// A vehicle whose ECUs say this, after all of them have been heard.
    ///
    /// `speeds` is what they say about the vehicle's speed; nil = the same.
    private static func stand(
        _ address: String, _ kinds: [Kind], speeds: [Kind]? = nil
    ) throws -> Stand {
        var options = try SimulatorOptions(
            address + (address.contains("?") ? "&" : "?")
                + "latency=0&engine=off&ecus=\(kinds.count)")
        for (ecu, kind) in kinds.enumerated() {
            func script(_ request: String, _ answers: [String]) {
                options.scripted[.init(ecu, Hex.bytes(request) ?? [])] =
                    answers.compactMap { Hex.bytes($0) }
            }
            for (request, zero) in [
                ("0100", ""), ("010C", "0000"), ("010D", "00"), ("22F400", ""),
                ("22F40C", "0000"), ("22F40D", "00"),
            ] {
                let said = request.hasSuffix("0D") ? speeds?[ecu] ?? kind : kind
                script(request, said.answers(to: request, zero: zero))
            }
            script("0101", kind.isOnUDS ? [] : ["410100076500"])
            script("22F810", kind.isOnUDS ? ["62F81001"] : [])
        }
        var stand = try Stand(options)
        for request in kinds.contains(where: \.isOnUDS) ? ["0101", "22F810"] : ["0101"] {
            stand.submit(
                .vehicle(
                    VehicleRequest(
                        id: RequestID(rawValue: 1), payload: Hex.bytes(request) ?? [],
                        ending: .silence)))
        }
        return stand
    }

    /// The result of the check; nil = the vehicle proves that it stands still.
    private static func look(_ stand: inout Stand) -> VehicleError? {
        let capabilities = stand.machine.dialect.capabilities
        nonisolated(unsafe) var current = stand
        defer { stand = current }
        let check = StandstillCheck(capabilities, heard: { current.heard }) {
            (request) throws(VehicleError) in
            current.submit(.vehicle(request))
            guard case .answered(let reply)? = current.outcome else { return nil }
            return reply
        }
        do {
            try check.run()
            return nil
        } catch {
            return error
        }
    }

    /// Each dialect and link, in each family of protocols that it can have.
    static let links = [
        "petrol", "petrol?protocol=7", "petrol?personality=stn", "petrol?personality=clone-1.5",
        "petrol?protocol=3", "petrol?protocol=5", "petrol?protocol=2", "petrol?protocol=1",
        "petrol?personality=slcan", "petrol?personality=slcan-silent&protocol=7",
        "petrol?personality=slcan-z", "petrol?personality=can", "petrol?personality=can&protocol=9",
        "petrol?personality=doip", "petrol?personality=golink",
        "petrol?personality=golink&protocol=5",
    ]

    private static func isLegacy(_ link: String) -> Bool {
        ["protocol=1", "protocol=2", "protocol=3", "protocol=5"].contains { link.hasSuffix($0) }
    }

    /// Every pair of kinds, and triples by chance.
    private static func combinations(_ link: String) -> [[Kind]] {
        let kinds = Kind.allCases.filter { !isLegacy(link) || !$0.isOnUDS }
        var all = kinds.map { [$0] } + kinds.flatMap { one in kinds.map { [one, $0] } }
        var state = UInt64(link.utf8.reduce(0) { $0 &+ UInt64($1) })
        for _ in 0..<60 {
            all.append(
                (0..<3).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return kinds[Int(state >> 33) % kinds.count]
                })
        }
        // A vehicle without an answer at the set-up has no session.
        return all.filter { $0.contains(where: \.answersMap) }
    }

    @Test(arguments: links)
    func `every known ECU has to prove standstill`(link: String) throws {
        var faults: [String] = []
        for kinds in Self.combinations(link) {
            var stand = try Self.stand(link, kinds)
            guard stand.isIdle, stand.heard.ecus.count == kinds.count else {
                faults.append("\(kinds): only \(stand.heard.ecus.keys) were heard")
                continue
            }
            let error = Self.look(&stand)
            if kinds.allSatisfy(\.isProof) != (error == nil) {
                faults.append("\(kinds): \(error.map { "\($0)" } ?? "passes")")
            }
        }
        #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(10))")
    }

    /// With the engine off a vehicle may roll, and a vehicle that stands may have a running engine.
    @Test(arguments: links)
    func `standstill needs the engine's speed and the vehicle's`(link: String) throws {
        for kind in [Kind.moving, .silent, .refusing, .short, .foreign, .differing] {
            var rolling = try Self.stand(link, [.zero, .zero], speeds: [.zero, kind])
            let error = Self.look(&rolling)
            #expect(
                error?.signal == .vehicleSpeed, "\(kind): \(error.map { "\($0)" } ?? "passes")")
            var running = try Self.stand(link, [.zero, kind], speeds: [.zero, .zero])
            #expect(Self.look(&running)?.signal == .engineSpeed, "\(kind)")
        }
    }

    @Test func `the ECU that has not proven standstill is named`() throws {
        var stand = try Self.stand("petrol", [.zero, .silent])
        #expect(
            Self.look(&stand)
                == .standstillUnproven(.engineSpeed, .noProof(of: ECUAddress(0x7E9, .can11))))
    }

    /// The list of ECUs has a limit, and what the other ECUs say is not known.
    @Test func `a list of ECUs that is not complete proves nothing`() {
        var proof = StandstillProof(.engineSpeed)
        var heard = HeardECUs()
        func answer(_ count: UInt32) -> Reply {
            var reply = Reply()
            reply.messages = (0..<count).map {
                ECUMessage(
                    ecu: ECUAddress(0x18DA_0000 | $0, .can29), payload: [0x41, 0x0C, 0x00, 0x00])
            }
            return reply
        }
        heard.note(answer(1_024).messages, answering: [0x01, 0x0C], at: nil)
        #expect(proof.take(answer(1_025), .classicCAN) == .clear)
        #expect(proof.isComplete(heard))
        heard.note(answer(1_025).messages, answering: [0x01, 0x0C], at: nil)
        #expect(!proof.isComplete(heard))
    }

    /// Of two ECUs without an address, one reports zero and the other is silent.
    ///
    /// Both maps lack the signal, so one of the maps is not true.
    @Test func `support maps that a value without an address contradicts prove nothing`() {
        func reply(_ payloads: [UInt8]...) -> Reply {
            var reply = Reply()
            reply.messages = payloads.map { ECUMessage(ecu: nil, payload: $0) }
            return reply
        }
        let map: [UInt8] = [0x41, 0x00, 0x80, 0x00, 0x00, 0x00]
        var heard = HeardECUs()
        heard.note(reply(map, map).messages, answering: [0x01, 0x00], at: nil)
        var proof = StandstillProof(.engineSpeed)
        #expect(proof.take(reply([0x41, 0x0C, 0x00, 0x00]), .classicLegacy) == .clear)
        #expect(proof.takeMaps(reply(map, map), .classicLegacy) == .clear)
        #expect(!proof.isComplete(heard))
        var other = StandstillProof(.engineSpeed)
        #expect(other.takeMaps(reply(map, map), .classicLegacy) == .clear)
        #expect(other.isComplete(heard))
    }

    /// Without headers the ECU that answered is not known.
    @Test func `without addresses as many ECUs as were heard have to prove standstill`() throws {
        for kinds in Self.combinations("petrol?protocol=3") {
            var stand = try Self.stand("petrol?personality=clone-noheaders", kinds)
            #expect(stand.heard.ecus.isEmpty && stand.heard.unnamed == kinds.count)
            let isProven =
                kinds.allSatisfy { $0 == .zero } || kinds.allSatisfy { $0 == .lacking }
            let error = Self.look(&stand)
            #expect(isProven == (error == nil), "\(kinds): \(String(describing: error))")
        }
    }

    /// A gateway's user may have chosen the address of one ECU, or of a few.
    @Test(arguments: [UInt16(0x1018), 0x1010, 0xE401])
    func `at a chosen group of a gateway the other ECUs have to prove standstill, too`(
        functional: UInt16
    ) throws {
        for engine in ["0000", "0C80"] {
            var options = try SimulatorOptions("petrol?personality=doip&latency=0&engine=off")
            options.scripted[.init(0, [0x01, 0x0C])] = [Hex.bytes("410C" + engine) ?? []]
            options.scripted[.init(1, [0x01, 0x0C])] = [[0x41, 0x0C, 0x00, 0x00]]
            var stand = try Stand(
                options, doip: DoIPDialect.Options(functional: functional, vehicle: .unused))
            let error = Self.look(&stand)
            if engine == "0C80" {
                #expect(error == .inMotion(.engineSpeed))
            } else {
                #expect(error == nil)
            }
        }
    }

    /// The gateway has no group, so only one ECU was asked.
    @Test func `at a gateway without a group one ECU alone proves nothing`() throws {
        let reply = try Self.reply("410C0000")
        var unknown = Reply()
        unknown.statuses = [.unknownTarget]
        var heard = HeardECUs()
        heard.note(reply.messages, answering: [0x01, 0x0C], at: nil)
        var capabilities = LinkCapabilities(vehicleProtocol: .doip)
        let refused = unknown
        for groups in [[0xE400], [0xE400, 0xE401]] as [[UInt32]] {
            capabilities.everyECU = groups.map { ECUAddress($0, .logical) }
            let known = heard
            let check = StandstillCheck(capabilities, heard: { known }) { _ throws(VehicleError) in
                refused
            }
            #expect(
                throws: VehicleError.standstillUnproven(
                    .engineSpeed, .adapterSaid(.unknownTarget))
            ) { try check.run() }
        }
    }

    /// An ECU that only answers at its own address has to prove it there.
    @Test(arguments: [
        ("", false), ("410C0000", true), ("410C0C80", false), ("7F0111", false),
    ])
    func `ECUs that answer only alone have to prove standstill, too`(answer: String, passes: Bool)
        throws
    {
        // Position 2 is the brake control at 7B0 and 7B8.
        var options = try SimulatorOptions("petrol?latency=0&engine=off")
        for (pid, data) in [(UInt8(0x0C), "410C0000"), (0x0D, "410D00")] {
            let own = pid == 0x0C || !passes ? answer : data
            options.scripted[.init(2, [0x01, pid])] = [Hex.bytes(own) ?? []].filter { !$0.isEmpty }
        }
        var stand = try Stand(options)
        let target = ECUAddress(0x7B0, .can11)
        var request = VehicleRequest(
            id: RequestID(rawValue: 1), target: target, payload: [0x3E, 0x00])
        request.responders = .one(target.usualResponder)
        stand.submit(.vehicle(request))
        #expect(stand.heard.ecus[target.usualResponder] == .alone(at: target))
        #expect((Self.look(&stand) == nil) == passes)
    }

    /// SAE J1939: the engine's ECU has address 00.
    @Test(arguments: [
        ("F07D7D0000FFFFFF", true), ("F07D7D6810FFFFFF", false), ("", false),
        ("FFFFFFFFFFFFFFFF", false),
    ])
    func `every ECU of a lorry has to prove standstill`(engine: String, passes: Bool) throws {
        for link in ["truck?engine=off", "truck?engine=off&personality=slcan"] {
            var options = try SimulatorOptions(link + "&latency=0")
            options.scripted[.init(0, [0x04, 0xF0, 0x00])] =
                [Hex.bytes(engine) ?? []].filter { !$0.isEmpty }
            var stand = try Stand(options)
            #expect(stand.heard.ecus.count > 1)
            let error = Self.look(&stand)
            #expect((error == nil) == passes, "\(link): \(String(describing: error))")
        }
    }
}

extension VehicleError {
    /// The signal that is not zero, or not proven to be.
    fileprivate var signal: StandstillSignal? {
        switch self {
        case .inMotion(let signal), .standstillUnproven(let signal, _): signal
        default: nil
        }
    }
}
