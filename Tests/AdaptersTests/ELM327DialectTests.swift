import Adapters
import OBDCore
import Testing
import VehicleLink

/// Plays an adapter: it answers each command from a table, in pieces of a given size.
struct ScriptedAdapter {
    /// Commands without blanks, and their replies without prompt.
    ///
    /// Other commands get `?`.
    var answers: [String: String]
    /// Commands and their replies in order.
    ///
    /// The last reply repeats.
    var series: [String: [String]] = [:]
    /// The number of bytes per piece; 0 = all at once.
    var piece = 0
    var echo = false
    /// Commands that get no answer.
    var deaf: Set<String> = []
    var dialect: ELM327Dialect
    var outputs: [DialectOutput] = []
    var written: [[UInt8]] = []
    private var armed: [DialectTimer] = []

    init(_ answers: [String: String], _ options: ELM327Dialect.Options = .init()) {
        self.answers = answers
        dialect = ELM327Dialect(options)
    }

    /// An adapter that knows every setting, with a vehicle on 11-bit CAN.
    static func genuine(_ more: [String: String] = [:]) -> ScriptedAdapter {
        var table = [
            "ATI": "ELM327 v1.5", "ATDPN": "A6", "0100": "7E8064100BE3EB813",
            "010C": "7E804410C1AF8", "010C1": "7E804410C1AF8", "ATRV": "12.6V",
        ]
        for command in [
            "ATD", "ATE0", "ATL0", "ATS0", "ATH1", "ATSP0", "ATSP6", "ATSPA6", "ATSH7E0", "ATSH7DF",
            "ATSTFF", "ATST32",
        ] {
            table[command] = "OK"
        }
        for (command, reply) in more { table[command] = reply }
        return ScriptedAdapter(table)
    }

    mutating func initialise() {
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        take(out)
    }

    mutating func send(_ request: AdapterRequest) {
        var out: [DialectOutput] = []
        dialect.send(request, &out)
        take(out)
    }

    mutating func send(_ request: AdapterRequest, isReadOnly: Bool) {
        var out: [DialectOutput] = []
        dialect.send(request, isReadOnly: isReadOnly, &out)
        take(out)
    }

    mutating func receive(_ text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        let step = piece > 0 ? piece : max(1, bytes.count)
        while start < bytes.count {
            var out: [DialectOutput] = []
            dialect.receive(Array(bytes[start..<min(start + step, bytes.count)]), &out)
            start += step
            take(out)
        }
    }

    /// Lets the timer expire that was armed last.
    mutating func timeOut() {
        guard let timer = armed.popLast() else { return }
        var out: [DialectOutput] = []
        dialect.expired(timer, &out)
        take(out)
    }

    /// Lets `count` timers expire, one after the other.
    mutating func timeOut(_ count: Int) {
        for _ in 0..<count { timeOut() }
    }

    private mutating func take(_ out: [DialectOutput]) {
        // Answer only after all outputs are handled.
        var unanswered: [[UInt8]] = []
        defer { for bytes in unanswered { answer(bytes) } }
        for output in out {
            switch output {
            case .write(let bytes):
                written.append(bytes)
                unanswered.append(bytes)
            case .arm(let timer, _):
                armed.removeAll { $0 == timer }
                armed.append(timer)
            case .disarm(let timer): armed.removeAll { $0 == timer }
            case .disarmAll: armed = []
            case .message, .linkError, .status, .text, .voltage, .frame, .notice, .ready,
                .initialisationFailed, .end, .lineRate, .filter:
                outputs.append(output)
            }
        }
    }

    private mutating func answer(_ bytes: [UInt8]) {
        guard bytes.last == 0x0D else { return }
        let command = String(decoding: bytes.dropLast(), as: UTF8.self)
        if deaf.contains(command) || deaf.contains("*") { return }
        var reply = answers[command] ?? "?"
        if let next = series[command]?.first {
            reply = next
            if (series[command]?.count ?? 0) > 1 { series[command]?.removeFirst() }
        }
        receive((echo ? command + "\r" : "") + reply + "\r\r>")
    }

    /// Whether no timer is armed.
    var isAtRest: Bool { armed.isEmpty }

