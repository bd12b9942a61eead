import OBDCore
import VehicleLink

// ISO 15765-2: long requests out, answers in.
extension CANExchange {
    // MARK: Long requests

    /// Takes a flow control frame for the request that is being sent; false for any other frame.
    mutating func takeFlowControl(
        _ frame: CANFrame, _ sending: Sending, _ out: inout [Output]
    ) -> Bool {
        let place = running.route.extended == nil ? 0 : 1
        guard frame.data.count > place, frame.data[place] >> 4 == 3, answersOurAddress(frame) else {
            return false
        }
        // An unexpected flow control frame, from a second tester or sent twice.
        guard sending.awaitsFlowControl else { return true }
        // The frame is too short to have the block size and the separation time.
        guard frame.data.count >= place + 3 else {
            out.append(
                .tell(
                    .linkError(
                        LinkError(
                            .tooShort(expected: place + 3, received: frame.data.count),
                            ecu: frame.id))))
            return true
        }
        switch frame.data[place] & 0x0F {
        case 0:
            let block = Int(frame.data[place + 1])
            running.sending?.block = block == 0 ? nil : block
            running.sending?.separation = Self.separation(frame.data[place + 2])
            running.sending?.waits = 0
            running.sending?.awaitsFlowControl = false
            disarm(.flowControl, &out)
            continueSending(&out)
        case 1 where sending.waits < Self.mostWaits:
            running.sending?.waits += 1
            arm(.flowControl, timing.flowControl, &out)
        // Too many waits, an overflow, or a flow status that ISO 15765-2 does not define: the ECU rejects the
        // request.
        default: fail(.flowControlTimeout, &out)
        }
        return true
    }

    /// The time between two frames that an ECU requests (STmin).
    static func separation(_ byte: UInt8) -> Duration {
        switch byte {
        case 0x00...0x7F: .milliseconds(Int(byte))
        case 0xF1...0xF9: .microseconds(Int(byte - 0xF0) * 100)
        // Reserved values mean the longest time.
        default: .milliseconds(127)
        }
    }

    /// Sends as many frames as are allowed now.
    mutating func continueSending(_ out: inout [Output]) {
        guard var sending = running.sending, !sending.awaitsFlowControl else { return }
        let target = running.route.request
        while let frame = sending.rest.popFirst() {
            send(frame, to: target, &out)
            if let left = sending.block {
                sending.block = left - 1
                if left == 1, !sending.rest.isEmpty {
                    sending.awaitsFlowControl = true
                    running.sending = sending
                    arm(.flowControl, timing.flowControl, &out)
                    return
                }
            }
            if sending.separation > .zero, !sending.rest.isEmpty {
                running.sending = sending
                arm(.pacing, sending.separation, &out)
                return
            }
        }
        running.sending = nil
        arm(.reply, running.answerTime, &out)
    }

    // MARK: Answers

    /// Whether a frame is addressed to this tester; with extended addressing the frame contains the tester's
    /// address.
    private func answersOurAddress(_ frame: CANFrame) -> Bool {
        guard case .one(let ecu) = running.route.responders, let extended = ecu.extended else {
            return true
        }
        return frame.data.first == extended
    }

