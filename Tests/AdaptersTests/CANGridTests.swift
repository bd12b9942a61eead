import OBDCore
import Testing
import VehicleLink

@testable import Adapters

/// Every state of an exchange with every event.
///
/// A cell has the action of the exchange and the state after it:
///
/// - `FC`, `CF`: sends flow control, or the next frames of a long request.
/// - `msg`, `err`, `status`: reports a message, a damaged frame, or a status.
/// - `.`: nothing.
///
/// States: `idle`, `open` (waits for answers), `part` (a long answer has begun), `wait` (an ECU said "response
/// pending"), `hurt` (an answer was damaged, and its rest is awaited), `fc` (a long request waits for flow
/// control), `gap` (it waits for the time between two frames).
@Suite struct `States and events of an exchange` {
    private static var states: [(name: String, enter: (ExchangeBench) -> Void)] {
        [
            ("idle", { _ in }),
            ("open", { _ = $0.ask(request, to: ecu) }),
            (
                "part",
                {
                    _ = $0.ask(request, to: ecu)
                    $0.hear(0x7E8, first)
                }
            ),
            (
                "wait",
                {
                    _ = $0.ask(request, to: ecu)
                    $0.hear(0x7E8, [0x03, 0x7F, 0x22, 0x78, 0, 0, 0, 0])
                }
            ),
            (
                "hurt",
                {
                    _ = $0.ask(request, to: ecu)
                    $0.hear(0x7E8, first)
                    $0.hear(0x7E8, third)
                }
            ),
            ("fc", { _ = $0.ask(long, to: ecu) }),
            (
                "gap",
                {
                    _ = $0.ask(long, to: ecu)
                    $0.hear(0x7E8, [0x30, 0x00, 0x0A, 0, 0, 0, 0, 0])
                }
            ),
        ]
    }

    private static let ecu = ECUAddress(0x7E0, .can11)
    private static let request: [UInt8] = [0x22, 0xF1, 0x90]
    private static let long: [UInt8] = [0x22] + (1...24).map { UInt8($0) }
    private static let first: [UInt8] = [0x10, 0x14, 0x62, 0xF1, 0x90, 1, 2, 3]
    private static let second: [UInt8] = [0x21, 4, 5, 6, 7, 8, 9, 10]
    private static let third: [UInt8] = [0x22, 11, 12, 13, 14, 15, 16, 17]

    private static func frame(_ id: UInt32, _ data: [UInt8]) -> (ExchangeBench) -> Void {
        { $0.hear(id, data) }
    }

    private static func timer(_ timer: DialectTimer) -> (ExchangeBench) -> Void {
        { $0.exchange.expired(timer, &$0.out) }
    }

    private static var events: [(name: String, happen: (ExchangeBench) -> Void)] {
        [
            ("answer", frame(0x7E8, [0x04, 0x62, 0xF1, 0x90, 1, 0, 0, 0])),
            ("other answer", frame(0x7E8, [0x04, 0x41, 0x0C, 1, 2, 0, 0, 0])),
            ("other ECU", frame(0x7E9, [0x04, 0x62, 0xF1, 0x90, 1, 0, 0, 0])),
            ("refusal", frame(0x7E8, [0x03, 0x7F, 0x22, 0x31, 0, 0, 0, 0])),
            ("pending", frame(0x7E8, [0x03, 0x7F, 0x22, 0x78, 0, 0, 0, 0])),
            ("first frame", frame(0x7E8, first)),
            ("other first", frame(0x7E8, [0x10, 0x14, 0x49, 0x02, 0x01, 1, 2, 3])),
            ("short first", frame(0x7E8, [0x10, 0x05, 0x62, 0xF1, 0x90, 1, 2, 3])),
            ("second frame", frame(0x7E8, second)),
            ("third frame", frame(0x7E8, third)),
            ("continue", frame(0x7E8, [0x30, 0x00, 0x00, 0, 0, 0, 0, 0])),
            ("one frame", frame(0x7E8, [0x30, 0x01, 0x00, 0, 0, 0, 0, 0])),
            ("with gap", frame(0x7E8, [0x30, 0x00, 0x0A, 0, 0, 0, 0, 0])),
            ("wait", frame(0x7E8, [0x31, 0x00, 0x00, 0, 0, 0, 0, 0])),
            ("overflow", frame(0x7E8, [0x32, 0x00, 0x00, 0, 0, 0, 0, 0])),
            ("cut control", frame(0x7E8, [0x30])),
            ("unknown PCI", frame(0x7E8, [0xF0, 0x62, 0xF1, 0x90, 0, 0, 0, 0])),
            ("empty frame", frame(0x7E8, [])),
            (
                "remote frame",
                {
                    let id = ECUAddress(0x7E8, .can11)
                    $0.exchange.receive(CANFrame(id, [], isRemote: true), &$0.out)
                }
            ),
            ("reply time", timer(.reply)), ("pause time", timer(.pause)),
            ("frame time", timer(.nextFrame)), ("control time", timer(.flowControl)),
            ("gap time", timer(.pacing)), ("listen time", timer(.listen)),
            ("fault", { $0.exchange.fail(.busOff, &$0.out) }),
            ("interrupt", { $0.exchange.interrupt(&$0.out) }),
            ("new request", { _ = $0.ask(request, to: ecu) }),
        ]
    }

