import OBDCore
import VehicleLink

/// One request under way.
struct RunningExchange: Hashable, Sendable {
    /// What waits for its prompt.
    enum Part: Hashable, Sendable {
        /// A setting that the request needs.
        case preparation
        /// The request itself.
        case request
        /// The harmless command after a request that writes.
        case cover
    }

    var request: AdapterRequest
    var part = Part.request
    /// The request as typed, without its CR.
    var command: [UInt8]
    /// Settings still to be made.
    var preparations: [String] = []
    /// Frames seen while listening.
    var frames = 0
    /// Whether a count digit was sent.
    var withDigit = false
    /// Whether the adapter has to be stopped to end the exchange, and was.
    var wasStopped = false
    /// Whether the adapter said that it restarted.
    var restarted = false
    /// Whether it answered `?` to a request with a digit; told only if the digit is not to blame.
    var refused = false
    /// Whether anything of the answer was passed on.
    var delivered = false

    /// Nothing under way.
    static let none = RunningExchange(
        request: .command(id: RequestID(rawValue: 0), text: "", mayRepeat: false), command: [])

    /// Whether it asks for one item: what refuses a digit there knows none at all.
    var isSingle: Bool {
        guard case .vehicle(let vehicle) = request else { return false }
        return vehicle.payload.count <= 2
    }

    /// How long the bus is listened to at most; nil = it is not.
    var listeningTime: Duration? {
        switch request {
        case .vehicle(let vehicle):
            switch vehicle.ending {
            case .reply: nil
            case .listen(_, let atMost): atMost
            }
        case .command: nil
        case .monitor(_, _, let atMost): atMost
        }
    }

    var listens: Bool { listeningTime != nil }
}

/// Volatile settings that requests change on the way; what the adapter has now.
struct WireSettings: Hashable, Sendable {
    /// The ECU that requests go to; nil = all.
    var target: ECUAddress?
    /// Whose answers come through.
    var responders = VehicleRequest.Responders.usual
    /// Where flow control goes instead of where the adapter would send it.
    var flowControl: ECUAddress?
    /// How long the adapter waits for an answer (`AT ST`); unit: 4 ms.
    var patience = Self.usualPatience

    /// The adapter's default.
    static let usualPatience: UInt8 = 0x32
    /// The longest, for services that take their time.
    static let longestPatience: UInt8 = 0xFF

    /// Services that answered "pending": they need the longer wait.
    var slowServices: Set<UInt8> = [0x04, 0x14]
}

