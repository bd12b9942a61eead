import OBDCore
import VehicleLink

/// Requests to the vehicle.
extension SimulatedAdapter {
    /// What one message of its own changes, for STPX.
    struct RequestOptions: Sendable {
        /// A header for this request alone.
        var header: UInt32?
        /// The number of answers that ends the waiting; nil = as typed, 0 = do not wait.
        var answers: Int?
        /// How long to wait for the first answer.
        var timeout: Duration?
        /// Whether a request may be longer than one frame.
        var long = false
        /// Whether `answers` counts messages, as an OBDLink does, and not frames.
        var countsMessages = false
    }

    /// Obeys a line of hexadecimal digits; anything else is answered `?`.
    mutating func request(_ typed: [UInt8], at now: Instant) {
        var digits = typed.compactMap { Hex.value($0) }
        guard digits.count == typed.count, digits.count > 1 else {
            reply(["?"], at: now)
            return
        }
        var special = RequestOptions()
        if !digits.count.isMultiple(of: 2) {
            guard !personality.faults.contains(.noCountDigit) else {
                reply(["?"], at: now)
                return
            }
            let count = Int(digits.removeLast())
            // A zero is not special: the adapter waits as it always does.
            if count > 0 { special.answers = count }
        }
        var bytes = stride(from: 0, to: digits.count, by: 2).map {
            digits[$0] << 4 | digits[$0 + 1]
        }
        special.long = settings.splitsRequests
        guard bytes.count <= longestRequest(special) else {
            reply(["?"], at: now)
            return
        }
        if let most = personality.requestBytes { bytes = Array(bytes.prefix(most)) }
        send(bytes, special, at: now)
    }

    private func longestRequest(_ special: RequestOptions) -> Int {
        if special.long { return 4095 }
        if (connected ?? settings.chosen)?.family == .j1939 { return 8 }
        if !settings.formatting || settings.longMessages { return 8 }
        return personality.obdLink == nil ? 7 : 8
    }

    /// Opens the protocol where needed, sends, and prints what comes.
    mutating func send(_ bytes: [UInt8], _ special: RequestOptions, at now: Instant) {
        guard let begun = open(at: now), let vehicleProtocol = connected else { return }
        let header = header(on: vehicleProtocol, special.header)
        let bytes = sent(bytes, under: header, on: vehicleProtocol)
        requestCount += 1
        if requests.count >= Self.keptRequests { requests.removeFirst(Self.keptRequests / 2) }
        requests.append(
            ReceivedRequest(
                at: begun, header: header.text, payload: bytes,
                frame: firstFrame(of: bytes, on: vehicleProtocol)))
        if let limit = personality.hangsAfter, requestCount > limit {
            activity = .hung
            return
        }
        if let limit = personality.restartsAfter, requestCount.isMultiple(of: limit) {
            restart(at: begun, after: .milliseconds(500))
            return
        }
        let received = answers(to: bytes, header, special, on: vehicleProtocol, sent: begun)
        lastMessage = received.last?.bytes ?? bytes
        show(received, special, sent: begun)
    }

    /// What goes onto the bus: on SAE J1939 a request's parameter group stands least significant
    /// byte first, and is typed the other way round (ATJE).
    private func sent(
        _ bytes: [UInt8], under header: RequestHeader, on vehicleProtocol: VehicleProtocol
    ) -> [UInt8] {
        guard vehicleProtocol.family == .j1939, settings.typesGroupsForward,
            let identifier = UInt32(header.text, radix: 16),
            J1939.Identifier(identifier).parameterGroup == 0xEA00
        else { return bytes }
        return bytes.reversed()
    }

    /// What the first frame of a request holds.
    private func firstFrame(of bytes: [UInt8], on vehicleProtocol: VehicleProtocol) -> [UInt8] {
        guard vehicleProtocol.family == .can else { return bytes }
        let address = settings.extendedAddress.map { [$0] } ?? []
        guard settings.formatting else { return Array((address + bytes).prefix(8)) }
        if bytes.count <= 7 { return address + [UInt8(bytes.count)] + bytes }
        let length = [0x10 | UInt8(bytes.count >> 8 & 0xF), UInt8(bytes.count & 0xFF)]
        return Array((address + length + bytes).prefix(8))
    }

    /// Takes note of the flow control frames that `answers` of several frames call for.
    private mutating func noteFlowControl(
        for answers: [SimulatedVehicle.Answer], on vehicleProtocol: VehicleProtocol, at now: Instant
    ) {
        guard vehicleProtocol.family == .can, settings.flowControl else { return }
        for answer in answers where answer.payload.count > 7 {
            let asked = vehicle.requestAddress(of: answer.ecu) ?? answer.ecu.physicalRequest
            let address = asked.extended.map { [$0] } ?? []
            let isOwnData = settings.flowControlMode == 0
            let data =
                isOwnData
                ? address + [0x30, 0x00, 0x00] : settings.flowControlData ?? address + [0x30]
            var identifier = answer.ecu.physicalRequest.value
            if settings.flowControlMode == 1, let header = settings.flowControlHeader {
                identifier =
                    vehicleProtocol.addressForm == .can29 && header <= 0xFF_FFFF
                    ? UInt32(settings.priority) << 24 | header : header
            }
            if flowControls.count >= Self.keptRequests {
                flowControls.removeFirst(Self.keptRequests / 2)
            }
            flowControls.append(
                ReceivedRequest(
                    at: now, header: ECUAddress(identifier, vehicleProtocol.addressForm).digits,
                    payload: data, frame: data))
        }
    }

