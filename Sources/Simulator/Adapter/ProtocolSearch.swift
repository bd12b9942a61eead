import OBDCore
import VehicleLink

/// Opens the vehicle's protocol: searches, initialises, or fails.
extension SimulatedAdapter {
    /// Opens a protocol unless one is open.
    ///
    /// Returns the time at which a request can be sent; nil if the search failed and reported that.
    mutating func open(at now: Instant) -> Instant? {
        if let connected, connected == (settings.chosen ?? connected) { return now }
        search = nil
        if settings.automatic { return searchForProtocol(at: now) }
        let chosen = settings.chosen ?? .can11At500
        let right = vehicle.ignition && chosen == vehicle.vehicleProtocol
        switch chosen {
        case .can11At500, .can29At500, .can11At250, .can29At250, .userCAN1, .userCAN2, .j1939,
            .doip:
            // On the right bus with the wrong identifiers, frames are acknowledged but not answered.
            guard right || (vehicle.ignition && Self.sameBus(chosen, vehicle.vehicleProtocol))
            else {
                fail("CAN ERROR", at: now, after: .milliseconds(80))
                return nil
            }
        case .j1850PWM, .j1850VPW:
            guard right else {
                fail("NO DATA", at: now, after: settings.answerTimeout)
                return nil
            }
        case .iso9141, .iso14230Slow, .iso14230Fast:
            guard let ready = busInit(chosen, succeeds: right, at: now) else { return nil }
            connected = chosen
            return ready
        }
        connected = chosen
        return now
    }

    /// ATFI and ATSI: a manual initialisation.
    mutating func initialise(_ chosen: VehicleProtocol, at now: Instant) {
        let isKLine = chosen.family == .iso14230 || chosen.family == .iso9141
        guard connected == nil, isKLine, settings.chosen == nil || settings.chosen == chosen else {
            reply(["?"], at: now)
            return
        }
        let right = vehicle.ignition && chosen == vehicle.vehicleProtocol
        guard let ready = busInit(chosen, succeeds: right, at: now) else { return }
        connected = chosen
        prompt(at: ready)
    }

    private mutating func searchForProtocol(at now: Instant) -> Instant? {
        output.append(Array("SEARCHING...".utf8), at: now)
        // The adapter itself sends 01 00; a vehicle that does not answer it is not found.
        let isAnswered = !vehicle.answers(to: [0x01, 0x00], for: .everybody, after: now - begin)
            .isEmpty
        let found = isAnswered ? vehicle.vehicleProtocol : nil
        let known = found != nil && found == settings.chosen
        let ends = now + (known ? firstTryTime(found) : searchTime(found))
        search = (ends, connected)
        output.append(lineEnd, at: ends)
        guard let found else {
            write(Array("UNABLE TO CONNECT".utf8), at: ends)
            prompt(at: ends)
            activity = .busy(until: output.free, interruptible: true)
            return nil
        }
        connected = found
        settings.chosen = found
        if settings.memory { remembered = found }
        return ends
    }

    /// The time to open the first protocol.
    private func firstTryTime(_ found: VehicleProtocol?) -> Duration {
        if let search = options.search { return search / 8 }
        guard options.latency > .zero else { return .zero }
        return switch found {
        case .can11At500, .can29At500, .can11At250, .can29At250, .j1939, .userCAN1, .userCAN2,
            .j1850PWM, .j1850VPW, .doip, nil:
            .milliseconds(100)
        case .iso9141, .iso14230Slow: .milliseconds(2400)
        case .iso14230Fast: .milliseconds(100)
        }
    }

    /// The time of a search that finds `found`; nil means that it fails.
    private func searchTime(_ found: VehicleProtocol?) -> Duration {
        if let search = options.search { return search }
        guard options.latency > .zero else { return .zero }
        switch found {
        case .can11At500: return .milliseconds(100)
        case .can29At500: return .milliseconds(200)
        case .can11At250: return .milliseconds(300)
        case .can29At250: return .milliseconds(400)
        case .j1850PWM, .j1850VPW: return .milliseconds(1200)
        // An initialisation at 5 baud takes two seconds.
        case .iso9141, .iso14230Slow: return .milliseconds(3600)
        case .iso14230Fast: return .milliseconds(1800)
        case .j1939, .userCAN1, .userCAN2, .doip, nil: return .milliseconds(5200)
        }
    }

    /// Prints `BUS INIT: …`; nil if it failed.
    private mutating func busInit(
        _ chosen: VehicleProtocol, succeeds: Bool, at now: Instant
    ) -> Instant? {
        let slow = chosen != .iso14230Fast
        let full: Duration = slow ? .milliseconds(2400) : .milliseconds(90)
        let time = options.search ?? (options.latency == .zero ? .zero : full)
        output.append(Array("BUS INIT: ".utf8), at: now)
        if slow {
            for third in 1...3 { output.append([UInt8(ascii: ".")], at: now + time * third / 4) }
        }
        let ends = now + time
        search = (ends, connected)
        output.append(Array((succeeds ? "OK" : "ERROR").utf8) + lineEnd, at: ends)
        if !succeeds {
            prompt(at: ends)
            activity = .busy(until: output.free, interruptible: true)
        }
        return succeeds ? ends : nil
    }

