import OBDCore
import VehicleLink

// Handles the messages of a DoIP gateway.
extension DoIPDialect {
    mutating func take(_ message: DoIPMessage, _ version: UInt8, _ out: inout [DialectOutput]) {
        // A message in another version still refers to the version that was used to address the gateway.
        if phase == .activating, version != self.version, change(to: version, &out) { return }
        switch message {
        // Always answered, because the gateway disconnects a tester that is silent for 500 ms.
        case .aliveCheck: write(.aliveAnswer(source: options.source), &out)
        case .headerRefused(let code): takeRefusedHeader(code, &out)
        case .activationAnswer(_, let entity, let code, _): takeActivation(entity, code, &out)
        case .acknowledged(let source, let target, _):
            if concerns(source, target) { takeAcknowledgement(&out) }
        case .refused(let source, let target, let code):
            if concerns(source, target) { takeRefusal(code, &out) }
        case .diagnostic(let source, let target, let payload)
        where target == options.source && ECUAddress(UInt32(source), .logical).isLogicalECU:
            take(payload, from: source, &out)
        case .identificationRequest, .identificationRequestByEID, .identificationRequestByVIN,
            .announcement, .activationRequest, .aliveAnswer, .entityStatusRequest, .entityStatus,
            .powerModeRequest, .powerMode, .diagnostic, .other:
            out.append(.notice(.unexpected(Hex.string(message.bytes(version: version)))))
        }
    }

    /// Whether an acknowledgement belongs to the current request: it comes from the request's target.
    private func concerns(_ source: UInt16, _ target: UInt16) -> Bool {
        guard target == options.source, source == running.target else { return false }
        switch phase {
        case .findingVehicle, .exchanging: return !running.isAcknowledged
        case .outOfStep, .activating, .confirming, .settling, .ready: return false
        }
    }

    // MARK: Activation

    private mutating func takeActivation(
        _ entity: UInt16, _ code: UInt8, _ out: inout [DialectOutput]
    ) {
        switch phase {
        case .activating, .confirming: break
        case .outOfStep, .findingVehicle, .settling, .ready, .exchanging: return
        }
        switch code {
        case 0x10: takeRoute(through: entity, &out)
        case 0x11:
            if phase == .activating { phase = .confirming(1) }
            out.append(.arm(.reply, after: Self.confirmationPause))
        default: fail(.activationRefused(code: code), &out)
        }
    }

    private mutating func takeRoute(through entity: UInt16, _ out: inout [DialectOutput]) {
        identity.banner =
            "DoIP gateway \(ECUAddress(UInt32(entity), .logical)), "
            + "ISO 13400-2 version \(Hex.string([version]))"
        identity.vehicleProtocol = .doip
        capabilities.vehicleProtocol = .doip
        out.append(.notice(.protocolFound(.doip)))
        if vehicle.asksVehicle { findVehicle(0, &out) } else { becomeReady(&out) }
    }

    /// Handles a message by which the gateway rejects a header.
    private mutating func takeRefusedHeader(_ code: UInt8, _ out: inout [DialectOutput]) {
        switch phase {
        case .activating, .confirming: fail(.headerRefused(code: code), &out)
        case .findingVehicle: findNobody(Self.status(ofHeader: code), &out)
        case .exchanging:
            out.append(.status(Self.status(ofHeader: code)))
            finish(.complete, &out)
        case .outOfStep, .settling, .ready:
            out.append(.notice(.unexpected("DoIP 0000 \(Hex.string([code]))")))
        }
    }

    private static func status(ofHeader code: UInt8) -> AdapterStatus {
        switch code {
        case 0x02: .requestTooLong
        case 0x03: .gatewayBusy
        default: .messageRefused
        }
    }

    // MARK: Requests and answers

    private mutating func takeAcknowledgement(_ out: inout [DialectOutput]) {
        running.isAcknowledged = true
        // An ECU may have answered before its gateway acknowledged.
        if running.answers == 0, running.pending.isEmpty {
            out.append(.arm(.reply, after: running.answerTime))
        }
    }

    /// Handles a refusal: the gateway did not pass the request on.
    private mutating func takeRefusal(_ code: UInt8, _ out: inout [DialectOutput]) {
        let status: AdapterStatus =
            switch code {
            case 0x02: .sourceRefused
            case 0x03: .unknownTarget
            case 0x04: .requestTooLong
            case 0x05: .gatewayBusy
            case 0x06: .targetUnreachable
            case 0x07: .unknownNetwork
            default: .transportFailed
            }
        if case .findingVehicle = phase {
            findNobody(status, &out)
        } else {
            out.append(.status(status))
            finish(.complete, &out)
        }
    }

    private mutating func take(
        _ payload: [UInt8], from ecu: UInt16, _ out: inout [DialectOutput]
    ) {
        let message = ECUMessage(ecu: ECUAddress(UInt32(ecu), .logical), payload: payload)
        switch phase {
        case .findingVehicle where message.answers(running.payload):
            // Only the defined value means OBDonUDS (SAE J1979-2), and a refusal is not a support map.
            guard message.isPositiveAnswer(to: running.payload) else { return }
            guard running.payload.first != 0x22 || payload == Self.isOnUDS else { return }
            phase = .settling
            identity.note(SetupQuestion(running.payload, on: nil, messages: [message]))
            out.append(.disarm(.reply))
            out.append(.arm(.pause, after: Self.settlingTime))
        case .settling where message.answers(running.payload):
            guard let known = identity.answer(to: running.payload, on: nil) else { return }
            identity.note(
                SetupQuestion(running.payload, on: nil, messages: known.messages + [message]))
            out.append(.arm(.pause, after: Self.settlingTime))
        // A request to one ECU is answered by that ECU alone.
        case .exchanging where !running.isPhysical || ecu == running.target:
            out.append(.message(message))
            note(message, from: ecu, &out)
        case .findingVehicle, .settling: break
        case .outOfStep, .activating, .confirming, .ready, .exchanging:
            out.append(.notice(.unexpected(Hex.string(payload))))
        }
    }

    private mutating func note(
        _ message: ECUMessage, from ecu: UInt16, _ out: inout [DialectOutput]
    ) {
        guard message.answers(running.payload) else { return }
        if NegativeResponse(message.payload)?.nrc == .responsePending {
            running.pending.insert(ecu)
            out.append(.disarm(.pause))
            out.append(.arm(.reply, after: Self.pendingTime))
            return
        }
        running.pending.remove(ecu)
        running.answers += 1
        guard running.pending.isEmpty else { return }
        let isAllThatCome =
            !running.waitsForSilence
            && running.expected.map { running.answers >= $0 } ?? running.isPhysical
        if isAllThatCome {
            finish(.complete, &out)
        } else {
            out.append(.arm(.pause, after: Self.settlingTime))
        }
    }
}
