import OBDCore
import VehicleLink

/// Converts the answers of ECUs into frames on the bus.
extension SimulatedAdapter {
    /// The frames of `answers`, in the order in which the adapter receives them.
    ///
    /// `source` is the tester's address in the request.
    func frames(
        _ answers: [SimulatedVehicle.Answer], on vehicleProtocol: VehicleProtocol, source: UInt8,
        first: Instant
    ) -> [BusFrame] {
        var frames: [BusFrame] = []
        for answer in answers {
            let all: [BusFrame]
            switch vehicleProtocol.family {
            case .can: all = framesOnCAN(answer, source: source, first: first)
            case .j1939: all = framesOnJ1939(answer, source: source, first: first)
            case .iso14230, .iso9141, .j1850:
                all = frameBeforeCAN(answer, on: vehicleProtocol, source: source, first: first)
            }
            let lost = personality.faults.contains(.lastFrameLost)
            frames += all.filter { !(lost && $0.isPart && $0.completes) }
        }
        // Sorted by position if times are equal, so that the order of the ECUs is kept.
        return frames.enumerated().sorted { left, right in
            (left.element.at, left.element.order, left.offset)
                < (right.element.at, right.element.order, right.offset)
        }.map(\.element)
    }

    private func framesOnCAN(
        _ answer: SimulatedVehicle.Answer, source: UInt8, first: Instant
    ) -> [BusFrame] {
        var identifier = answer.ecu
        if identifier.form == .can29, identifier.value >> 16 == 0x18DA {
            identifier.value = identifier.value & 0xFFFF_00FF | UInt32(source) << 8
        }
        guard
            var parts = try? ISO15765.frames(
                for: answer.payload, extendedAddress: answer.ecu.extended, padding: answer.padding)
        else { return [] }
        let whole = parts.count
        if whole > 1, !flowControlReaches(answer.ecu) { parts = [parts[0]] }
        let gap: Duration = .microseconds(500)
        let pending = answer.payload.first == 0x7F && answer.payload.last == 0x78
        if settings.joinsFrames && settings.formatting && parts.count == whole {
            let order = answer.stagger + gap * (whole - 1)
            return [
                BusFrame(
                    at: arrival(answer, order, first), order: order, identifier: identifier,
                    bytes: answer.payload, message: 0..<answer.payload.count, joined: true,
                    pending: pending)
            ]
        }
        return parts.enumerated().map { number, bytes in
            let order = answer.stagger + gap * number
            return BusFrame(
                at: arrival(answer, order, first), order: order, identifier: identifier,
                bytes: bytes, message: 0..<bytes.count,
                isPart: whole > 1, completes: number == whole - 1, pending: pending)
        }
    }

    /// A parameter group: one frame, or an announcement followed by packets 50 ms apart.
    private func framesOnJ1939(
        _ answer: SimulatedVehicle.Answer, source: UInt8, first: Instant
    ) -> [BusFrame] {
        let group = answer.parameterGroup ?? 0
        let parts = try? J1939.frames(
            for: answer.payload, parameterGroup: group,
            source: UInt8(truncatingIfNeeded: answer.ecu.value),
            destination: answer.isBroadcast ? nil : source)
        guard let parts else { return [] }
        return parts.enumerated().map { number, part in
            let order = answer.stagger + Duration.milliseconds(50) * number
            let bytes = Array(part.bytes)
            return BusFrame(
                at: arrival(answer, order, first), order: order, identifier: part.header,
                bytes: bytes, message: 0..<bytes.count, isPart: parts.count > 1,
                completes: number == parts.count - 1)
        }
    }

    private func frameBeforeCAN(
        _ answer: SimulatedVehicle.Answer, on vehicleProtocol: VehicleProtocol, source: UInt8,
        first: Instant
    ) -> [BusFrame] {
        let ecu = UInt8(truncatingIfNeeded: answer.ecu.value)
        let frame: [UInt8]?
        var header = 3
        switch vehicleProtocol.family {
        case .iso14230:
            frame = try? ISO14230.frame(
                for: answer.payload, addressing: .physical(target: source, source: ecu))
            header = frame.flatMap { ISO14230.Layout($0) }?.headerLength ?? 3
        case .iso9141:
            frame = try? ISO9141.frame(
                for: answer.payload, header: ISO9141.responseHeader(from: ecu))
        case .j1850:
            let pwm = vehicleProtocol == .j1850PWM
            frame = try? J1850.frame(
                for: answer.payload,
                header: pwm
                    ? J1850.responseHeaderPWM(from: ecu) : J1850.responseHeaderVPW(from: ecu))
        case .can, .j1939: frame = nil
        }
        // An answer that the protocol cannot carry is not sent.
        guard let frame else { return [] }
        return [
            BusFrame(
                at: arrival(answer, answer.stagger, first), order: answer.stagger, identifier: nil,
                bytes: frame, message: header..<(frame.count - 1),
                pending: answer.payload.first == 0x7F && answer.payload.last == 0x78)
        ]
    }

    /// The arrival time of a frame; without latency only the order of frames is kept, not their distance.
    private func arrival(
        _ answer: SimulatedVehicle.Answer, _ order: Duration, _ first: Instant
    ) -> Instant {
        first + answer.delay + (options.latency == .zero ? .zero : order)
    }

    /// Whether the adapter's flow control makes `ecu` send its consecutive frames.
    private func flowControlReaches(_ ecu: ECUAddress) -> Bool {
        guard settings.flowControl else { return false }
        let asked = vehicle.requestAddress(of: ecu) ?? ecu.physicalRequest
        let request = asked.value
        // With extended addressing the ECU's address comes first.
        let data = settings.flowControlData ?? (asked.extended.map { [$0] } ?? []) + [0x30]
        let goesOn = data.starts(with: (asked.extended.map { [$0] } ?? []) + [0x30])
        switch settings.flowControlMode {
        // The request address is eight below the answer on 11 bits; on 29 bits target and source are
        // exchanged.
        case 0: return request == ecu.physicalRequest.value
        case 1:
            return goesOn
                && settings.flowControlHeader.map { header in
                    header == request || (ecu.form == .can29 && header == request & 0xFF_FFFF)
                } ?? false
        default: return goesOn
        }
    }

    /// Whether the adapter shows a frame with this identifier when it is not monitoring.
    func passes(_ identifier: ECUAddress?) -> Bool {
        guard let identifier else { return true }
        if settings.filter != nil || settings.mask != nil { return passesFilter(identifier.value) }
        switch identifier.form {
        case .can11, .byte, .logical: return identifier.value & 0x7F8 == 0x7E8
        case .can29:
            return connected?.family == .j1939
                || identifier.value & 0x1FFF_FF00 == 0x18DA_F100
        }
    }

    /// The filter of ATCF, ATCM and ATCRA; true if none is set.
    func passesFilter(_ identifier: UInt32) -> Bool {
        guard let filter = settings.filter else { return true }
        let mask = settings.mask ?? 0x1FFF_FFFF
        return identifier & mask == filter & mask
    }
}
