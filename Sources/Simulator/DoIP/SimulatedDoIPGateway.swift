import Adapters
public import OBDCore
import VehicleLink

/// A simulated ISO 13400-2 (DoIP) gateway with a simulated vehicle.
///
/// Each ECU has the logical address 10xx, where xx is the address byte. E400 addresses all ECUs. Services
/// below 10 are only answered by ECUs with OBD, as on CAN.
public struct SimulatedDoIPGateway: ServedDevice {
    /// The vehicle.
    public private(set) var vehicle: SimulatedVehicle
    /// The latest requests that reached the vehicle, oldest first.
    public private(set) var requests: [SimulatedAdapter.ReceivedRequest] = []
    /// The number of all requests that reached the vehicle.
    public private(set) var requestCount = 0

    /// The gateway's own logical address.
    public static let address: UInt16 = 0x1000
    /// The functional address of all ECUs.
    public static let functional: UInt16 = 0xE400
    /// The longest request that the gateway accepts; unit: bytes.
    public static let longestRequest = 4_095

    private let options: SimulatorOptions
    private let begin: Instant
    private var output = OutputQueue()
    private var lexer = DoIPLexer()
    /// The tester for which routing is active.
    private var tester: UInt16?
    /// The protocol version of the tester.
    private var version: UInt8 = 0x02
    /// Whether to close the connection after the remaining output.
    private var isLeaving = false

    /// A gateway that is switched on at `now`.
    public init(_ options: SimulatorOptions, at now: Instant) throws(SimulatorError) {
        var options = options
        options.vehicleProtocol = .doip
        self.options = options
        vehicle = try SimulatedVehicle(options)
        begin = now
    }

    /// The name of the gateway in lists.
    public var title: String { "DoIP gateway \(Hex.string(UInt32(Self.address), digits: 4))" }

    /// Reports that another tester has connected.
    public mutating func connect(at now: Instant) {
        lexer = DoIPLexer()
        output = OutputQueue()
        tester = nil
        isLeaving = false
    }