    private static func name(_ exchange: CANExchange) -> String {
        guard exchange.isUnderWay else { return "idle" }
        let running = exchange.running
        if let sending = running.sending { return sending.awaitsFlowControl ? "fc" : "gap" }
        if running.isDamaged { return "hurt" }
        if exchange.assembler.hasOpenMessages { return "part" }
        return running.pending.isEmpty ? "open" : "wait"
    }

    private static func cell(_ state: (ExchangeBench) -> Void, _ event: (ExchangeBench) -> Void)
        -> String
    {
        let bench = ExchangeBench()
        state(bench)
        bench.out = []
        event(bench)
        var words: [String] = []
        for output in bench.news() {
            switch output {
            case .send(let frame):
                switch frame.data[0] >> 4 {
                case 2: words.append("CF")
                case 3: words.append("FC")
                default: words.append("ask")
                }
            case .tell(.message): words.append("msg")
            case .tell(.linkError): words.append("err")
            case .tell(.status(let status)): words.append(status.rawValue)
            case .tell, .ended: break
            }
        }
        // Whatever happens, an exchange ends exactly once.
        #expect(bench.out.isEmpty)
        return (words.isEmpty ? "." : words.joined(separator: "+")) + " " + name(bench.exchange)
    }

    @Test func `each cell of the table of states and events is correct`() {
        var lines: [String] = []
        for event in Self.events {
            let cells = Self.states.map { Self.cell($0.enter, event.happen) }
            lines.append(([event.name] + cells).joined(separator: " | "))
        }
        let found = lines.joined(separator: "\n")
        #expect(found == Self.grid, "\(found)")
    }

    /// The columns are the states in their order.
    private static let grid = """
        answer | . idle | msg idle | msg idle | msg idle | msg hurt | . fc | . gap
        other answer | . idle | . open | . part | . wait | . hurt | . fc | . gap
        other ECU | . idle | . open | . part | . wait | . hurt | . fc | . gap
        refusal | . idle | msg idle | msg idle | msg idle | msg hurt | msg idle | msg idle
        pending | . idle | msg wait | msg wait | msg wait | msg hurt | . fc | . gap
        first frame | . idle | FC part | FC part | FC part | FC hurt | . fc | . gap
        other first | . idle | . open | err hurt | . wait | . hurt | . fc | . gap
        short first | . idle | err hurt | err hurt | err hurt | err hurt | . fc | . gap
        second frame | . idle | . open | . part | . wait | . hurt | . fc | . gap
        third frame | . idle | . open | err hurt | . wait | . hurt | . fc | . gap
        continue | . idle | . open | . part | . wait | . hurt | CF+CF+CF open | . gap
        one frame | . idle | . open | . part | . wait | . hurt | CF fc | . gap
        with gap | . idle | . open | . part | . wait | . hurt | CF gap | . gap
        wait | . idle | . open | . part | . wait | . hurt | . fc | . gap
        overflow | . idle | . open | . part | . wait | . hurt | flowControlTimeout idle | . gap
        cut control | . idle | . open | . part | . wait | . hurt | err fc | . gap
        unknown PCI | . idle | err hurt | err hurt | err hurt | err hurt | err fc | err gap
        empty frame | . idle | . open | . part | . wait | . hurt | . fc | . gap
        remote frame | . idle | . open | . part | . wait | . hurt | . fc | . gap
        reply time | . idle | noData idle | . part | . idle | . hurt | . fc | . gap
        pause time | . idle | . open | . part | . wait | . idle | . fc | . gap
        frame time | . idle | . open | err idle | . wait | . hurt | . fc | . gap
        control time | . idle | . open | . part | . wait | . hurt | flowControlTimeout idle | . gap
        gap time | . idle | . open | . part | . wait | . hurt | . fc | CF gap
        listen time | . idle | . open | . part | . wait | . hurt | . fc | . gap
        fault | . idle | busOff idle | busOff idle | busOff idle | busOff idle | busOff idle | busOff idle
        interrupt | . idle | . idle | . idle | . idle | . idle | . idle | . idle
        new request | ask open | . open | . part | . wait | . hurt | . fc | . gap
        """