    private mutating func answers(
        to bytes: [UInt8], _ header: RequestHeader, _ special: RequestOptions,
        on vehicleProtocol: VehicleProtocol, sent: Instant
    ) -> [BusFrame] {
        var payload = bytes
        if vehicleProtocol.family == .can {
            if !settings.formatting {
                guard let control = bytes.first, control >> 4 == 0, control > 0,
                    Int(control) < bytes.count
                else { return [] }
                payload = Array(bytes[1...Int(control)])
            } else if bytes.count > 7 && !special.long {
                return []
            }
        }
        guard let target = header.target, !payload.isEmpty else { return [] }
        if personality.faults.contains(.noBatches), payload.count > 2, payload[0] == 1 { return [] }
        let delay = vehicle.jitter(request: requestCount)
        let first = sent + options.latency + delay
        let answers = vehicle.answers(to: payload, for: target, after: first - begin)
        if let last = requests.indices.last { requests[last].answers = answers }
        noteFlowControl(for: answers, on: vehicleProtocol, at: first)
        return frames(answers, on: vehicleProtocol, source: header.source, first: first)
            .filter { passes($0.identifier) }
    }

    /// Prints frames as they come, then the prompt when the waiting is over.
    private mutating func show(_ frames: [BusFrame], _ special: RequestOptions, sent: Instant) {
        guard settings.responses, special.answers != 0 else {
            finish(at: sent)
            return
        }
        let text = frameText
        let patience = special.timeout ?? answerTimeout
        var deadline = sent + patience
        var shown = 0
        var counted = 0
        var last = sent
        var budget = personality.answerCharacters
        for frame in frames where frame.at <= deadline {
            for line in text.lines(frame) {
                if let left = budget {
                    guard line.count < left else {
                        overflow(line, left: left, at: frame.at)
                        return
                    }
                    budget = left - line.count - 1
                }
                write(line, at: frame.at)
            }
            shown += 1
            if frame.completes || !special.countsMessages { counted += 1 }
            last = frame.at
            if counted == special.answers {
                finish(at: last)
                return
            }
            deadline = frame.at + lateness(frame, patience)
        }
        let end = options.latency == .zero ? last : shown == 0 ? deadline : last + quiet(patience)
        if shown == 0 { write(Array("NO DATA".utf8), at: end) }
        finish(at: end)
    }

    private mutating func finish(at end: Instant) {
        prompt(at: end)
        activity = .busy(until: output.free, interruptible: true)
    }

    private mutating func overflow(_ line: [UInt8], left: Int, at now: Instant) {
        switch personality.overflow {
        case .cut:
            write(Array(line.prefix(max(0, left))), at: now)
            finish(at: now)
        case .bufferFull:
            write(Array(line.prefix(max(0, left))) + Array("BUFFER FULL".utf8), at: now)
            finish(at: now)
        case .hang:
            activity = .hung
        }
    }

    /// How frames are written now.
    var frameText: FrameText {
        FrameText(
            settings: settings,
            headers: settings.headers && !personality.faults.contains(.noHeaders),
            spaces: settings.spaces && !personality.faults.contains(.noSpaces),
            isJ1939: connected?.family == .j1939)
    }

    /// How long a request waits for its first answer.
    private var answerTimeout: Duration {
        settings.answerTimeout
            * (connected?.family == .j1939 && settings.slowGroups ? 5 : 1)
    }

    /// How long the adapter waits for more after the last answer.
    private func quiet(_ patience: Duration) -> Duration {
        if let wait = options.wait { return wait }
        // Adaptive timing knows nothing of SAE J1939.
        if connected?.family == .j1939 { return patience }
        let learnt =
            options.latency + .milliseconds(vehicle.vehicleProtocol.family.isLegacy ? 40 : 10)
        switch settings.adaptive {
        case 0: return patience
        case 1: return min(patience, learnt)
        default: return min(patience, learnt / 2)
        }
    }

    /// How late the next frame may be.
    private func lateness(_ frame: BusFrame, _ patience: Duration) -> Duration {
        let checks = parameters.active(0x2A) ?? 0x3C
        // From v2.0 on the adapter itself waits out "response pending" (PP 2A bit 2).
        if frame.pending && personality.version >= 200 && checks & 0x04 != 0 { return .seconds(5) }
        return max(quiet(patience), .milliseconds(60))
    }
}