    /// Takes a frame from an ECU that may answer.
    mutating func receiveAnswer(_ frame: CANFrame, _ route: Route, _ out: inout [Output]) {
        let isExtended = route.extended != nil
        let place = isExtended ? 1 : 0
        guard frame.data.count > place, answersOurAddress(frame) else { return }
        let control = frame.data[place]
        let low = frame.data.count > place + 1 ? Int(frame.data[place + 1]) : 0
        // A first frame is full and announces more data than fits into a single frame.
        let isFirst =
            control >> 4 == 1 && frame.data.count == ISO15765.frameLength
            && Int(control & 0x0F) << 8 | low >= ISO15765.frameLength - place
        var ecu = frame.id
        if isExtended { ecu.extended = frame.data[0] }
        let isKnown =
            isExtended ? extendedAssembler.isUnderWay(ecu) : assembler.isUnderWay(ecu)
        switch control >> 4 {
        // A single frame or a first frame that answers another tester is ignored.
        case 0 where !isOurs(frame, from: place + 1, count: Int(control & 0x0F)): return
        case 1 where !isOurs(frame, from: place + 2, count: ISO15765.frameLength):
            // The ECU has stopped answering us. Later frames of this ECU are not the rest of our answer.
            if isKnown, let error = abandonMessage(of: ecu) {
                noteDamage(error, &out)
                goOn(wasUnderWay: true, &out)
            }
            return
        // An ECU answers a request once, and its flow control is the matter of the tester that asked again.
        case 0 where hasAnswered(ecu, refuses: low == 0x7F): return
        case 1 where hasAnswered(ecu, refuses: false): return
        // The same answer from its beginning: the frame was doubled, or the ECU was asked again.
        case 1 where isFirst && isKnown: _ = abandonMessage(of: ecu)
        // Such a request is not complete, so an ECU can only refuse it.
        case 0 where running.isSending && low != 0x7F: return
        case 1 where running.isSending: return
        // Without its first frame the frame is the rest of an earlier answer.
        case 2 where !isKnown: return
        // The flow control of other testers.
        case 3: return
        default: break
        }
        let framed = LinkFrame(header: frame.id, bytes: frame.data)
        do throws(LinkError) {
            let message =
                isExtended
                ? try extendedAssembler.receive(framed) : try assembler.receive(framed)
            if let message { take(message, from: ecu, &out) }
        } catch {
            noteDamage(error, &out)
        }
        if isFirst {
            let data = (route.extended.map { [$0] } ?? []) + ISO15765.flowControl
            send(padded(data), to: route.flowControl(for: ecu), &out)
        }
        goOn(wasUnderWay: isKnown, &out)
    }

    /// Waits for the next frame of an answer that has begun, or ends the exchange if it is complete.
    private mutating func goOn(wasUnderWay: Bool, _ out: inout [Output]) {
        guard isUnderWay else { return }
        if assembler.hasOpenMessages || extendedAssembler.hasOpenMessages {
            arm(.nextFrame, timing.nextFrame, &out)
        } else if wasUnderWay {
            disarm(.nextFrame, &out)
        }
        endIfComplete(&out)
    }

    /// Whether this ECU has given its answer; only data after a refusal are still of interest, because the
    /// refusal may have been for another tester.
    private func hasAnswered(_ ecu: ECUAddress, refuses: Bool) -> Bool {
        !running.waitsForSilence
            && finished.contains { $0.ecu == ecu && (refuses || !$0.isRefusal) }
    }

    /// Drops the received frames of an ECU's answer, and the frames still to come; returns the error if it
    /// was incomplete.
    private mutating func abandonMessage(of ecu: ECUAddress) -> LinkError? {
        ecu.extended != nil ? extendedAssembler.abandon(ecu) : assembler.abandon(ecu)
    }

    func padded(_ data: [UInt8]) -> [UInt8] {
        data + [UInt8](repeating: timing.padding, count: max(0, ISO15765.frameLength - data.count))
    }

    /// Whether the data at `place` answers the current request, as far as the frame shows.
    private func isOurs(_ frame: CANFrame, from place: Int, count: Int) -> Bool {
        let data = frame.data
        let end = min(data.count, place + count)
        guard place < end else { return true }
        return ECUMessage.answers(
            running.payload, count: end - place, first: data[place],
            second: end - place > 1 ? data[place + 1] : 0,
            third: end - place > 2 ? data[place + 2] : 0)
    }

    mutating func noteDamage(_ error: LinkError, _ out: inout [Output]) {
        running.isDamaged = true
        out.append(.tell(.linkError(error)))
    }

    /// Takes a complete message that answers the current request.
    mutating func take(_ message: ECUMessage, from ecu: ECUAddress, _ out: inout [Output]) {
        guard isUnderWay, message.answers(running.payload) else { return }
        let isSending = running.isSending
        let isPending = NegativeResponse(message.payload)?.nrc == .responsePending
        if isPending, isSending { return }
        out.append(.tell(.message(message)))
        running.messages += 1
        if isPending {
            running.pending.insert(ecu)
            running.isLate = false
            arm(.reply, timing.pending, &out)
            return
        }
        if isSending {
            // The ECU has answered before it received the whole request, so it refuses the request.
            running.sending = nil
            disarm(.flowControl, &out)
            disarm(.pacing, &out)
        }
        if !running.pending.isEmpty, running.pending.remove(ecu) != nil, running.pending.isEmpty {
            // The time of the other ECUs is over; only answers that have begun are still awaited.
            arm(.reply, running.answerTime, &out)
        }
        running.answers += 1
        running.frames += message.frames
        finished.append(
            Finished(ecu: ecu, isRefusal: message.payload.first == 0x7F))
    }
}
