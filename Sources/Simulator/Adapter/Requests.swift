import OBDCore
import VehicleLink

/// Requests to the vehicle.
extension SimulatedAdapter {
    /// The options of a single request, for STPX.
    struct RequestOptions: Sendable {
        /// A header for this request only.
        var header: UInt32?
        /// The number of answers after which to stop waiting; nil as typed, 0 for no wait.
        var answers: Int?
        /// The time to wait for the first answer.
        var timeout: Duration?
        /// Whether a request may be longer than one frame.
        var long = false
        /// Whether `answers` counts messages, as an OBDLink does, and not frames.
        var countsMessages = false
    }

    /// Runs a line of hexadecimal digits; anything else is answered with `?`.
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
            // A zero has no special meaning: the adapter waits as usual.
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

    /// Opens the protocol if needed, sends the request, and prints the answers.
    mutating func send(_ bytes: [UInt8], _ special: RequestOptions, at now: Instant) {
        guard let begun = open(at: now), let vehicleProtocol = connected else { return }
        let header = header(on: vehicleProtocol, special.header)
        let bytes = sent(bytes, under: header, on: vehicleProtocol)
        requestCount += 1
        if requests.count >= Self.keptRequests { requests.removeFirst(Self.keptRequests / 2) }
        requests.append(
            ReceivedRequest(
                at: begun, header: header.text, payload: bytes,
                frames: frames(of: bytes, on: vehicleProtocol)))
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

    /// The bytes on the bus.
    ///
    /// On SAE J1939 the parameter group of a request is sent least significant byte first but typed in the
    /// opposite order (ATJE).
    private func sent(
        _ bytes: [UInt8], under header: RequestHeader, on vehicleProtocol: VehicleProtocol
    ) -> [UInt8] {
        guard vehicleProtocol.family == .j1939, settings.typesGroupsForward,
            let identifier = UInt32(header.text, radix: 16),
            J1939.Identifier(identifier).parameterGroup == 0xEA00
        else { return bytes }
        return bytes.reversed()
    }

    /// The content of a request's frames.
    private func frames(of bytes: [UInt8], on vehicleProtocol: VehicleProtocol) -> [[UInt8]] {
        guard vehicleProtocol.family == .can else { return [bytes] }
        let address = settings.extendedAddress.map { [$0] } ?? []
        guard settings.formatting else { return [Array((address + bytes).prefix(8))] }
        if bytes.count <= 7 { return [Array((address + [UInt8(bytes.count)] + bytes).prefix(8))] }
        return (try? ISO15765.frames(for: bytes, extendedAddress: settings.extendedAddress)) ?? []
    }

    /// Records the flow control frames for `answers` of several frames.
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
                    payload: data, frames: [data]))
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

    /// Prints frames as they arrive, then the prompt after the wait.
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

    /// The current format of frames.
    var frameText: FrameText {
        FrameText(
            settings: settings,
            headers: settings.headers && !personality.faults.contains(.noHeaders),
            spaces: settings.spaces && !personality.faults.contains(.noSpaces),
            isJ1939: connected?.family == .j1939)
    }

    /// The time that a request waits for its first answer.
    private var answerTimeout: Duration {
        settings.answerTimeout
            * (connected?.family == .j1939 && settings.slowGroups ? 5 : 1)
    }

    /// The time that the adapter waits for more answers after the last one.
    private func quiet(_ patience: Duration) -> Duration {
        if let wait = options.wait { return wait }
        // Adaptive timing does not work on SAE J1939.
        if connected?.family == .j1939 { return patience }
        let learnt =
            options.latency + .milliseconds(vehicle.vehicleProtocol.family.isLegacy ? 40 : 10)
        switch settings.adaptive {
        case 0: return patience
        case 1: return min(patience, learnt)
        default: return min(patience, learnt / 2)
        }
    }

    /// The time that the adapter waits for the next frame.
    private func lateness(_ frame: BusFrame, _ patience: Duration) -> Duration {
        let checks = parameters.active(0x2A) ?? 0x3C
        // From v2.0 on, the adapter itself waits after "response pending" (PP 2A bit 2).
        if frame.pending && personality.version >= 200 && checks & 0x04 != 0 { return .seconds(5) }
        return max(quiet(patience), .milliseconds(60))
    }
}