    private mutating func fail(_ text: String, at now: Instant, after time: Duration) {
        let ends = now + (options.latency == .zero ? .zero : time)
        write(Array(text.utf8), at: ends)
        prompt(at: ends)
        activity = .busy(until: output.free, interruptible: true)
    }

    private static func sameBus(_ left: VehicleProtocol, _ right: VehicleProtocol) -> Bool {
        let fast: Set<VehicleProtocol> = [.can11At500, .can29At500]
        let slow: Set<VehicleProtocol> = [.can11At250, .can29At250, .j1939]
        return (fast.contains(left) && fast.contains(right))
            || (slow.contains(left) && slow.contains(right))
    }
}

/// A request's header and the ECUs that receive it.
struct RequestHeader: Hashable, Sendable {
    /// As on the wire: `7DF`, `18DB33F1`, `686AF1`.
    var text: String
    /// The ECUs that receive the request; nil for none.
    var target: SimulatedVehicle.Target?
    /// The tester's address in the header.
    var source: UInt8
}

extension SimulatedAdapter {
    /// The header of the next request: that of ATSH, or the protocol's default.
    func header(on vehicleProtocol: VehicleProtocol, _ special: UInt32?) -> RequestHeader {
        let own = vehicleProtocol == vehicle.vehicleProtocol
        switch vehicleProtocol.addressForm {
        case .can11:
            let identifier = (special ?? settings.header ?? 0x7DF) & 0x7FF
            let address = ECUAddress(identifier, .can11, extended: settings.extendedAddress)
            let target: SimulatedVehicle.Target? =
                identifier == 0x7DF && settings.extendedAddress == nil
                ? .everybody : vehicle.answerer(at: address).map { .one($0) }
            return RequestHeader(
                text: Hex.string(identifier, digits: 3), target: own ? target : nil, source: 0xF1)
        case .can29 where vehicleProtocol.family == .j1939:
            return headerOnJ1939(special, own: own)
        case .can29:
            var identifier = special ?? settings.header ?? 0xDB_33F1
            if identifier <= 0xFF_FFFF { identifier |= UInt32(settings.priority) << 24 }
            let source = UInt8(truncatingIfNeeded: identifier)
            var target: SimulatedVehicle.Target?
            let address = ECUAddress(identifier, .can29, extended: settings.extendedAddress)
            if let answerer = vehicle.answerer(at: address) {
                target = .one(answerer)
            } else if settings.extendedAddress == nil {
                if identifier >> 8 == 0x18_DB33 { target = .everybody }
                if identifier >> 16 == 0x18DA {
                    target = .one(ECUAddress(0x18DA_F100 | identifier >> 8 & 0xFF, .can29))
                }
            }
            return RequestHeader(
                text: Hex.string(identifier, digits: 8), target: own ? target : nil,
                source: source)
        // An ELM327 does not support DoIP.
        case .logical: return RequestHeader(text: "", target: nil, source: 0)
        case .byte:
            let standard: UInt32 =
                switch vehicleProtocol.family {
                case .iso14230: 0xC2_33F1
                case .j1850 where vehicleProtocol == .j1850PWM: 0x61_6AF1
                case .j1850, .iso9141, .can, .j1939: 0x68_6AF1
                }
            let header = special ?? settings.header ?? standard
            let receiver = UInt8(truncatingIfNeeded: header >> 8)
            let everybody: UInt8 = vehicleProtocol.family == .iso14230 ? 0x33 : 0x6A
            return RequestHeader(
                text: Hex.string(header, digits: 6),
                target: receiver == everybody
                    ? .everybody : .one(ECUAddress(UInt32(receiver), .byte)),
                source: UInt8(truncatingIfNeeded: header))
        }
    }

    /// SAE J1939: a request for a parameter group, EA00, goes to all ECUs unless ATSH has an address.
    private func headerOnJ1939(_ special: UInt32?, own: Bool) -> RequestHeader {
        var identifier = special ?? settings.header ?? 0xEA_FFF9
        if identifier <= 0xFF_FFFF { identifier |= UInt32(settings.priority) << 24 }
        let fields = J1939.Identifier(identifier)
        var target: SimulatedVehicle.Target?
        if own, fields.parameterGroup == 0xEA00 {
            target =
                fields.destination.map { receiver in
                    receiver == J1939.everyone
                        ? .everybody : .one(ECUAddress(UInt32(receiver), .byte))
                } ?? .everybody
        }
        return RequestHeader(
            text: Hex.string(identifier, digits: 8), target: target, source: fields.source)
    }
}
