import Accessory
import Adapters
import Glibc
import OBDCore
import SystemIO
import TripExport

/// `send --accessory-demo`: positions and buttons in, lamps and ten kilobytes out, over an accessory
/// that speaks the four-byte demonstration protocol.
struct AccessoryDemo: ~Copyable {
    /// What is sent, one step every half second.
    private enum Step {
        case lampOn, lampOff, bulk
    }

    /// Frames of the long transfer: 10 KB.
    private static let bulkFrames = 10_240 / 4
    /// Nothing heard for so long means that nobody is there; positions come 20 times a second.
    private static let patience = Duration.seconds(3)

    private var session: DescriptorSession
    private let name: String
    private let output: OutputOptions
    private var lexer = PaddleLexer()
    private var writer = TextOutput.standard
    private var position: UInt16?
    private var buttons: UInt16?
    private var frames = 0
    private var sent = 0
    private var steps: [Step] = [.lampOn, .lampOff, .bulk]

    /// Runs the demonstration on `address` until `duration` is up or Ctrl-C.
    static func run(
        on address: AccessoryAddress, for duration: Duration, _ output: OutputOptions
    ) throws {
        let inbox = try SignalInbox(SignalInbox.endings)
        let connector = try connector(for: address)
        do {
            guard let session = try connector.open(cancelledBy: inbox.descriptor) else {
                if let number = inbox.next() { SignalInbox.die(of: number) }
                return
            }
            var demo = AccessoryDemo(session, connector.name, output)
            try demo.run(for: duration, until: inbox.descriptor)
        } catch let error as AccessoryError {
            throw Failure(error)
        } catch let error as SystemError {
            throw Failure(error)
        }
    }

    private init(_ session: consuming DescriptorSession, _ name: String, _ output: OutputOptions) {
        self.session = session
        self.name = name
        self.output = output
    }

    private mutating func run(for duration: Duration, until stop: Int32) throws {
        let begin = SystemClock.now()
        let end = begin + duration
        var nextStep = begin + .milliseconds(500)
        var lastHeard = begin
        var set = PollSet()
        while true {
            let waiting = session.wantsToWrite
            set.removeAll()
            let link = set.add(session.descriptor, reading: true, writing: waiting)
            let flag = set.add(stop)
            let stepAt = steps.isEmpty || waiting ? end : nextStep
            try set.wait(until: min(end, stepAt, lastHeard + Self.patience))
            let now = SystemClock.now()
            if set.isReadable(flag) || now >= end { break }
            if waiting, set.isWritable(link) { try session.flush() }
            if set.isReadable(link) {
                for frame in lexer.receive(try session.receive()) where Self.isNews(frame) {
                    lastHeard = now
                    try take(frame)
                }
                try writer.flush()
            }
            if now >= lastHeard + Self.patience {
                throw Failure(
                    "\(name) sends no frames of \(PaddleFrame.protocolString)",
                    hint: "try the simulated one: obdscan send --accessory-demo -d sim:paddle",
                    status: .unavailable)
            }
            if now >= nextStep, !steps.isEmpty, !session.wantsToWrite {
                try send(steps.removeFirst())
                nextStep = now + .milliseconds(500)
            }
        }
        // The lamps go out with the demonstration.
        try session.write(PaddleFrame(.lamps, 0).bytes)
        try finish()
    }

    /// Whether an accessory may say this; its own frames back are what an echoing terminal sends.
    private static func isNews(_ frame: PaddleFrame) -> Bool {
        frame.command == .position || frame.command == .buttons
    }

    private mutating func take(_ frame: PaddleFrame) throws {
        frames += 1
        switch frame.command {
        case .position where position != frame.payload:
            position = frame.payload
            try tell("position", frame.payload)
        case .buttons where buttons != frame.payload:
            buttons = frame.payload
            try tell("buttons", frame.payload)
        case .position, .buttons, .lamps, .reserved: break
        }
    }

    private mutating func send(_ step: Step) throws {
        switch step {
        case .lampOn: try send(lamps: 1)
        case .lampOff: try send(lamps: 0)
        case .bulk:
            var bytes: [UInt8] = []
            for number in 0..<Self.bulkFrames {
                bytes += PaddleFrame(.lamps, UInt16(truncatingIfNeeded: number)).bytes
            }
            sent += bytes.count
            try session.write(bytes)
            output.note("sent \(bytes.count) bytes")
        }
    }

    private mutating func send(lamps: UInt16) throws {
        let bytes = PaddleFrame(.lamps, lamps).bytes
        sent += bytes.count
        try session.write(bytes)
        output.note("lamps \(Hex.string(UInt32(lamps), digits: 4))")
    }

    private mutating func tell(_ what: String, _ value: UInt16) throws {
        switch output.format {
        case .json:
            var object = JSONObject()
            object.add("kind", what)
            object.add("time", SystemClock.utc)
            object.add("value", Int(value))
            try writer.append { object.append(to: &$0) }
        case .csv: try writer.writeLine("\(SystemClock.utc),\(what),\(value)")
        case .text: try writer.writeLine("\(what) \(value)")
        }
    }

    private mutating func finish() throws {
        if output.format == .json {
            var object = JSONObject()
            object.add("kind", "summary")
            object.add("frames", frames)
            object.add("damaged", lexer.damaged)
            object.add("strayBytes", lexer.stray)
            object.add("bytesSent", sent)
            try writer.append { object.append(to: &$0) }
            try writer.flush()
        } else {
            output.note(
                "\(frames) frames, \(lexer.damaged) damaged, \(lexer.stray) stray bytes; "
                    + "\(sent) bytes sent")
        }
    }
}