    /// Takes bytes from the tester that all arrive at `now`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        var tokens: [DoIPLexer.Token] = []
        lexer.receive(Array(bytes), &tokens)
        for token in tokens where !isLeaving {
            switch token {
            case .message(let message, let version):
                guard (0x01...0x04).contains(version) else {
                    refuseHeader(0x00, at: now)
                    continue
                }
                self.version = version
                take(message, at: now)
            case .malformed: refuseHeader(0x04, at: now)
            case .outOfStep: refuseHeader(0x00, at: now)
            }
        }
    }

    /// The output that is due at `now`.
    public mutating func due(at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        output.take(until: now, into: &bytes)
        return bytes
    }

    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    public var nextDeadline: Instant? { output.nextDue }

    /// The end of a connection that has to be closed according to the standard.
    public mutating func takeEnd() -> LinkEnd? {
        guard isLeaving, output.nextDue == nil else { return nil }
        isLeaving = false
        return .closed
    }

    /// The answer to a datagram; nil if there is none.
    public func answer(toDatagram bytes: [UInt8]) -> [UInt8]? {
        guard let message = DoIPMessage(datagram: bytes) else { return nil }
        let asked = bytes[0]
        let version: UInt8 = asked == DoIPMessage.anyVersion ? 0x02 : asked
        guard (0x01...0x04).contains(version) else {
            return DoIPMessage.headerRefused(code: 0x00).bytes(version: 0x02)
        }
        let reply: DoIPMessage
        switch message {
        case .identificationRequest: reply = .announcement(entity)
        case .identificationRequestByEID(let eid) where eid == entity.eid:
            reply = .announcement(entity)
        case .identificationRequestByVIN(let vin) where vin == entity.vin:
            reply = .announcement(entity)
        case .entityStatusRequest:
            reply = .entityStatus(
                type: 0x00, sockets: 1, open: tester == nil ? 0 : 1,
                longest: UInt32(Self.longestRequest))
        case .powerModeRequest: reply = .powerMode(vehicle.ignition ? 0x01 : 0x00)
        case .identificationRequestByEID, .identificationRequestByVIN: return nil
        default: reply = .headerRefused(code: 0x01)
        }
        return reply.bytes(version: version)
    }

    private var entity: DoIPEntity {
        let vin = vehicle.vin.map { Array($0.utf8) } ?? []
        // A locally administered hardware address.
        let eid: [UInt8] = [0x02, 0x00, 0x00, 0x0B, 0xD0, 0x01]
        return DoIPEntity(
            vin: vin.count == 17 ? vin : [UInt8](repeating: 0, count: 17), address: Self.address,
            eid: eid, gid: eid, synchronised: 0x00)
    }

    private mutating func take(_ message: DoIPMessage, at now: Instant) {
        switch message {
        case .activationRequest(let source, let type, _): activate(source, type, at: now)
        case .diagnostic(let source, let target, let payload):
            ask(payload, from: source, at: target, at: now)
        // An answer to a request from another connection's gateway.
        case .aliveAnswer: break
        default: refuseHeader(0x01, at: now)
        }
    }

    private mutating func activate(_ source: UInt16, _ type: UInt8, at now: Instant) {
        let code: UInt8 =
            if !(0x0E00...0x0FFF).contains(source) {
                0x00
            } else if type > 0x01 {
                0x06
            } else if let tester, tester != source {
                0x02
            } else {
                0x10
            }
        send(.activationAnswer(tester: source, entity: Self.address, code: code), at: now)
        if code == 0x10 { tester = source } else { isLeaving = true }
    }

    private mutating func ask(
        _ payload: [UInt8], from source: UInt16, at target: UInt16, at now: Instant
    ) {
        func refuse(_ code: UInt8) {
            send(.refused(source: target, target: source, code: code), at: now)
        }
        guard source == tester else {
            refuse(0x02)
            isLeaving = true
            return
        }
        let ecu = ECUAddress(UInt32(target), .logical)
        let isFunctional = target == Self.functional
        guard isFunctional || (vehicle.ecus + vehicle.modules).contains(ecu) else {
            return refuse(0x03)
        }
        guard payload.count <= Self.longestRequest else { return refuse(0x04) }
        guard vehicle.ignition else { return refuse(0x06) }
        send(.acknowledged(source: target, target: source, code: 0x00), at: now)
        note(payload, at: target, at: now)
        var answers = vehicle.answers(
            to: payload, for: isFunctional ? .everybody : .one(ecu), after: now - begin)
        // The gateway's group contains all ECUs; on CAN only those with OBD receive such a request.
        if isFunctional, let service = payload.first, service >= 0x10 {
            for module in vehicle.modules {
                answers += vehicle.answers(to: payload, for: .one(module), after: now - begin)
                    .filter { $0.payload.first != 0x7F }
            }
        }
        let first = now + options.latency + vehicle.jitter(request: requestCount)
        for answer in answers {
            let order = options.latency == .zero ? .zero : answer.stagger
            send(
                .diagnostic(
                    source: UInt16(truncatingIfNeeded: answer.ecu.value), target: source,
                    payload: answer.payload), at: first + answer.delay + order)
        }
    }

    private mutating func note(_ payload: [UInt8], at target: UInt16, at now: Instant) {
        requestCount += 1
        requests.append(
            .init(at: now, header: Hex.string(UInt32(target), digits: 4), payload: payload))
        if requests.count > SimulatedAdapter.keptRequests { requests.removeFirst() }
    }

    /// Reports a header fault; the codes for a wrong pattern and a wrong length end the connection.
    private mutating func refuseHeader(_ code: UInt8, at now: Instant) {
        send(.headerRefused(code: code), at: now)
        if code == 0x00 || code == 0x04 { isLeaving = true }
    }

    private mutating func send(_ message: DoIPMessage, at time: Instant) {
        if !output.isFull { output.append(message.bytes(version: version), at: time) }
    }
}

extension SimulatedDoIPGateway: SimulatedDevice {
    /// A description in one line.
    public var summary: String { title + "; " + vehicle.title }
}
