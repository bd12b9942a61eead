import OBDCore
import VehicleLink

// SAE J1939-21: a request for a parameter group, and the group in one frame or in packets.
extension CANExchange {
    /// The source address that service tools use.
    static let testerAddress: UInt8 = 0xF9
    private static let requestGroup: UInt32 = 0xEA00

    mutating func beginGroup(_ request: VehicleRequest, _ out: inout [Output]) -> Bool {
        guard request.payload.count == 3 else { return false }
        if let target = request.target { guard target.form == .byte else { return false } }
        let destination = request.target.map { UInt8(truncatingIfNeeded: $0.value) }
        let id = J1939.Identifier(
            priority: 6, parameterGroup: Self.requestGroup,
            destination: destination ?? J1939.everyone, source: Self.testerAddress)
        let route = Route(
            request: request.target ?? ECUAddress(UInt32(J1939.everyone), .byte),
            isPhysical: destination != nil, responders: .usual)
        // An ECU that sends in packets may need 200 ms (SAE J1939-21, Tr).
        let time = max(answerTime(of: request), .milliseconds(250))
        running = Running(
            route: route, payload: request.payload,
            expected: request.mayRepeat ? request.expectedFrames : nil, answerTime: time)
        // Least significant byte first.
        send(request.payload.reversed(), to: ECUAddress(id.value, .can29), &out)
        arm(.reply, time, &out)
        return true
    }

    /// Whether a frame of SAE J1939 may be sent: a request for a group that only reads, or a frame
    /// that allows an ECU to send an answer in packets.
    static func mayLeave(group frame: CANFrame, _ consent: Consent?) -> Bool {
        let id = J1939.Identifier(frame.id.value)
        guard id.source == testerAddress else { return false }
        switch id.parameterGroup {
        case requestGroup:
            return consent != nil
                || VehicleRequest.isReadOnly(Array(frame.data).reversed(), to: nil, on: .j1939)
        case J1939.connectionManagement:
            return frame.data.count == 8 && (frame.data[0] == 0x11 || frame.data[0] == 0x13)
        default: return false
        }
    }

    mutating func receiveGroup(_ frame: CANFrame, _ out: inout [Output]) {
        guard frame.id.form == .can29 else { return }
        let id = J1939.Identifier(frame.id.value)
        if running.route.isPhysical, UInt32(id.source) != running.route.request.value { return }
        let isForUs =
            id.destination.map { $0 == J1939.everyone || $0 == Self.testerAddress } ?? true
        guard isForUs else { return }
        switch id.parameterGroup {
        case J1939.connectionManagement:
            guard takeAnnouncement(frame, id, &out) else { return }
        case J1939.dataTransfer:
            guard running.senders[id.source] == id.destination else { return }
        default:
            // ECUs also broadcast groups without a request, so check that the message answers it.
            let message = ECUMessage(
                ecu: nil, payload: Array(frame.data), parameterGroup: id.parameterGroup)
            guard message.answers(running.payload) else { return }
        }
        do throws(LinkError) {
            let framed = LinkFrame(header: frame.id, bytes: frame.data)
            if let message = try groups.receive(framed) {
                if id.parameterGroup == J1939.dataTransfer { finishPackets(of: message, id, &out) }
                if let ecu = message.ecu, message.answers(running.payload),
                    running.answerers.insert(id.source).inserted || running.waitsForSilence
                {
                    take(message, from: ecu, &out)
                }
            }
        } catch {
            // If the group was restarted before it was complete, wait for the new transmission.
            if case .interrupted = error.fault {
            } else {
                running.senders[id.source] = nil
                noteDamage(error, &out)
            }
        }
        guard isUnderWay else { return }
        if !running.senders.isEmpty {
            arm(.nextFrame, timing.nextFrame, &out)
        } else {
            disarm(.nextFrame, &out)
        }
        endIfComplete(&out)
    }

    /// Takes the announcement of a message in packets and lets the sender transmit all of them; false if it
    /// is another group.
    private mutating func takeAnnouncement(
        _ frame: CANFrame, _ id: J1939.Identifier, _ out: inout [Output]
    ) -> Bool {
        guard frame.data.count == 8 else { return false }
        let data = frame.data
        guard data[0] == 0x10 || data[0] == 0x20 else {
            return data[0] == 0xFF && running.senders[id.source] != nil
        }
        let group = [data[7], data[6], data[5]]
        let isAnswer =
            ECUMessage(
                ecu: nil, payload: [],
                parameterGroup: UInt32(data[5]) | UInt32(data[6]) << 8 | UInt32(data[7]) << 16
            ).answers(running.payload)
        guard isAnswer else { return false }
        running.senders[id.source] = id.destination ?? J1939.everyone
        if data[0] == 0x10, id.destination == Self.testerAddress {
            sendControl(
                [0x11, data[3], 0x01, 0xFF, 0xFF, group[2], group[1], group[0]], to: id.source, &out
            )
        }
        return true
    }

    /// Acknowledges a complete message to its sender, if it was sent to this tester only.
    private mutating func finishPackets(
        of message: ECUMessage, _ id: J1939.Identifier, _ out: inout [Output]
    ) {
        guard let receiver = running.senders.removeValue(forKey: id.source),
            receiver == Self.testerAddress, let group = message.parameterGroup
        else { return }
        let count = message.payload.count
        sendControl(
            [
                0x13, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
                UInt8(truncatingIfNeeded: (count + 6) / 7), 0xFF,
                UInt8(truncatingIfNeeded: group), UInt8(truncatingIfNeeded: group >> 8),
                UInt8(truncatingIfNeeded: group >> 16),
            ], to: id.source, &out)
    }

    private func sendControl(_ data: [UInt8], to source: UInt8, _ out: inout [Output]) {
        let id = J1939.Identifier(
            priority: 7, parameterGroup: J1939.connectionManagement, destination: source,
            source: Self.testerAddress)
        send(data, to: ECUAddress(id.value, .can29), &out)
    }
}