    /// Lets this timer expire.
    mutating func timeOut(_ timer: DialectTimer) {
        armed.removeAll { $0 == timer }
        var out: [DialectOutput] = []
        dialect.expired(timer, &out)
        take(out)
    }

    var isReady: Bool {
        outputs.contains { if case .ready = $0 { true } else { false } }
    }

    var failure: InitialisationFailure? {
        for case .initialisationFailed(let failure) in outputs { return failure }
        return nil
    }

    var messages: [ECUMessage] {
        outputs.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var statuses: [AdapterStatus] {
        outputs.compactMap { if case .status(let status) = $0 { status } else { nil } }
    }

    var ends: [ExchangeEnd] {
        outputs.compactMap { if case .end(let end) = $0 { end } else { nil } }
    }

    var commands: [String] {
        written.map { String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self) }
    }
}

func ask(
    _ payload: [UInt8], frames: Int? = nil, target: ECUAddress? = nil
) -> AdapterRequest {
    .vehicle(
        VehicleRequest(
            id: RequestID(rawValue: 1), target: target, payload: payload, expectedFrames: frames))
}

@Suite struct `ELM327 dialect` {
    /// The gate judges a request once, and the dialect uses that judgement.
    @Test(arguments: [(true, []), (false, ["ATI"])])
    func `a harmless command follows a request that may write`(
        isReadOnly: Bool, cover: [String]
    ) {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        let before = adapter.written.count
        adapter.send(ask([0x01, 0x0C]), isReadOnly: isReadOnly)
        #expect(Array(adapter.commands.dropFirst(before)) == ["010C"] + cover)
        #expect(adapter.ends == [.complete])
    }

