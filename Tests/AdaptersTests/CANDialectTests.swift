import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Adapters

/// The dialect of raw CAN links.
///
/// The tests play the adapter step by step.
@Suite struct `CAN dialect` {
    private final class Bench {
        var dialect: CANDialect
        var out: [DialectOutput] = []
        var armed: Set<DialectTimer> = []

        init(_ options: CANDialect.Options) { dialect = CANDialect(options) }

        /// Updates the set of armed timers.
        func settle() {
            for output in out {
                switch output {
                case .arm(let timer, _): armed.insert(timer)
                case .disarm(let timer): armed.remove(timer)
                case .disarmAll: armed = []
                default: break
                }
            }
        }

        /// The text that was written since the last call.
        func takeText() -> String {
            settle()
            defer { out = [] }
            return text
        }

        /// The text that was written and not yet taken.
        var text: String {
            out.compactMap { output in
                if case .write(let bytes) = output {
                    String(decoding: bytes, as: UTF8.self)
                } else {
                    nil
                }
            }.joined()
        }

        func hear(_ text: String) { dialect.receive(Array(text.utf8), &out) }

        func expire(_ timer: DialectTimer) {
            settle()
            armed.remove(timer)
            dialect.expired(timer, &out)
        }

        var isReady: Bool { out.contains { if case .ready = $0 { true } else { false } } }
        var failure: InitialisationFailure? {
            out.lazy.compactMap {
                if case .initialisationFailed(let failure) = $0 { failure } else { nil }
            }.first
        }
    }

    private static let map = "t7E8806410098180001AA\r"

    /// Runs the set-up until the adapter listens at the first rate.
    private func listening(_ bench: Bench) {
        bench.dialect.initialise(&bench.out)
        #expect(bench.takeText() == "\r\rC\r")
        bench.expire(.reply)
        #expect(bench.takeText() == "V\r")
        bench.hear("V1013\r")
        #expect(bench.takeText() == "S6\r")
        bench.hear("\r")
        #expect(bench.takeText() == "L\r")
        bench.hear("\r")
        #expect(bench.takeText() == "")
    }

    @Test func `a frame at the first rate proves the rate, and the vehicle is asked at once`() {
        let bench = Bench(.init(.slcan))
        listening(bench)
        bench.hear("t0C9821D6005800000000\r")
        #expect(bench.takeText() == "C\r")
        bench.hear("\r")
        #expect(bench.takeText() == "S6\r")
        bench.hear("\r")
        #expect(bench.takeText() == "O\r")
        bench.hear("\r")
        #expect(bench.takeText() == "")
        bench.expire(.reply)
        #expect(bench.takeText() == "t7DF80201000000000000\r")
        bench.hear("z\r")
        bench.hear(Self.map)
        #expect(!bench.isReady)
        bench.expire(.reply)
        #expect(bench.isReady)
        #expect(bench.dialect.identity.banner == "slcan adapter V1013")
        #expect(bench.dialect.capabilities.vehicleProtocol == .can11At500)
        #expect(bench.dialect.identity.answer(to: [0x01, 0x00], on: nil)?.messages.count == 1)
        bench.out = []
        bench.dialect.leave(&bench.out)
        #expect(bench.takeText() == "C\r")
    }

    /// Lets every timer expire until none is armed.
    ///
    /// Returns the text that was sent.
    private func runOut(_ bench: Bench, hearing: (String) -> String? = { _ in nil }) -> String {
        var all = ""
        for _ in 0..<200 {
            let text = bench.takeText()
            all += text
            if let answer = hearing(text) {
                bench.hear(answer)
                continue
            }
            guard let timer = bench.armed.first else { break }
            bench.expire(timer)
            if bench.isReady || bench.failure != nil { break }
        }
        return all + bench.text
    }

