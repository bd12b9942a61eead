import OBDCore
import VehicleLink

/// Handles the frames of a GoLink adapter.
extension GoLinkDialect {
    mutating func take(_ frame: GoLinkFrame, _ out: inout [DialectOutput]) {
        switch frame {
        case .data(let ecu, let payload): take(payload, from: ecu, &out)
        case .busType(let type, let keywords): takeBus(type, keywords, &out)
        case .failure(let failure, let request): take(failure, of: request, &out)
        case .unknown, .request, .busTypeRequest:
            out.append(.notice(.unexpected(Hex.string(frame.bytes ?? []))))
        }
    }

    private mutating func take(
        _ payload: [UInt8], from ecu: UInt8, _ out: inout [DialectOutput]
    ) {
        let message = ECUMessage(ecu: address(of: ecu), payload: payload)
        switch phase {
        case .findingVehicle where Self.answers(payload, running.payload):
            // Only the defined value means OBDonUDS (SAE J1979-2).
            guard running.payload != Self.onUDS || payload == Self.isOnUDS else { return }
            phase = .settling
            identity.note(SetupQuestion(running.payload, on: nil, messages: [message]))
            out.append(.disarm(.reply))
        case .settling where Self.answers(payload, running.payload):
            guard let known = identity.answer(to: running.payload, on: nil) else { return }
            identity.note(
                SetupQuestion(running.payload, on: nil, messages: known.messages + [message]))
        case .exchanging:
            out.append(.message(message))
            note(payload, from: ecu, &out)
        case .findingVehicle, .settling: break
        case .outOfStep, .askingBus, .ready:
            out.append(.notice(.unexpected(Hex.string(payload))))
        }
    }

    private mutating func note(
        _ payload: [UInt8], from ecu: UInt8, _ out: inout [DialectOutput]
    ) {
        guard Self.answers(payload, running.payload) else { return }
        if NegativeResponse(payload)?.nrc == .responsePending {
            running.pending.insert(ecu)
            out.append(.disarm(.pause))
            out.append(.arm(.reply, after: Self.pendingPatience))
            return
        }
        running.pending.remove(ecu)
        running.answers += 1
        // An open partial frame would otherwise count as the start of the next answer.
        if let expected = running.expected, running.answers >= expected, running.pending.isEmpty,
            !running.isDamaged, !lexer.isSkipping, lexer.partialFrame == nil
        {
            finish(.complete, &out)
        }
    }

    private mutating func takeBus(
        _ type: UInt8, _ keywords: [UInt8], _ out: inout [DialectOutput]
    ) {
        guard case .askingBus = phase else { return }
        guard let found = VehicleProtocol(goLinkBus: type, keywords: keywords),
            options.vehicleProtocol.map({ $0 == found }) ?? true
        else {
            // The device chooses its bus itself and cannot be set to another.
            if vehicle.asksVehicle {
                fail(.noVehicle(.unableToConnect), &out)
            } else {
                becomeReady(&out)
            }
            return
        }
        identity.vehicleProtocol = found
        identity.protocolWasSearched = true
        capabilities.vehicleProtocol = found
        out.append(.notice(.protocolFound(found)))
        if vehicle.asksVehicle {
            findVehicle(attempt: 0, &out)
        } else {
            becomeReady(&out)
        }
    }

    private mutating func take(
        _ failure: GoLinkFrame.Failure, of request: [UInt8], _ out: inout [DialectOutput]
    ) {
        if failure == .sleepsSoon {
            out.append(.notice(.aboutToSleep))
            return
        }
        switch phase {
        case .findingVehicle(let attempt) where Self.concerns(request, running.payload):
            findVehicle(attempt: attempt + 1, &out)
        case .exchanging where Self.concerns(request, running.payload):
            switch failure {
            case .noResponse: out.append(.status(.noData))
            case .bufferOverrun: out.append(.status(.bufferFull))
            case .other, .sleepsSoon: out.append(.status(.internalError))
            }
            finish(.complete, &out)
        case .findingVehicle, .exchanging, .outOfStep, .askingBus, .settling, .ready:
            // A late frame for an abandoned request.
            break
        }
    }

    /// Handles bytes that were not a frame.
    mutating func takeDamage(_ out: inout [DialectOutput]) {
        // The damaged frame may have been another ECU's answer.
        if phase == .settling { identity.forget(running.payload, on: nil) }
        guard phase == .exchanging else { return }
        running.isDamaged = true
        out.append(.linkError(LinkError(.notAFrame)))
    }

    /// The full address of an ECU from its low byte, which is all that the device sends.
    private func address(of low: UInt8) -> ECUAddress? {
        guard let vehicleProtocol = capabilities.vehicleProtocol else { return nil }
        switch vehicleProtocol.addressForm {
        case .can11: return ECUAddress(0x700 | UInt32(low), .can11)
        case .can29: return ECUAddress(0x18DA_F100 | UInt32(low), .can29)
        case .byte: return ECUAddress(UInt32(low), .byte)
        case .logical: return nil
        }
    }

    /// Whether `payload` answers `request`, by its service and, if both have one, its identifier.
    ///
    /// The frames contain nothing else that links an answer to its request.
    static func answers(_ payload: [UInt8], _ request: [UInt8]) -> Bool {
        ECUMessage(ecu: nil, payload: payload).answers(request)
    }

    /// Whether an error frame is about `request`; a frame without a request is about the current one.
    private static func concerns(_ named: [UInt8], _ request: [UInt8]) -> Bool {
        zip(named, request).allSatisfy { $0 == $1 }
    }
}