    @Test func `an adapter is set up and the vehicle is found`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.banner == "ELM327 v1.5")
        #expect(adapter.dialect.identity.vehicleProtocol == .can11At500)
        #expect(adapter.dialect.identity.protocolWasSearched)
        #expect(adapter.dialect.capabilities.itemsPerRequest == 6)
        #expect(
            adapter.commands == [
                "ATD", "ATE0", "ATS0", "ATH1", "ATI", "STI", "ATSP0", "0100", "ATDPN",
            ])
    }

    @Test func `bytes without an end of line are not silence`() {
        var adapter = ScriptedAdapter([:])
        adapter.deaf = ["*"]
        adapter.initialise()
        adapter.receive("41 0C 1A F8 ")
        adapter.timeOut(4)
        #expect(adapter.failure == .notUnderstood(received: 12))
    }

    @Test func `an adapter that sends line feeds is ordered to stop them`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.answers["ATD"] = "OK\n"
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.commands.prefix(3) == ["ATD", "ATE0", "ATL0"])
    }

    /// Remembered values save questions only if the adapter and the vehicle give the same answers
    /// again.
    @Test(arguments: [
        ("ELM327 v1.5", "7E8064100BE3EB813", ["ATI", "ATSPA6", "0100"]),
        ("ELM327 v1.5", "SEARCHING...\r7E8064100BE3EB813", ["ATI", "ATSPA6", "0100", "ATDPN"]),
        ("ELM327 v2.1", "7E8064100BE3EB813", ["ATI", "STI", "ATSPA6", "0100"]),
    ])
    func `a remembered adapter gets fewer commands`(banner: String, answer: String, tail: [String])
    {
        var adapter = ScriptedAdapter.genuine()
        adapter.answers["ATI"] = banner
        adapter.answers["0100"] = answer
        adapter.dialect = ELM327Dialect(
            .init(
                rememberedProtocol: .can11At500,
                rememberedIdentity: AdapterIdentity(
                    banner: "ELM327 v1.5", stnFirmware: "STN1110 v4.2.1")))
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.commands == ["ATD", "ATE0", "ATS0", "ATH1"] + tail)
        #expect(adapter.dialect.identity.vehicleProtocol == .can11At500)
        #expect(
            adapter.dialect.identity.stnFirmware
                == (tail.contains("STI") ? nil : "STN1110 v4.2.1"))
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64])
    func `pieces of any size give the same result`(piece: Int) {
        var whole = ScriptedAdapter.genuine()
        var split = ScriptedAdapter.genuine()
        split.piece = piece
        for step in 0..<2 {
            if step == 0 {
                whole.initialise()
                split.initialise()
            } else {
                whole.send(ask([0x01, 0x0C]))
                split.send(ask([0x01, 0x0C]))
            }
        }
        #expect(whole.outputs == split.outputs)
        #expect(whole.written == split.written)
    }

    @Test func `an adapter that refuses half of the set-up still works`() {
        var adapter = ScriptedAdapter.genuine()
        for command in ["ATS0", "ATL0", "ATDPN", "ATD"] { adapter.answers[command] = nil }
        adapter.echo = true
        adapter.answers["0100"] = "SEARCHING...\r7E8 06 41 00 BE 3E B8 13 "
        adapter.answers["010C"] = "7E8 04 41 0C 1A F8 "
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.vehicleProtocol == .can11At500)
        #expect(adapter.dialect.identity.unsupportedCommands == ["ATD", "ATL0", "ATS0", "ATDPN"])
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
        #expect(adapter.messages.first?.ecu == ECUAddress(0x7E8, .can11))
    }

    @Test func `null bytes, line feeds and a prompt right after data do no harm`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.outputs = []
        adapter.deaf = ["010C"]
        adapter.send(ask([0x01, 0x0C]))
        adapter.receive("7E8\u{0}04410C\u{0}1AF8>")
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
        #expect(adapter.ends == [.complete])
    }

    @Test func `an answer ends only with the prompt`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.outputs = []
        adapter.deaf = ["010C"]
        adapter.send(ask([0x01, 0x0C]))
        adapter.receive("7E804410C1AF8\r\r")
        #expect(adapter.ends.isEmpty)
        adapter.receive(">")
        #expect(adapter.ends == [.complete])
    }

    @Test func `a silent line is called silent`() {
        var adapter = ScriptedAdapter([:])
        adapter.deaf = ["*"]
        adapter.initialise()
        adapter.timeOut(10)
        #expect(adapter.failure == .silent)
    }

    @Test func `bytes without sense are reported`() {
        var adapter = ScriptedAdapter([:])
        adapter.deaf = ["*"]
        adapter.initialise()
        adapter.receive("\u{1}\u{2}\u{3}xyz\rxyz\r")
        adapter.timeOut(10)
        #expect(adapter.failure == .notUnderstood(received: 9))
    }

    @Test func `a device that answers every command with a question mark is not an adapter`() {
        var adapter = ScriptedAdapter([:])
        adapter.initialise()
        #expect(adapter.failure == .refusesEverything)
        #expect(!adapter.isReady)
        // A device with any other answer is an adapter.
        var other = ScriptedAdapter(["0100": "UNABLE TO CONNECT"])
        other.initialise()
        #expect(other.failure == .noVehicle(.unableToConnect))
    }

    @Test(arguments: [0, 1, 7])
    func `a web server is reported`(piece: Int) {
        var adapter = ScriptedAdapter([:])
        adapter.deaf = ["*"]
        adapter.piece = piece
        adapter.initialise()
        adapter.receive("HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n<html>\r\n")
        #expect(adapter.failure == .webServer)
    }

    /// A request, the text after it, and whether the text can be its answer.
    @Test(
        arguments: [
            ([0x03], "7E8064100BE3EB813", false), ([0x03], "7E8024700", false),
            ([0x03], "7E8037F0111", false), ([0x03], "7E8024300", true),
            ([0x03], "7E8037F0311", true), ([0x03], "7E8024300\r7E9024700", true),
            ([0x01, 0x0C], "7E803410D32", false), ([0x01, 0x0C], "7E804410C1AF8", true),
            ([0x01, 0x0C, 0x0D], "7E803410D32", true),
            ([0x22, 0xF4, 0x0C], "7E80462F40D32", false),
        ] as [([UInt8], String, Bool)])
    func `the dialect reports an answer to another request and waits for a quiet line`(
        request: [UInt8], answer: String, isAnswer: Bool
    ) {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        let command = request.map { String($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined().uppercased()
        adapter.answers[command] = answer
        adapter.send(ask(request))
        if isAnswer {
            #expect(adapter.ends == [.complete])
            return
        }
        #expect(adapter.ends == [])
        // The right answer may come late, but nothing proves that this is the one.
        adapter.receive("7E8024300\r\r>")
        adapter.timeOut(.pause)
        #expect(adapter.ends == [.outOfStep])
        #expect(adapter.messages.count == 1)
        #expect(adapter.isAtRest)
        // The adapter is in step again.
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends == (request == [0x01, 0x0C] ? [] : [.complete]))
    }

    /// A request that writes is not sent again, so its late answer counts.
    @Test func `a late confirmation of clearing counts`() {
        var adapter = ScriptedAdapter.genuine(["04": "7E8064100BE3EB813"])
        adapter.initialise()
        adapter.send(ask([0x04]))
        adapter.receive("7E80144\r\r>")
        adapter.timeOut(.pause)
        #expect(adapter.ends == [.complete])
        #expect(adapter.messages.map(\.payload).last == [0x44])
    }

    /// After a user's own settings, any answer may come.
    @Test func `answers under a user's own settings are not judged`() {
        var adapter = ScriptedAdapter.genuine(["ATCRA123": "OK", "0100": "7E8064100BE3EB813"])
        adapter.initialise()
        adapter.send(
            .command(id: RequestID(rawValue: 1), text: "ATCRA123", mayRepeat: true))
        adapter.answers["0105"] = "7E8064100BE3EB813"
        adapter.outputs = []
        adapter.send(ask([0x01, 0x05]))
        #expect(adapter.ends == [.complete])
    }

    /// `ATSH` and the request are two commands.
    ///
    /// Text that comes together with the prompt of the first one came before the second one was
    /// written.
    @Test(arguments: [
        "OK\r\r>7E804410C0000\r\r>", "OK\r\r>7E804410C0000", "OK\r\r>\r\r>7E804410C00",
    ])
    func `bytes from before a request are not its answer`(early: String) {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.outputs = []
        adapter.deaf = ["ATSH7E0", "010C"]
        adapter.send(ask([0x01, 0x0C], target: ECUAddress(0x7E0, .can11)))
        adapter.receive(early)
        #expect(adapter.commands.last == "010C")
        #expect(adapter.messages == [] && adapter.ends == [])
        // The rest of a line belongs to the text before the request.
        adapter.receive(early.hasSuffix(">") ? "" : "\r")
        adapter.receive("7E804410C1AF8\r\r>")
        #expect(adapter.ends == [.complete])
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0C, 0x1A, 0xF8]])
    }

    @Test func `endless bytes without a prompt end as a flood`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.outputs = []
        adapter.deaf = ["010C"]
        adapter.send(ask([0x01, 0x0C]))
        let noise = String(repeating: "U", count: 4_096)
        for _ in 0...(ELM327Dialect.longestReply / 4_096) where adapter.ends.isEmpty {
            adapter.receive(noise)
        }
        #expect(adapter.ends == [.flooded])
    }

    /// Each prompt restarts the wait for quiet.
    ///
    /// Without a limit, the wait would never end.
    @Test(arguments: [">", "\r>", "?\r>", ">>>>>>>>"])
    func `prompts without end are a flood, in every phase`(noise: String) {
        let count = noise.filter { $0 == ">" }.count
        func pour(_ adapter: inout ScriptedAdapter, until isOver: (ScriptedAdapter) -> Bool) {
            for _ in 0...(2 * ELM327Dialect.mostUnasked / count) where !isOver(adapter) {
                adapter.receive(noise)
            }
        }
        // A request waits for its answer. (A question mark would be an answer.)
        var asked = ScriptedAdapter.genuine()
        asked.initialise()
        asked.outputs = []
        asked.deaf = ["010C"]
        asked.send(ask([0x01, 0x0C]))
        pour(&asked) { !$0.ends.isEmpty }
        if !noise.contains("?") { #expect(asked.ends == [.flooded]) }
        // The adapter is brought in step after a first attempt.
        var starting = ScriptedAdapter([:])
        starting.deaf = ["*"]
        starting.initialise()
        starting.timeOut()
        pour(&starting) { $0.failure != nil }
        #expect(starting.failure == .notUnderstood(received: ELM327Dialect.mostUnasked + 1))
        // No request is under way: the flood is reported once.
        var idle = ScriptedAdapter.genuine()
        idle.initialise()
        idle.outputs = []
        for _ in 0...(4 * ELM327Dialect.mostUnasked / count) { idle.receive(">" + noise) }
        let said = idle.outputs.filter { $0 == .notice(.unexpected("endless bytes")) }
        #expect(said.count == 1)
    }

    @Test(arguments: [
        ("UNABLE TO CONNECT", AdapterStatus.unableToConnect), ("NO DATA", .noData),
        ("CAN ERROR", .canError), ("BUS INIT: ERROR", .busInitError),
    ])
    func `without a vehicle the adapter's answer is kept`(text: String, status: AdapterStatus) {
        var adapter = ScriptedAdapter.genuine(["0100": text, "22F810": "NO DATA"])
        for digit in ["6", "7", "8", "9", "A"] { adapter.answers["ATTP\(digit)"] = "OK" }
        adapter.answers["00FECA"] = "NO DATA"
        adapter.initialise()
        #expect(adapter.failure == .noVehicle(status))
        // The adapter stores no protocol, and it searches again as before.
        #expect(adapter.commands.last == "ATSP0")
        #expect(!adapter.commands.contains { $0.hasPrefix("ATSP") && $0 != "ATSP0" })
        // A vehicle that was asleep may not answer the first request. After any other word the request is not
        // sent a second time.
        #expect(adapter.commands.count(where: { $0 == "0100" }) == (status == .noData ? 2 : 1))
        // SAE J1979-2: each CAN protocol is set and tried before the search ends.
        #expect(adapter.commands.count(where: { $0 == "22F810" }) == 4)
        #expect(adapter.commands.count(where: { $0 == "00FECA" }) == 1)
    }

    @Test func `a vehicle that supports only OBDonUDS is found`() {
        var adapter = ScriptedAdapter.genuine([
            "0100": "UNABLE TO CONNECT", "ATTP6": "OK", "22F810": "NO DATA",
        ])
        adapter.answers["22F810"] = "7E80462F81001"
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.identity.vehicleProtocol == .can11At500)
    }

    // Whether a vehicle is needed; the vehicle's answer to 0100; whether the set-up continues; the
    // commands after the automatic search is set again; the protocol of the requests after that.
    @Test(
        arguments: [
            (VehicleNeed.needed, "NO DATA", false, [], nil),
            (.maybeSilent(), "NO DATA", true, [], nil),
            (.maybeSilent(), "UNABLE TO CONNECT", false, [], nil),
            (.maybeSilent(assumed: .can29At500), "UNABLE TO CONNECT", true, ["ATSP7"], .can29At500),
            (.maybeSilent(assumed: .can11At500), "CAN ERROR", false, [], nil),
            (.optional, "UNABLE TO CONNECT", true, [], nil),
            (.optional, "CAN ERROR", true, [], nil),
        ] as [(VehicleNeed, String, Bool, [String], VehicleProtocol?)])
    func `the adapter is set up without its vehicle if the vehicle may be missing`(
        need: VehicleNeed, word: String, goesOn: Bool, last: [String], assumed: VehicleProtocol?
    ) throws {
        var adapter = ScriptedAdapter.genuine(["0100": word, "22F810": "NO DATA", "ATSP7": "OK"])
        for digit in ["6", "7", "8", "9", "A"] { adapter.answers["ATTP\(digit)"] = "OK" }
        adapter.answers["00FECA"] = "NO DATA"
        adapter.dialect = ELM327Dialect(.init(vehicle: need))
        adapter.initialise()
        #expect(adapter.isReady == goesOn)
        #expect((adapter.failure == nil) == goesOn)
        #expect(adapter.dialect.capabilities.vehicleProtocol == assumed)
        let searched = try #require(adapter.commands.lastIndex(of: "ATSP0"))
        #expect(Array(adapter.commands[(searched + 1)...]) == last)
        // No command of the set-up is sent twice.
        #expect(adapter.commands.count(where: { $0 == "ATD" }) == 1)
        #expect(adapter.commands.count(where: { $0 == "ATE0" }) == 1)
        guard goesOn else { return }
        let told = adapter.outputs.compactMap { output in
            if case .notice(.setupGoesOn(let failure)) = output { failure } else { nil }
        }
        #expect(told.count == 1)
        // Another set-up in the same session does not wait for the vehicle again.
        adapter.written = []
        adapter.initialise()
        adapter.timeOut()
        #expect(!adapter.commands.contains("0100"))
        #expect(adapter.commands.contains("ATSP7") == (assumed != nil))
    }

    @Test func `the protocol that the user gave is kept if the vehicle is silent`() {
        var adapter = ScriptedAdapter.genuine(["0100": "NO DATA", "22F810": "NO DATA"])
        adapter.dialect = ELM327Dialect(
            .init(vehicleProtocol: .can11At500, vehicle: .maybeSilent(assumed: .can29At500)))
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.dialect.capabilities.vehicleProtocol == .can11At500)
        #expect(adapter.commands.filter { $0.hasPrefix("ATSP") } == ["ATSP6"])
    }

    @Test
    func `the set-up succeeds without a vehicle if the command needs no vehicle`() {
        var adapter = ScriptedAdapter.genuine(["0100": "ERR94"])
        adapter.dialect = ELM327Dialect(.init(vehicle: .optional))
        adapter.initialise()
        adapter.timeOut(8)
        #expect(adapter.isReady)
        #expect(adapter.failure == nil)
    }

    @Test func `after the vehicle was found once, every set-up needs the vehicle`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.dialect = ELM327Dialect(.init(vehicle: .optional))
        adapter.initialise()
        #expect(adapter.isReady)
        adapter.answers["0100"] = "UNABLE TO CONNECT"
        adapter.initialise()
        adapter.timeOut()
        #expect(adapter.failure == .noVehicle(.unableToConnect))
    }

    @Test(arguments: ["7E80562F8100100", "7E80462F81002", "7E8037F2231"])
    func `only the exact answer counts as OBDonUDS`(answer: String) {
        var adapter = ScriptedAdapter.genuine(["0100": "UNABLE TO CONNECT", "22F810": answer])
        adapter.initialise()
        #expect(adapter.failure == .noVehicle(.unableToConnect))
    }

    @Test func `"?" is not a name, and damage is not silence`() {
        var adapter = ScriptedAdapter.genuine(["ATI": "?", "0100": "7E80641001818000"])
        adapter.initialise()
        #expect(adapter.dialect.identity.banner == nil)
        #expect(adapter.failure == .noVehicle(.dataError))
    }

    @Test func `the error quotes an adapter that reports a fault at every attempt`() {
        var adapter = ScriptedAdapter.genuine(["0100": "ERR94"])
        adapter.initialise()
        adapter.timeOut(6)
        #expect(adapter.failure == .noVehicle(.fatalCANError))
    }

    @Test(arguments: ["7E8064100BE3EB81300", "7E8064100BE3EB813"])
    func `an ECU that pads only some frames is understood`(first: String) {
        var adapter = ScriptedAdapter.genuine(["0100": first])
        adapter.answers["010C"] = "7E804410C1AF8000000"
        adapter.answers["0105"] = "7E80341057B"
        adapter.answers["0106"] = "7E8034106"
        adapter.initialise()
        #expect(adapter.isReady)
        for pid: UInt8 in [0x0C, 0x05, 0x06] { adapter.send(ask([0x01, pid])) }
        // The last answer is shorter than its length byte.
        #expect(
            adapter.messages.map(\.payload).suffix(2) == [
                [0x41, 0x0C, 0x1A, 0xF8], [0x41, 0x05, 0x7B],
            ])
    }

    @Test func `a request whose count digit is refused is sent again without the digit`() {
        var adapter = ScriptedAdapter.genuine(["010C1": "?"])
        adapter.initialise()
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C], frames: 1))
        #expect(adapter.messages.count == 1)
        #expect(adapter.statuses.isEmpty)
        #expect(!adapter.dialect.capabilities.frameCountHelps)
        #expect(adapter.commands.suffix(2) == ["010C1", "010C"])
    }

    @Test func `a refused batch is reported`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C, 0x0D, 0x05], frames: 2))
        #expect(adapter.statuses == [.unknownCommand])
        #expect(adapter.dialect.capabilities.frameCountHelps)
    }

    @Test func `after a request that writes, a harmless request is sent at once`() {
        var adapter = ScriptedAdapter.genuine(["04": "7E80144"])
        adapter.initialise()
        adapter.outputs = []
        adapter.written = []
        adapter.send(ask([0x04]))
        // Before a service that takes long, the adapter gets its longest wait.
        #expect(adapter.commands == ["ATSTFF", "04", "ATI"])
        #expect(adapter.ends == [.complete])
        #expect(adapter.messages.map(\.payload) == [[0x44]])
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.commands == ["ATSTFF", "04", "ATI", "ATST32", "010C"])
    }

    @Test func `a request to one ECU sets its address, and the next request to all resets it`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.written = []
        adapter.send(ask([0x01, 0x0C], target: ECUAddress(0x7E0, .can11)))
        adapter.send(ask([0x01, 0x0C], target: ECUAddress(0x7E0, .can11)))
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.commands == ["ATSH7E0", "010C", "010C", "ATSH7DF", "010C"])
    }

    @Test func `a carriage return is never sent alone`() {
        var adapter = ScriptedAdapter.genuine(["04": "7E80144"])
        adapter.initialise()
        adapter.send(ask([0x04]))
        adapter.deaf = ["*"]
        adapter.send(ask([0x01, 0x0C]))
        var out: [DialectOutput] = []
        adapter.dialect.interrupt(&out)
        for case .write(let bytes) in out { adapter.written.append(bytes) }
        adapter.timeOut(4)
        adapter.initialise()
        adapter.timeOut(20)
        #expect(!adapter.written.contains([0x0D]))
        #expect(adapter.commands.count(where: { $0 == "04" }) == 1)
    }

    @Test func `an interruption sends a blank and waits for the prompt`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["010C"]
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C]))
        var out: [DialectOutput] = []
        adapter.dialect.interrupt(&out)
        #expect(out.contains(.write([0x20])))
        adapter.receive("STOPPED\r\r>")
        #expect(adapter.ends == [.interrupted])
        adapter.deaf = []
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends == [.interrupted, .complete])
    }

    // A banner counts even if a character was lost or doubled.
    @Test(arguments: [
        "\r\rELM327 v1.5", "\r\rELM3227 v2.2", "7E8 04 41 0C 1A F8\r\r\rELM32 v1.5",
        "\r\rOBDII  v1.5", "\r\rSTN1110 v4.2.1",
    ])
    func `a restart during a request is noticed`(_ said: String) {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["010C"]
        adapter.outputs = []
        adapter.send(ask([0x01, 0x0C]))
        adapter.receive(said + "\r\r>")
        #expect(adapter.ends == [.adapterRestarted])
        adapter.deaf = []
        adapter.outputs = []
        adapter.initialise()
        adapter.timeOut()
        #expect(adapter.isReady)
    }

    @Test func `if no vehicle is wanted, only the adapter is set up`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.dialect = ELM327Dialect(.init(vehicle: .unused))
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(!adapter.commands.contains("0100"))
        adapter.send(.command(id: RequestID(rawValue: 2), text: "ATRV", mayRepeat: true))
        #expect(adapter.outputs.contains(.voltage(12.6)))
        #expect(adapter.outputs.contains(.text("12.6V")))
    }

    @Test func `a request that cannot be sent is refused without a byte`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends == [.refused])
        adapter.initialise()
        adapter.written = []
        adapter.send(ask([UInt8](repeating: 0x22, count: 9)))
        adapter.send(.command(id: RequestID(rawValue: 3), text: "ATI\r04", mayRepeat: false))
        #expect(adapter.ends == [.refused, .refused, .refused])
        #expect(adapter.written.isEmpty)
    }

    @Test func `listening ends by count or time, and a blank stops the adapter`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["ATMA"]
        adapter.outputs = []
        let request = VehicleRequest(
            id: RequestID(rawValue: 4), payload: [], mayRepeat: true,
            ending: .listen(frames: 2, atMost: .seconds(1)))
        adapter.send(.vehicle(request))
        adapter.receive("0C90000000000000000\r0C80000000000000001\r")
        #expect(adapter.written.last == [0x20])
        adapter.receive("STOPPED\r\r>")
        #expect(adapter.ends == [.interrupted])
        #expect(
            adapter.outputs.count(where: { if case .frame = $0 { true } else { false } }) == 2)
    }

    private func monitor(
        _ text: String = "ATMA", atMost: Duration = .seconds(5)
    ) -> AdapterRequest {
        .monitor(id: RequestID(rawValue: 5), text: text, atMost: atMost)
    }

    @Test func `a monitoring command reports each line and frame as it arrives`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["ATMA"]
        adapter.outputs = []
        var begin: [DialectOutput] = []
        adapter.dialect.send(monitor(), &begin)
        #expect(begin.contains(.write(Array("ATMA\r".utf8))))
        #expect(begin.contains(.arm(.listen, after: .seconds(5))))
        adapter.receive("0C90000000000000000\r")
        #expect(adapter.outputs.contains(.text("0C90000000000000000")))
        #expect(
            adapter.outputs.contains(
                .frame(id: ECUAddress(0x0C9, .can11), data: [0, 0, 0, 0, 0, 0, 0, 0])))
        #expect(adapter.ends.isEmpty)
        // The time is over: a blank stops the adapter. Frames that are still on their way are
        // reported, but not STOPPED, because it answers our blank.
        var out: [DialectOutput] = []
        adapter.dialect.expired(.listen, &out)
        #expect(out.contains(.write([0x20])))
        adapter.receive("0C80000000000000001\rSTOPPED\r\r>")
        #expect(adapter.outputs.contains(.text("0C80000000000000001")))
        #expect(!adapter.outputs.contains(.text("STOPPED")))
        #expect(!adapter.outputs.contains(.status(.stopped)))
        #expect(adapter.ends == [.interrupted])
        adapter.deaf = []
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends == [.interrupted, .complete])
    }

    @Test func `the status of an overflow ends a monitoring command`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["ATMA"]
        adapter.outputs = []
        adapter.send(monitor())
        adapter.receive("0C90000000000000000\rBUFFER FULL\r\r>")
        #expect(adapter.outputs.contains(.status(.bufferFull)))
        #expect(adapter.ends == [.complete])
    }

    @Test func `listening never counts as a flood`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["ATMA"]
        adapter.outputs = []
        adapter.send(monitor())
        let lines = String(repeating: "0C90000000000000000\r", count: 1_000)
        for _ in 0...ELM327Dialect.longestReply / 20_000 { adapter.receive(lines) }
        #expect(adapter.ends.isEmpty)
    }

    @Test func `a search before listening does not end the listening`() throws {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["ATMA"]
        adapter.send(monitor(atMost: .seconds(1_000)))
        adapter.outputs = []
        adapter.receive("SEARCHING...")
        #expect(adapter.outputs.contains(.notice(.searching)))
        var out: [DialectOutput] = []
        adapter.dialect.receive(Array("\r0C90000000000000000\r".utf8), &out)
        let patience = out.compactMap { output -> Duration? in
            if case .arm(.reply, let time) = output { time } else { nil }
        }
        #expect(try #require(patience.last) > .seconds(1_000))
    }

    /// Only the beginning of a line is searched, so that a long line that comes byte by byte takes
    /// no more time.
    @Test(arguments: [(0, true), (16, true), (64, false), (8_000, false)])
    func `a search is reported when its line begins`(digits: Int, isTold: Bool) {
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        adapter.deaf = ["010C"]
        adapter.piece = 1
        adapter.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])))
        adapter.outputs = []
        adapter.receive(String(repeating: "0", count: digits) + "SEARCHING...")
        #expect(adapter.outputs.contains(.notice(.searching)) == isTold)
    }

    @Test(arguments: [
        ("AT MA", true), ("atma", true), ("AT MR 10", true), ("AT MP FECA", true), ("STM", true),
        ("STMA", true), ("AT RV", false), ("AT MAX", false), ("010C", false),
    ])
    func `the commands that listen are known`(text: String, listens: Bool) {
        #expect(AdapterRequest.isMonitoring(text) == listens)
        #expect(!monitor(text).mayRepeat)
    }
}