    @Test func `each listed path into a state reaches that state`() {
        for state in Self.states {
            let bench = ExchangeBench()
            state.enter(bench)
            #expect(Self.name(bench.exchange) == state.name)
        }
    }
}

/// Every phase of the dialect with every event: the written bytes, the reports, and the next phase.
@Suite struct `States and events of the CAN dialect` {
    private static let map: [UInt8] = [6, 0x41, 0, 0x98, 0x18, 0, 1, 0]

    private static func line(_ text: String) -> (inout CANDialect, inout [DialectOutput]) -> Void {
        { $0.receive(Array(text.utf8), &$1) }
    }

    private static func timer(_ timer: DialectTimer) -> (inout CANDialect, inout [DialectOutput]) ->
        Void
    {
        { $0.expired(timer, &$1) }
    }

    private static func request(_ dialect: inout CANDialect, _ out: inout [DialectOutput]) {
        dialect.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])), &out)
    }

    private static func monitor(_ dialect: inout CANDialect, _ out: inout [DialectOutput]) {
        dialect.send(
            .monitor(
                id: RequestID(rawValue: 1), text: AdapterCommand.monitorEverything,
                atMost: .seconds(1)), &out)
    }

    private typealias Step = (inout CANDialect, inout [DialectOutput]) -> Void

    private static var states: [(name: String, enter: Step)] {
        [
            ("outOfStep", { _, _ in }),
            ("commanding", { $0.initialise(&$1) }),
            (
                "hearing",
                { dialect, out in
                    dialect.initialise(&out)
                    for _ in 0..<2 { dialect.expired(.reply, &out) }
                    for _ in 0..<2 { dialect.receive(Array("\r".utf8), &out) }
                }
            ),
            (
                "asking",
                { dialect, out in
                    dialect.initialise(&out)
                    for _ in 0..<2 { dialect.expired(.reply, &out) }
                    for _ in 0..<2 { dialect.receive(Array("\r".utf8), &out) }
                    dialect.receive(Array("t12310A\r".utf8), &out)
                    for _ in 0..<3 { dialect.receive(Array("\r".utf8), &out) }
                    dialect.expired(.reply, &out)
                }
            ),
            ("ready", { becomeReady(&$0, &$1) }),
            (
                "exchanging",
                {
                    becomeReady(&$0, &$1)
                    request(&$0, &$1)
                }
            ),
            (
                "listening",
                {
                    becomeReady(&$0, &$1)
                    monitor(&$0, &$1)
                }
            ),
        ]
    }

    private static func becomeReady(_ dialect: inout CANDialect, _ out: inout [DialectOutput]) {
        states[3].enter(&dialect, &out)
        dialect.receive(Array("t7E8806410098180001AA\r".utf8), &out)
        dialect.expired(.reply, &out)
    }

    private static var events: [(name: String, happen: Step)] {
        [
            ("end of line", line("\r")), ("BEL", line("\u{7}")), ("z", line("z\r")),
            ("version", line("V1013\r")), ("an answer", line("t7E8804410C1AF8000000\r")),
            ("a map", line("t7E8806410098180001AA\r")), ("another frame", line("t12310A\r")),
            ("a cut frame", line("t7E88\r")), ("no acknowledgement", line("e1a\r")),
            ("bus-off", line("sb256000\r")), ("passive", line("sp128000\r")),
            ("overrun", line("e1o\r")), ("active again", line("sa000000\r")),
            ("reply time", timer(.reply)), ("listen time", timer(.listen)),
            ("pause time", timer(.pause)), ("frame time", timer(.nextFrame)),
            ("control time", timer(.flowControl)), ("gap time", timer(.pacing)),
            ("prompt time", timer(.prompt)), ("request", { request(&$0, &$1) }),
            ("monitor", { monitor(&$0, &$1) }),
            (
                "command",
                {
                    $0.send(
                        .command(id: RequestID(rawValue: 1), text: "AT RV", mayRepeat: false), &$1)
                }
            ),
            ("interrupt", { $0.interrupt(&$1) }), ("leave", { $0.leave(&$1) }),
        ]
    }

    private static func name(_ dialect: CANDialect) -> String {
        switch dialect.phase {
        case .outOfStep: "outOfStep"
        case .commanding: "commanding"
        case .hearing: "hearing"
        case .asking: "asking"
        case .ready: "ready"
        case .exchanging: "exchanging"
        case .listening: "listening"
        }
    }

    private static func cell(_ state: Step, _ event: Step) -> String {
        var dialect = CANDialect(.init(.slcan))
        var out: [DialectOutput] = []
        state(&dialect, &out)
        out = []
        event(&dialect, &out)
        var words: [String] = []
        for output in out {
            switch output {
            case .write(let bytes):
                let text = String(decoding: bytes, as: UTF8.self)
                words.append(
                    text.lowercased().hasPrefix("t") ? "ask" : text.replacing("\r", with: ""))
            case .message: words.append("msg")
            case .linkError: words.append("err")
            case .status(let status): words.append(status.rawValue)
            case .frame: words.append("frame")
            case .end(let end): words.append("\(end)")
            case .ready: words.append("found")
            case .initialisationFailed(.noVehicle(let status)):
                words.append("no vehicle (\(status.rawValue))")
            case .initialisationFailed(let failure): words.append("\(failure)")
            case .arm, .disarm, .disarmAll, .lineRate, .filter, .text, .voltage, .notice: break
            }
        }
        return (words.isEmpty ? "." : words.joined(separator: "+")) + " " + name(dialect)
    }

    @Test func `each cell of the table of states and events is correct`() {
        var lines: [String] = []
        for event in Self.events {
            let cells = Self.states.map { Self.cell($0.enter, event.happen) }
            lines.append(([event.name] + cells).joined(separator: " | "))
        }
        let found = lines.joined(separator: "\n")
        #expect(found == Self.grid, "\(found)")
    }

    /// The columns are the phases in their order.
    private static let grid = """
        end of line | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        BEL | . outOfStep | . commanding | . hearing | C+no vehicle (notAcknowledged) outOfStep | . ready | notAcknowledged+complete ready | . listening
        z | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        version | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        an answer | . outOfStep | . commanding | C commanding | . asking | . ready | msg+complete ready | frame listening
        a map | . outOfStep | . commanding | C commanding | . asking | . ready | . exchanging | frame listening
        another frame | . outOfStep | . commanding | C commanding | . asking | . ready | . exchanging | frame listening
        a cut frame | . outOfStep | . commanding | . hearing | . asking | . ready | err exchanging | . listening
        no acknowledgement | . outOfStep | . commanding | . hearing | C+no vehicle (notAcknowledged) outOfStep | . ready | notAcknowledged+complete ready | . listening
        bus-off | . outOfStep | . commanding | . hearing | C+no vehicle (busOff) outOfStep | . ready | busOff+complete ready | . listening
        passive | . outOfStep | . commanding | . hearing | C+no vehicle (errorPassive) outOfStep | . ready | errorPassive+complete ready | . listening
        overrun | . outOfStep | . commanding | . hearing | . asking | . ready | bufferFull+complete ready | . listening
        active again | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        reply time | . outOfStep | V commanding | . hearing | ask asking | . ready | noData+complete ready | . listening
        listen time | . outOfStep | . commanding | C commanding | . asking | . ready | . exchanging | interrupted ready
        pause time | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        frame time | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        control time | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        gap time | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        prompt time | . outOfStep | . commanding | . hearing | . asking | . ready | . exchanging | . listening
        request | refused outOfStep | refused commanding | refused hearing | refused asking | ask exchanging | refused exchanging | refused listening
        monitor | refused outOfStep | refused commanding | refused hearing | refused asking | . listening | refused exchanging | refused listening
        command | refused outOfStep | refused commanding | refused hearing | refused asking | refused ready | refused exchanging | refused listening
        interrupt | . outOfStep | C+interrupted outOfStep | C+interrupted outOfStep | C+interrupted outOfStep | . ready | interrupted ready | interrupted ready
        leave | . outOfStep | C commanding | C hearing | C asking | C ready | C exchanging | C listening
        """

    @Test func `each listed path into a phase reaches that phase`() {
        for state in Self.states {
            var dialect = CANDialect(.init(.slcan))
            var out: [DialectOutput] = []
            state.enter(&dialect, &out)
            #expect(Self.name(dialect) == state.name)
        }
    }
}