    @Test func `where only the other rate has frames, the first rate never sends a request`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        var rate = ""
        var mode = ""
        let sent = runOut(bench) { text in
            if text.hasPrefix("S") { rate = text }
            if text == "L\r" || text == "O\r" { mode = text }
            return mode == "L\r" && rate == "S5\r" && text == "L\r" ? "t0C91AA\r" : nil
        }
        #expect(bench.failure == .noVehicle(.noData))
        let opened = sent.split(separator: "\r").split(
            separator: "O", omittingEmptySubsequences: false)
        // A frame proved this rate. The channel was opened for sending only at this rate.
        #expect(opened.count == 2)
        #expect(opened[0].last(where: { $0.hasPrefix("S") }) == "S5")
        #expect(!opened[1].contains { $0.hasPrefix("S") })
        #expect(opened[1].contains { $0.hasPrefix("t7DF") })
    }

    @Test func `a frame during the request prevents a request at a second rate`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { $0.hasPrefix("t7DF80201") ? "t0C91AA\r" : nil }
        #expect(bench.failure == .noVehicle(.noData))
        #expect(sent.components("O\r") == 1)
    }

    @Test func `on a silent bus the request is sent at 500 kbit/s, then at 250`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { $0 == "V\r" ? "V1013\r" : nil }
        #expect(bench.failure == .noVehicle(.noData))
        #expect(sent.components("O\r") == 2)
        // SAE J1939 uses 250 kbit/s.
        #expect(sent.components("T18EAFFF93CAFE00") == 1)
        #expect(sent.hasSuffix("C\r"))
    }

    /// BEL after every command: the adapter is opened by another program, or its controller is broken.
    @Test func `an error names an adapter that refuses to open the bus`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        var steps = 0
        while bench.failure == nil, steps < 200 {
            steps += 1
            bench.settle()
            if bench.text.hasSuffix("\r") {
                bench.out = []
                bench.hear("\u{7}")
            } else {
                bench.out = []
                for timer in [DialectTimer.reply, .listen] { bench.expire(timer) }
            }
        }
        #expect(bench.failure == .busNotOpened)
    }

    /// Nothing leaves the queue of the adapter, because no node acknowledges.
    @Test func `a frame that the adapter refuses counts as not acknowledged`() {
        let bench = Bench(.init(.slcan, vehicle: .unused))
        bench.dialect.initialise(&bench.out)
        for _ in 0..<20 where !bench.isReady {
            bench.dialect.expired(.reply, &bench.out)
            bench.dialect.expired(.listen, &bench.out)
        }
        #expect(bench.isReady)
        bench.dialect.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])), &bench.out)
        bench.out = []
        bench.hear("\u{7}")
        #expect(bench.out.contains(.status(.notAcknowledged)))
        #expect(bench.out.contains(.end(.complete)))
    }

    @Test func `without an acknowledgement the other rate is tried, and the reason is kept`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        var written = ""
        var steps = 0
        while bench.failure == nil, steps < 200 {
            steps += 1
            bench.settle()
            let text = bench.text
            written += text
            bench.out = []
            if text.hasPrefix("t") {
                bench.hear("e1a\r")
            } else if text.hasSuffix("\r") {
                bench.hear("\r")
                if text == "V\r" || text.contains("\rC") { bench.expire(.reply) }
            } else {
                for timer in [DialectTimer.reply, .listen] { bench.expire(timer) }
            }
        }
        #expect(bench.failure == .noVehicle(.notAcknowledged))
        #expect(written.components("t7DF8020100") == 2, "\(written)")
    }

    @Test func `an adapter that answers nothing at all is silent`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        _ = runOut(bench)
        #expect(bench.failure == .silent)
    }

    @Test func `a version of slcan without an end of line is accepted`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        _ = runOut(bench) { $0 == "V\r" ? "CANable 1.0" : nil }
        #expect(bench.dialect.identity.banner == "slcan adapter CANable 1.0")
    }

    @Test func `an adapter without listen-only mode sends the request without listening first`() {
        let bench = Bench(.init(.slcan))
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { text in
            if text == "L\r" { return "\u{7}" }
            return text.hasPrefix("t7DF") ? Self.map : nil
        }
        #expect(bench.isReady)
        #expect(sent.contains("S6\rO\r"))
    }

    @Test func `only the given protocol is tried`() {
        var bench = Bench(.init(.slcan, vehicleProtocol: .can29At250))
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { $0 == "V\r" ? "V1\r" : nil }
        #expect(bench.failure == .noVehicle(.noData))
        #expect(!sent.contains("S6") && !sent.contains("t7DF") && sent.contains("T18DB33F1"))
        bench = Bench(.init(.slcan, vehicleProtocol: .iso9141))
        bench.dialect.initialise(&bench.out)
        #expect(bench.failure == .noVehicle(.unableToConnect))
    }

    @Test func `without a vehicle the bus is open, and commands are refused`() {
        let bench = Bench(.init(.slcan, vehicle: .unused))
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { $0 == "V\r" ? "V1\r" : nil }
        #expect(bench.isReady)
        #expect(!sent.contains("t7DF") && sent.hasSuffix("S6\rO\r"))
        bench.out = []
        bench.dialect.send(
            .command(id: RequestID(rawValue: 1), text: "ATRV", mayRepeat: true), &bench.out)
        #expect(bench.out == [.end(.refused)])
    }

    @Test func `listening acknowledges nothing and sends nothing`() {
        var options = CANDialect.Options(.slcan, vehicle: .unused)
        options.onlyListens = true
        let bench = Bench(options)
        bench.dialect.initialise(&bench.out)
        let sent = runOut(bench) { $0 == "L\r" ? "t0C91AA\r" : nil }
        #expect(bench.isReady)
        #expect(!sent.contains("O") && !sent.contains("t7DF") && sent.hasSuffix("L\r"))
        bench.out = []
        bench.dialect.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])), &bench.out)
        #expect(bench.out == [.end(.refused)])
        bench.out = []
        bench.dialect.send(
            .monitor(id: RequestID(rawValue: 2), text: "AT MA", atMost: .seconds(5)), &bench.out)
        bench.hear("t0C92AABB\rT18FEF10B1FF\r")
        #expect(
            bench.out == [
                .arm(.listen, after: .seconds(5)),
                .frame(id: ECUAddress(0x0C9, .can11), data: [0xAA, 0xBB]),
                .frame(id: ECUAddress(0x18FE_F10B, .can29), data: [0xFF]),
            ])
        bench.out = []
        bench.expire(.listen)
        #expect(bench.out.contains(.end(.interrupted)))
    }

    // MARK: Interfaces

    private static func record(_ id: UInt32, _ data: [UInt8]) -> [UInt8] {
        CANRecord.bytes(of: CANFrame(ECUAddress(id, .can11), InlineBytes(data)))
    }

    @Test(
        arguments: [
            (0x20, 0x00, AdapterStatus.notAcknowledged), (0x40, 0x00, .busOff),
            (0x04, 0x10, .errorPassive), (0x04, 0x20, .errorPassive), (0x10, 0x00, .wireFault),
            (0x01, 0x00, .notAcknowledged),
        ] as [(UInt8, UInt8, AdapterStatus)])
    func `a fault of the controller ends the set-up before a second question`(
        _ kind: UInt8, _ detail: UInt8, _ status: AdapterStatus
    ) {
        let bench = Bench(.init(.interface(name: "can0", rate: 500_000)))
        bench.dialect.initialise(&bench.out)
        bench.settle()
        #expect(bench.out.contains(.write(Self.record(0x7DF, [2, 1, 0, 0, 0, 0, 0, 0]))))
        bench.out = []
        bench.dialect.receive(
            [kind, 0, 0, 0x20, 8, 0, 0, 0, 0, detail, 0, 0, 0, 0, 0, 0], &bench.out)
        #expect(bench.failure == .noVehicle(status))
        #expect(!bench.out.contains { if case .write = $0 { true } else { false } })
    }

    @Test func `an interface at 250 kbit/s is asked at 250 kbit/s`() {
        let bench = Bench(.init(.interface(name: "can0", rate: 250_000)))
        bench.dialect.initialise(&bench.out)
        bench.dialect.receive(Self.record(0x7E8, [6, 0x41, 0, 0x98, 0x18, 0, 1, 0]), &bench.out)
        bench.expire(.reply)
        #expect(bench.isReady)
        #expect(bench.dialect.capabilities.vehicleProtocol == .can11At250)
        #expect(bench.dialect.identity.banner == "CAN interface can0, 250 kbit/s")
    }

    @Test func `nothing is sent at a rate that differs from the chosen protocol's rate`() {
        let bench = Bench(
            .init(.interface(name: "can0", rate: 250_000), vehicleProtocol: .can11At500))
        bench.dialect.initialise(&bench.out)
        #expect(bench.failure == .noVehicle(.unableToConnect))
        #expect(bench.takeText() == "")
    }

    @Test func `bus-off during a request ends the request`() {
        let bench = Bench(.init(.interface(name: "can0", rate: nil), vehicle: .unused))
        bench.dialect.initialise(&bench.out)
        #expect(bench.isReady)
        bench.dialect.send(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C])), &bench.out)
        bench.out = []
        bench.dialect.receive([0x40, 0, 0, 0x20, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &bench.out)
        #expect(bench.out.contains(.status(.busOff)))
        #expect(bench.out.contains(.end(.complete)))
    }

    // MARK: Promises of a dialect

    /// With any input, each set-up and each request ends once, and nothing is sent without a
    /// request.
    @Test(arguments: 0..<300)
    func `all guarantees of the dialect hold for any bytes and any timers`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var options = CANDialect.Options(
            seed % 3 == 0 ? .interface(name: "can0", rate: nil) : .slcan,
            vehicle: [.needed, .optional, .unused][seed % 3])
        options.onlyListens = seed % 7 == 0
        var dialect = CANDialect(options)
        var awaited = 0
        var isSettingUp = false
        let pieces = [
            "\r", "\u{7}", "z\r", "V1013\r", Self.map, "t7E810\r", "t7E8", "T18DAF1108064100981",
            "t7E881014490201573041\r", "t7E882130303030343333\r", "t7E83300000\r", "x\r",
        ]
        for _ in 0..<400 {
            var out: [DialectOutput] = []
            switch Int.random(in: 0..<10, using: &generator) {
            case 0 where !isSettingUp && awaited == 0:
                dialect.initialise(&out)
                isSettingUp = true
            case 1 where !isSettingUp && awaited == 0:
                let payload = Array(
                    [[1, 0x0C], [9, 2], [], [0x22, 1, 2, 3, 4, 5, 6, 7, 8]]
                        .randomElement(using: &generator) ?? [])
                var request = VehicleRequest(
                    id: RequestID(rawValue: 1), payload: payload.map { UInt8($0) })
                if Bool.random(using: &generator) { request.target = ECUAddress(0x7E0, .can11) }
                awaited = 1
                dialect.send(.vehicle(request), &out)
            case 2: dialect.interrupt(&out)
            case 3...6:
                let timer = DialectTimer.allCases.randomElement(using: &generator) ?? .reply
                dialect.expired(timer, &out)
            default:
                dialect.receive(
                    Array((pieces.randomElement(using: &generator) ?? "").utf8), &out)
            }
            for output in out {
                switch output {
                case .ready, .initialisationFailed:
                    #expect(isSettingUp)
                    isSettingUp = false
                case .end:
                    #expect(awaited == 1)
                    awaited = 0
                case .message, .linkError, .status: #expect(awaited == 1 || isSettingUp)
                default: break
                }
            }
        }
    }
}

extension String {
    /// The number of times that `part` occurs.
    fileprivate func components(_ part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
