import Accessory
import Adapters
import Diagnostics
import Foundation
import OBDCore
import ScanSession
import ScanTool
import Synchronization
import Testing

/// Keeps the reports of a search; the vehicle answers after the search has lasted for long.
private final class SearchNews: ScanObserver {
    let interests = ScanEvent.Kinds.progress
    private let peer: Peer
    private let all = Mutex<[ScanProgress]>([])

    init(_ peer: Peer) {
        self.peer = peer
    }

    var progress: [ScanProgress] { all.withLock { $0 } }

    func scan(_ event: ScanEvent, at time: Instant) {
        guard case .didProgress(let step) = event else { return }
        all.withLock { $0.append(step) }
        if step == .longSearch { peer.interject("\r7E8064100BE3EB811\r\r>") }
    }
}

/// An ELM327 with the answers of the data sheet, except the answers that a test gives it.
private func adapter(
    _ answers: @escaping @Sendable (String) -> Peer.Action?
) -> Peer {
    Peer(.line) { heard, _ in
        // The adapter ignores blanks.
        let command = heard.uppercased().filter { $0 != " " }
        if let action = answers(command) { return action }
        switch command {
        case "ATI", "ATZ", "ATWS": return .say("\r\rELM327 v1.5\r\r>")
        case "STI": return .say("?\r\r>")
        case "ATDPN": return .say("A6\r\r>")
        case "ATRV": return .say("12.6V\r\r>")
        // SAE J1979: the PIDs 01-20 of an engine, from the bits of BE 3E B8 11.
        case "0100": return .say("7E8064100BE3EB811\r\r>")
        default: return .say(command.hasPrefix("AT") ? "OK\r\r>" : "NO DATA\r\r>")
        }
    }
}