extension ELM327Dialect {
    /// Sends one request.
    public mutating func send(_ request: AdapterRequest, _ out: inout [DialectOutput]) {
        guard phase == .atPrompt else {
            out.append(.end(.refused))
            return
        }
        endReading()
        received = 0
        switch request {
        case .command(_, let text, _), .monitor(_, let text, _):
            // One line, and no character that ends it early.
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                out.append(.end(.refused))
                return
            }
            running = RunningExchange(request: request, command: Array(text.utf8))
        case .vehicle(let vehicle):
            guard let spelled = spell(vehicle), let preparations = preparation(for: vehicle)
            else {
                out.append(.end(.refused))
                return
            }
            running = RunningExchange(request: request, command: spelled.command)
            running.preparations = preparations
            running.withDigit = spelled.withDigit
        }
        proceed(&out)
    }

    /// Sends the next preparation, or the request.
    private mutating func proceed(_ out: inout [DialectOutput]) {
        phase = .exchanging
        guard running.preparations.isEmpty else {
            running.part = .preparation
            write(Array(running.preparations.removeFirst().utf8), &out)
            out.append(.arm(.reply, after: .seconds(2)))
            return
        }
        running.part = .request
        guard !running.command.isEmpty else {
            end(&out)
            return
        }
        write(running.command, &out)
        out.append(.arm(.reply, after: patience))
        if let atMost = running.listeningTime { out.append(.arm(.listen, after: atMost)) }
    }

    private mutating func write(_ command: [UInt8], _ out: inout [DialectOutput]) {
        var compact = command
        // What is typed by others may have blanks and small letters.
        switch running.request {
        case .command, .monitor: compact = AdapterCommand.compact(command)
        case .vehicle: break
        }
        reader.begin(command: compact, &items)
        items.removeAll(keepingCapacity: true)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(command.count + 1)
        bytes.append(contentsOf: command)
        bytes.append(0x0D)
        out.append(.write(bytes))
    }

    /// Nothing heard for so long means that the adapter hangs.
    ///
    /// Its own wait is 0.2 s, 1 s when raised. Every line begins it anew.
    private var patience: Duration {
        // A bus may be silent for as long as it is listened to.
        if let atMost = running.listeningTime { return atMost + .seconds(2) }
        switch running.request {
        case .command, .monitor: return .seconds(5)
        case .vehicle:
            return wire.patience == WireSettings.longestPatience
                ? .seconds(6) : .milliseconds(2_500)
        }
    }

    /// The request as typed: hexadecimal, and the number of frames to wait for where it helps.
    private func spell(_ request: VehicleRequest) -> (command: [UInt8], withDigit: Bool)? {
        switch request.ending {
        case .listen: return request.payload.isEmpty ? (Array("ATMA".utf8), false) : nil
        case .reply: break
        }
        // Without segmented sending a request has to fit one frame.
        guard request.payload.count <= 7 else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(request.payload.count * 2 + 1)
        for byte in request.payload { Hex.append(byte, to: &text) }
        var withDigit = false
        if capabilities.frameCountHelps, request.mayRepeat, let frames = request.expectedFrames,
            (1...15).contains(frames)
        {
            text.append(Hex.digit(UInt8(frames)))
            withDigit = true
        }
        return (text, withDigit)
    }

    /// Settings that have to change before `request`; nil when it cannot be sent at all.
    private mutating func preparation(for request: VehicleRequest) -> [String]? {
        var commands: [String] = []
        if request.target != wire.target {
            guard let header = headerCommand(for: request.target) else { return nil }
            commands.append(header)
            wire.target = request.target
        }
        appendResponders(for: request, &commands)
        let patience = patience(for: request)
        if patience != wire.patience {
            commands.append("ATST" + Hex.string([patience]))
            wire.patience = patience
        }
        return commands
    }

    /// What the request needs `AT ST` to be; unit: 4 ms.
    private func patience(for request: VehicleRequest) -> UInt8 {
        if request.payload.first.map(wire.slowServices.contains) ?? false {
            return WireSettings.longestPatience
        }
        guard let time = request.answerTime else { return WireSettings.usualPatience }
        let units = (time.seconds * 250).rounded(.up)
        return UInt8(min(max(1, units), 255))
    }

    /// Receive filter and flow control, where they are not what the adapter does by itself.
    ///
    /// It lets through the answers of 7E8 to 7EF, or 18DAF1xx, and sends flow control to their
    /// request addresses. An ECU elsewhere needs both said.
    private mutating func appendResponders(
        for request: VehicleRequest, _ commands: inout [String]
    ) {
        var responders = request.responders
        var flowControl: ECUAddress?
        if let target = request.target, target.form == .can11, !target.isUsualRequest {
            if responders == .usual { responders = .one(target.usualResponder) }
            if case .one = responders { flowControl = target }
        }
        if responders != wire.responders {
            switch responders {
            case .usual: commands.append("ATCRA")
            case .one(let ecu): commands.append("ATCRA" + ecu.digits)
            case .matching(let pattern, let mask):
                commands.append("ATCF" + pattern.digits)
                commands.append("ATCM" + ECUAddress(mask, pattern.form).digits)
            }
            wire.responders = responders
        }
        if flowControl != wire.flowControl {
            if let flowControl {
                // The adapter takes its own mode only when header and data are known to it.
                commands.append("ATFCSH" + flowControl.digits)
                if wire.flowControl == nil { commands += ["ATFCSD300000", "ATFCSM1"] }
            } else {
                commands.append("ATFCSM0")
            }
            wire.flowControl = flowControl
        }
    }

    /// What puts the filter back where an adapter does not know `AT CRA` alone (before v1.4b).
    private func defaultFilter() -> [String] {
        switch capabilities.vehicleProtocol?.addressForm {
        case .can11: ["ATCF7E8", "ATCM7F8"]
        case .can29: ["ATCF18DAF100", "ATCM1FFFFF00"]
        case .byte, nil: []
        }
    }

    /// `AT SH` for one ECU, or back to all of them; nil where the protocol is not known.
    private func headerCommand(for target: ECUAddress?) -> String? {
        guard let vehicleProtocol = capabilities.vehicleProtocol else { return nil }
        switch vehicleProtocol.family {
        case .can:
            guard let target else {
                return vehicleProtocol.addressForm == .can11 ? "ATSH7DF" : "ATSHDB33F1"
            }
            switch target.form {
            case .can11: return "ATSH" + Hex.string(target.value, digits: 3)
            case .can29:
                // Six digits leave the highest bits as they are by default.
                guard target.value >> 24 == 0x18 else { return nil }
                return "ATSH" + Hex.string(target.value & 0xFF_FFFF, digits: 6)
            case .byte: return nil
            }
        case .iso14230:
            guard let target else { return "ATSHC233F1" }
            return target.form == .byte
                ? "ATSH82" + Hex.string(target.value, digits: 2) + "F1" : nil
        case .j1939:
            guard let target else { return "ATSHEAFFF9" }
            return target.form == .byte
                ? "ATSHEA" + Hex.string(target.value, digits: 2) + "F9" : nil
        case .iso9141, .j1850: return nil
        }
    }

    // MARK: Its reply

    /// A line came while an exchange is under way.
    mutating func takeLine(_ line: [UInt8], _ out: inout [DialectOutput]) {
        reader.read(line, number: 0, &items)
        switch running.part {
        case .preparation:
            if reader.isAnswering("ATCRA"), items.contains(where: \.isUnknownCommand) {
                running.preparations.insert(contentsOf: defaultFilter(), at: 0)
            }
            items.removeAll(keepingCapacity: true)
            return
        case .cover:
            items.removeAll(keepingCapacity: true)
            return
        case .request: break
        }
        switch running.request {
        case .command(_, let text, _):
            if !Self.isEcho(line, of: text) {
                keep(line)
                out.append(.text(String(decoding: line, as: UTF8.self)))
            }
        case .monitor(_, let text, _):
            // However much comes, it is no flood.
            received = 0
            let isOurStop = running.wasStopped && line.elementsEqual("STOPPED".utf8)
            if !Self.isEcho(line, of: text), !isOurStop {
                out.append(.text(String(decoding: line, as: UTF8.self)))
            }
        case .vehicle: if Self.isBanner(line) { running.restarted = true }
        }
        deliverItems(&out)
        if running.listens, !running.wasStopped,
            case .vehicle(let vehicle) = running.request,
            case .listen(let limit, _) = vehicle.ending, let limit, running.frames >= limit
        {
            stopListening(&out)
            return
        }
        // The search before listening is over with its line.
        if running.listens { searching = false }
        heardLines = true
    }

    /// Waits for the rest of a reply, unless its end came with the lines.
    mutating func goOnWaiting(_ out: inout [DialectOutput]) {
        guard phase == .exchanging, running.part == .request, !searching, !running.wasStopped
        else { return }
        out.append(.arm(.reply, after: patience))
    }

    /// Passes on what the reader found.
    private mutating func deliverItems(_ out: inout [DialectOutput]) {
        for item in items {
            switch item.content {
            case .message(let message):
                if message.payload.count == 3, message.payload[0] == 0x7F,
                    message.payload[2] == NRC.responsePending.rawValue
                {
                    wire.slowServices.insert(message.payload[1])
                }
                out.append(.message(message))
            case .linkError(let error, _):
                // A command's answer is text, whatever it looks like.
                if case .vehicle = running.request { out.append(.linkError(error)) }
            case .status(let status, _):
                if status == .lowVoltageReset { running.restarted = true }
                if status == .unknownCommand, running.withDigit, running.isSingle {
                    running.refused = true
                    continue
                }
                // The blank that ended the listening was ours.
                if status == .stopped && running.wasStopped { continue }
                out.append(.status(status))
            case .voltage(let volts): out.append(.voltage(volts))
            case .frame(let id, let data):
                running.frames += 1
                out.append(.frame(id: id, data: data))
            case .endOfExchange: continue
            }
            running.delivered = true
        }
        items.removeAll(keepingCapacity: true)
    }

    /// The prompt of the part under way came.
    mutating func finishPart(_ out: inout [DialectOutput]) {
        switch running.part {
        case .preparation:
            proceed(&out)
            return
        case .cover:
            end(&out)
            return
        case .request: break
        }
        heardLines = false
        reader.takePrompt(&items)
        deliverItems(&out)
        noteTypedSetting()
        if running.refused && !running.delivered {
            // The adapter knows no count digit: the request never reached the vehicle.
            capabilities.frameCountHelps = false
            out.append(.notice(.featureDropped("count digit")))
            endReading()
            running.withDigit = false
            running.refused = false
            running.command.removeLast()
            proceed(&out)
            return
        }
        if !isReadOnly(running.request) {
            // A later CR would repeat what wrote: give the adapter something harmless to remember.
            running.part = .cover
            write(Array("ATI".utf8), &out)
            out.append(.arm(.reply, after: .seconds(2)))
            return
        }
        end(&out)
    }

    /// A command that a user typed may have changed what requests count on.
    private mutating func noteTypedSetting() {
        guard case .command(_, let text, _) = running.request, let command = AdapterCommand(text)
        else { return }
        switch command {
        case .reset: wire = WireSettings()
        case .choose:
            capabilities.vehicleProtocol = reader.settings.vehicleProtocol
            setItemsPerRequest()
        case .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .voltage,
            .protocolNumber, .protocolName, .stnProtocolNumber, .monitor, .monitorGroup,
            .transmit, .other:
            break
        }
    }

    private func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let vehicle): VehicleRequest.isReadOnly(vehicle.payload)
        case .monitor: true
        case .command(_, let text, _):
            if text.utf8.allSatisfy({ Hex.value($0) != nil || $0 == 0x20 }) {
                VehicleRequest.isReadOnly(Self.payload(ofTyped: text))
            } else {
                AdapterRequest.isReadOnlyCommand(text)
            }
        }
    }

    /// The bytes of a request as typed; an odd last digit is the count digit.
    private static func payload(ofTyped text: String) -> [UInt8] {
        let digits = text.utf8.filter { $0 != 0x20 }
        let even = digits.prefix(digits.count & ~1)
        return Hex.bytes(String(decoding: even, as: UTF8.self)) ?? []
    }

    private mutating func end(_ out: inout [DialectOutput]) {
        out.append(.disarm(.reply))
        if running.listens { out.append(.disarm(.listen)) }
        endReading()
        if running.restarted {
            phase = .outOfStep
            mayOweAnswer = true
            out.append(.end(.adapterRestarted))
        } else {
            phase = .atPrompt
            out.append(.end(running.wasStopped ? .interrupted : .complete))
        }
    }

    /// Ends listening to the bus: a blank, then the prompt.
    mutating func stopListening(_ out: inout [DialectOutput]) {
        guard phase == .exchanging, running.listens, !running.wasStopped else { return }
        running.wasStopped = true
        out.append(.disarm(.listen))
        out.append(.write([0x20]))
        out.append(.arm(.reply, after: .seconds(2)))
    }
}