@Suite struct `A scan session with an ELM327` {
    private func session(
        _ peer: Peer, reconnect: SessionConfiguration.Reconnect = .never,
        observers: [any ScanObserver] = []
    ) throws(ScanError) -> ScanSession {
        var configuration = SessionConfiguration(connector: peer.connector)
        configuration.policy.repeatPause = .milliseconds(1)
        configuration.policy.firstPause = .milliseconds(1)
        configuration.reconnect = reconnect
        return try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
            observers: observers)
    }

    private func request(_ payload: [UInt8]) -> AdapterRequest {
        .vehicle(VehicleRequest(id: RequestID(rawValue: 0), payload: payload))
    }

    @Test func `a session sets the adapter up, reads, and leaves`() throws {
        let peer = adapter { $0.hasPrefix("010C") ? .say("7E804410C1AF8\r\r>") : nil }
        let session = try session(peer)
        let link = try #require(session.link)
        #expect(link.identity.banner == "ELM327 v1.5")
        #expect(link.capabilities.vehicleProtocol == .can11At500)
        #expect(session.memory.vehicleProtocol == .can11At500)
        let answer = try session.ask(request([0x01, 0x0C]))
        guard case .reading(let reading) = try #require(answer.items.first) else {
            Issue.record("\(answer.items)")
            return
        }
        #expect(reading.value == .number(1726))
        #expect(reading.ecu == ECUAddress(0x7E8, .can11))
        let voltage = try session.ask(
            .command(id: RequestID(rawValue: 0), text: "ATRV", mayRepeat: true))
        #expect(voltage.reply.voltage == 12.6)
        session.stop()
    }

    // Each word of the adapter with its status and the number of times that the request is sent
    // (ELM327 data sheet, error messages).
    @Test(arguments: [
        ("NO DATA", AdapterStatus.noData, 1),
        ("CAN ERROR", .canError, 1),
        ("UNABLE TO CONNECT", .unableToConnect, 1),
        ("BUS ERROR", .busError, 1),
        // These are repeated as often as the status allows. "?" may also mean that the request was
        // damaged.
        ("?", .unknownCommand, 2),
        ("STOPPED", .stopped, 2),
        ("BUFFER FULL", .bufferFull, 2),
        ("DATA ERROR", .dataError, 3),
        ("BUS BUSY", .busBusy, 3),
    ])
    func `a session returns the adapter's text as a status`(
        _ word: String, _ status: AdapterStatus, _ sendings: Int
    ) throws {
        let peer = adapter { $0.hasPrefix("010C") ? .say("\(word)\r\r>") : nil }
        let session = try session(peer)
        let answer = try session.ask(request([0x01, 0x0C]))
        #expect(answer.reply.statuses.last == status)
        #expect(answer.reply.messages.isEmpty)
        session.stop()
        #expect(peer.heard.filter { $0.hasPrefix("010C") }.count == sendings)
    }

    /// A header of 29 bits cannot be sent on a bus with 11 bits.
    @Test func `a session reports each request of a poll that cannot be sent once`() throws {
        let peer = adapter { $0.hasPrefix("010C") ? .say("7E804410C1AF8\r\r>") : nil }
        let witness = Witness()
        let session = try session(peer, observers: [witness])
        let other = ECUAddress(0x18DA_10F1, .can29)
        session.poll(
            PollPlan(
                wants: [
                    .init(DataID(.currentData, 0x0C), length: 2),
                    .init(DataID(.currentData, 0x0D), length: 1, target: other),
                    .init(DataID(.currentData, 0x11), length: 1, target: other),
                ], rounds: 2))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        let unsent = witness.events.compactMap { event -> [UInt8]? in
            if case .didNotSend(let request) = event { request.payload } else { nil }
        }
        // The two are tried together first, then each alone. After that they are not reported
        // again.
        #expect(unsent == [[0x01, 0x0D, 0x11], [0x01, 0x0D], [0x01, 0x11]])
        let report = try #require(session.report)
        #expect(report.plan.records.map(\.notSent) == [0, 2, 2])
        #expect(!peer.heard.contains { $0.hasPrefix("010D") || $0.hasPrefix("0111") })
    }

    @Test
    func `a session writes nothing without consent, even if a request is marked as repeatable`()
        throws
    {
        let peer = adapter { _ in nil }
        let session = try session(peer, reconnect: .always)
        let id = RequestID(rawValue: 0)
        let requests: [AdapterRequest] = [
            .vehicle(VehicleRequest(id: id, payload: [0x04], mayRepeat: true)),
            .command(id: id, text: "AT PP 0C SV 23", mayRepeat: true),
            .monitor(id: id, text: "AT PP 0C SV 23", atMost: .seconds(1)),
        ]
        for request in requests {
            #expect(throws: ScanError.refused(.needsConsent)) { try session.ask(request) }
        }
        _ = try? session.ask(self.request([0x01, 0x00]))
        session.stop()
        #expect(!peer.heard.contains { $0.hasPrefix("04") || $0.hasPrefix("AT PP") })
        #expect(peer.heard.last?.hasPrefix("0100") ?? false)
    }

    @Test(arguments: ["STOPPED", "BUFFER FULL", "DATA ERROR", "BUS BUSY", "LV RESET", "NO DATA"])
    func `a session sends a request to clear once, whatever the answer`(_ word: String) throws {
        let peer = adapter { $0.hasPrefix("04") ? .say("\(word)\r\r>") : nil }
        let session = try session(peer, reconnect: .always)
        let clear = VehicleRequest(
            id: RequestID(rawValue: 0), payload: [0x04], mayRepeat: true, consent: Consent())
        _ = try? session.ask(.vehicle(clear))
        // No later request may repeat the clear.
        _ = try? session.ask(request([0x01, 0x00]))
        session.stop()
        // A single carriage return makes a real adapter repeat its last command.
        let sent = peer.heard.filter { $0.hasPrefix("04") || $0.isEmpty }
        #expect(sent.count == 1)
    }

    @Test func `a session repeats a disturbed request and gets the answer`() throws {
        let count = Peer.Counter()
        let peer = adapter { command in
            guard command.hasPrefix("010C") else { return nil }
            return .say(count.next() == 1 ? "<RX ERROR\r\r>" : "7E804410C1AF8\r\r>")
        }
        let session = try session(peer)
        let answer = try session.ask(request([0x01, 0x0C]))
        session.stop()
        #expect(answer.reply.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
    }

    @Test(arguments: [SessionConfiguration.Reconnect.never, .always])
    func `a session reports at once that the vehicle does not answer`(
        _ reconnect: SessionConfiguration.Reconnect
    ) {
        let peer = adapter { $0 == "0100" ? .say("SEARCHING...\rUNABLE TO CONNECT\r\r>") : nil }
        #expect(throws: ScanError.initialisation(.noVehicle(.unableToConnect))) {
            _ = try session(peer, reconnect: reconnect)
        }
        #expect(peer.heard.filter { $0 == "0100" }.count == 1)
    }

    @Test
    func `a session reports a long search during the search, and accepts the late answer`() throws {
        let peer = adapter { $0 == "0100" ? .say("SEARCHING...") : nil }
        let news = SearchNews(peer)
        var configuration = SessionConfiguration(connector: peer.connector)
        configuration.longSearch = .zero
        let session = try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
            observers: [news])
        session.stop()
        #expect(news.progress == [.protocolSearch, .longSearch])
    }

    @Test
    func `a session without a vehicle continues on its link and in its recording`() throws {
        let peer = adapter { $0 == "0100" ? .say("UNABLE TO CONNECT\r\r>") : nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "obdscan-\(UUID())")
        let descriptor = open(file.path(), O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            try? FileManager.default.removeItem(at: file)
        }
        var configuration = SessionConfiguration(connector: peer.connector)
        configuration.vehicle = .optional
        configuration.queuedEvents = .all
        configuration.recordTo = descriptor
        let session = try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()))
        _ = try session.ask(.command(id: RequestID(rawValue: 0), text: "ATRV", mayRepeat: true))
        var events: [(time: Instant, event: ScanEvent)] = []
        session.nextEvents(&events)
        session.stop()
        #expect(events.count { $0.event == .toolDidConnect } == 1)
        #expect(
            events.contains {
                $0.event
                    == .didProgress(.setupGoesOn(after: .noVehicle(.unableToConnect)))
            })
        #expect(session.statistics.errors == 0)
        #expect(peer.heard.filter { $0 == "ATE0" }.count == 1)
        // The recording contains the search and everything after it.
        let transcript = try Transcript(parsing: try Data(contentsOf: file))
        let sent = transcript.chunks.filter { $0.direction == .toAdapter }.flatMap(\.bytes)
        let commands = String(decoding: sent, as: UTF8.self).split(separator: "\r").map(String.init)
        #expect(commands == peer.heard)
        #expect(commands.contains("0100") && commands.last == "ATRV")
    }

    /// Sends text on the session's own thread right after a reply is complete.
    ///
    /// So it is there before the next request is written.
    private final class Interjector: ScanObserver {
        let interests = ScanEvent.Kinds.requests
        let peer: Peer
        let words: String

        init(_ peer: Peer, _ words: String) {
            self.peer = peer
            self.words = words
        }

        func scan(_ event: ScanEvent, at time: Instant) {
            if case .didReceiveResponses = event { peer.interject(words) }
        }
    }

    // 0 rpm comes before each answer. The answer means 1726 rpm.
    @Test(arguments: [
        "7E804410C0000\r\r>", "7E804410C0000\r", "\r\r>7E804410C0000\r\r>",
        String(repeating: "7E804410C0000\r", count: 400),
    ])
    func `a session ignores bytes from before the request`(early: String) throws {
        let peer = adapter { $0.hasPrefix("010C") ? .say("7E804410C1AF8\r\r>") : nil }
        let witness = Witness()
        let store = try Store()
        var configuration = SessionConfiguration(connector: peer.connector)
        configuration.reconnect = .never
        let session = try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
            sinks: [store], observers: [witness, Interjector(peer, early)])
        session.poll(
            PollPlan(wants: [.init(DataID(.currentData, 0x0C), length: 2)], rounds: 20))
        #expect(try session.await { $0 == .pollDidFinish })
        let answer = try session.ask(request([0x01, 0x0C]))
        #expect(answer.reply.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
        session.stop()
        let values = store.take().flatMap(\.items).compactMap { item -> Reading.Value? in
            if case .reading(let reading) = item { reading.value } else { nil }
        }
        #expect(values.count >= 20)
        #expect(values.allSatisfy { $0 == .number(1726) }, "\(values)")
        #expect(session.statistics.unaskedBytes > 0)
        let unasked = witness.events.filter {
            if case .didReceiveUnasked = $0 { true } else { false }
        }
        #expect(unasked.count >= 20)
    }

    @Test func `an answer to another request, even twice, is not an answer`() throws {
        let peer = adapter { $0 == "03" ? .say("7E8024700\r\r>") : nil }
        let session = try session(peer)
        let error = #expect(throws: ScanError.self) { try session.ask(request([0x03])) }
        guard case .requestFailed(.outOfStep, let soFar) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(soFar.reply.messages.map(\.payload) == [[0x47, 0x00]])
        #expect(!soFar.items.contains { if case .code = $0 { true } else { false } })
        session.stop()
        #expect(peer.heard.filter { $0 == "03" }.count == 2)
        #expect(session.statistics.errors == 2)
    }

    @Test func `a session waits for the answer after response pending`() throws {
        // ISO 14229-1: 7F, the service, 78. Then the answer follows in the same reply.
        let peer = adapter { command in
            command.hasPrefix("0902")
                ? .say("7E8037F0978\r7E8034902\u{30}\u{31}\r\r>") : nil
        }
        let session = try session(peer)
        let answer = try session.ask(request([0x09, 0x02]))
        session.stop()
        #expect(answer.reply.messages.contains { $0.payload.first == 0x49 } == true)
        #expect(!answer.reply.messages.contains { $0.payload.first == 0x7F })
    }

    @Test func `a session polls in batches and splits the answers`() throws {
        let peer = adapter { command in
            command.hasPrefix("010C") ? .say("7E804410C1AF8\r\r>") : nil
        }
        let session = try session(peer)
        session.poll(
            PollPlan(wants: [.init(DataID(.currentData, 0x0C), length: 2)], rounds: 50))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(session.statistics.readings == 50)
    }

    /// Adapters that pass only single frames.
    ///
    /// Each one reports this in a different way.
    @Test(arguments: [
        "7E8100A410C1AF80D32\rBUFFER FULL\r\r>", "7E8100A410C1AF80D32\r\r>",
        "7E8100A410C1AF8<DATA ERROR\r\r>", "CAN ERROR\r\r>", "?\r\r>",
    ])
    func `a session polls single records if batches always fail`(_ words: String) throws {
        let peer = adapter { command in
            if command.hasPrefix("010C0D") { return .say(words) }
            if command.hasPrefix("010C") { return .say("7E804410C1AF8\r\r>") }
            return command.hasPrefix("010D") ? .say("7E803410D32\r\r>") : nil
        }
        let session = try session(peer)
        let wants: [PollPlan.Want] = [
            .init(DataID(.currentData, 0x0C), length: 2),
            .init(DataID(.currentData, 0x0D), length: 1),
        ]
        session.poll(PollPlan(wants: wants, rounds: 20))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(session.statistics.readings >= 19)
        // Two failures are enough. Each of the two requests is repeated at most twice.
        #expect(peer.heard.count { $0.hasPrefix("010C0D") } <= 6)
    }

    /// The vehicle is off from the 20th request until the third probe after that.
    @Test func `a session leaves a switched-off vehicle alone and continues later`() throws {
        let asked = Mutex(0)
        let peer = adapter { command in
            guard command.hasPrefix("010C") else { return nil }
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return .say((20..<30).contains(number) ? "NO DATA\r\r>" : "7E804410C1AF8\r\r>")
        }
        let session = try session(peer)
        var limits = BatteryGuard.Limits()
        limits.silence = .milliseconds(100)
        limits.firstPause = .milliseconds(50)
        limits.voltagePeriod = .milliseconds(200)
        limits.longestPause = .milliseconds(200)
        let want = PollPlan.Want(DataID(.currentData, 0x0C), length: 2, period: .milliseconds(10))
        var plan = PollPlan(wants: [want])
        plan.protectBattery(
            by: BatteryGuard(limits: limits),
            PollPlan.Motion(engineSpeed: [SignalIndex(rawValue: 0)], wants: [want]))
        session.poll(plan)
        var rest: BatteryGuard.Rest?
        #expect(
            try session.await { event in
                if case .scanDidRest(let begun) = event { rest = begun }
                return rest != nil
            })
        #expect(rest?.cause == .silence)
        #expect(rest?.voltage == 12.6)
        #expect(try session.await { if case .scanDidWake = $0 { true } else { false } })
        session.stop()
        let report = try #require(session.report)
        #expect(report.plan.rests == 1)
        #expect(report.plan.rested > .zero && report.time.idle > .zero)
        #expect(report.silent > 3)
        #expect(peer.heard.contains("ATRV"))
    }
}
