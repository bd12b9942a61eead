public import OBDCore

/// Finds the ECUs of a vehicle that answer at addresses of their own, one address after another.
///
/// Services that only read are asked: TesterPresent on CAN, ISO 14230's list of codes on KWP. The
/// walk is a value: its owner sends what ``next()`` gives and reports what came.
public struct AddressScan: Hashable, Sendable {
    /// An ECU that answered.
    public struct Module: Hashable, Sendable {
        /// Where it is asked.
        public var request: ECUAddress
        /// From where it answers.
        public var responder: ECUAddress

        /// An ECU by its two addresses.
        public init(request: ECUAddress, responder: ECUAddress) {
            self.request = request
            self.responder = responder
        }

        /// What the address means where standards say so; nil elsewhere, and always for
        /// manufacturers' own addresses.
        ///
        /// ISO 15765-4: 7E0 engine, 7E1 transmission. SAE J2178-1: 10 to 17 engine, 18 to 1F
        /// transmission; of those only the first ones are used alike by everybody.
        public var standardName: String? {
            switch (request.form, request.value) {
            case (.can11, 0x7E0), (.can29, 0x18DA_10F1), (.byte, 0x10), (.byte, 0x11): "engine"
            case (.can11, 0x7E1), (.can29, 0x18DA_18F1), (.byte, 0x18): "transmission"
            default: nil
            }
        }
    }

    /// How long an address is listened to: ISO 15765-4 and ISO 14230-4 give an ECU 50 ms, a gateway
    /// on the way takes some more.
    public static let answerTime = Duration.milliseconds(100)

    /// Addresses of the whole walk.
    public let addresses: Int
    /// Addresses that were asked or need not be.
    public private(set) var done = 0
    /// Who answered, in the order of the request addresses.
    public private(set) var modules: [Module] = []

    private var waiting: ArraySlice<ECUAddress>
    private var current: ECUAddress?
    private let family: VehicleProtocol.Family

    /// A walk over the addresses of a protocol; nil where nothing says which they could be.
    ///
    /// - 11-bit identifiers: 700 to 7FF, where nearly all cars have their diagnostics. Lower ones
    ///   carry ordinary traffic on some cars, and are never written to.
    /// - 29-bit identifiers: 18DAxxF1 with every xx.
    /// - DoIP: one question to the group of all ECUs, which a gateway passes on to each of them.
    /// - ISO 14230: every target address. A module that wants an initialisation of its own stays
    ///   silent.
    public init?(_ vehicleProtocol: VehicleProtocol) {
        family = vehicleProtocol.family
        switch vehicleProtocol.family {
        case .can where vehicleProtocol == .doip:
            // One question to all: each ECU answers it from its own address.
            waiting = [ECUAddress(0xE400, .logical)]
        case .can:
            if vehicleProtocol.addressForm == .can11 {
                // 7DF asks all, 7E8 to 7EF are answers.
                waiting =
                    (UInt32(0x700)...0x7FF).filter { $0 != 0x7DF && !(0x7E8...0x7EF ~= $0) }
                    .map { ECUAddress($0, .can11) }[...]
            } else {
                waiting =
                    (UInt32(0)...0xFF).filter { $0 != 0xF1 }
                    .map { ECUAddress(0x18DA_00F1 | $0 << 8, .can29) }[...]
            }
        case .iso14230:
            // F1 is the tester, 33 all ECUs with OBD.
            waiting =
                (UInt32(0)...0xFF).filter { $0 != 0xF1 && $0 != 0x33 }
                .map { ECUAddress($0, .byte) }[...]
        case .iso9141, .j1850, .j1939: return nil
        }
        addresses = waiting.count
    }

    /// The next address's request; nil when all were asked.
    public mutating func next() -> VehicleRequest? {
        while let address = waiting.first {
            waiting.removeFirst()
            done += 1
            // Where an ECU answers from nobody listens.
            if modules.contains(where: { $0.responder == address && $0.request != address }) {
                continue
            }
            current = address
            return request(to: address)
        }
        current = nil
        return nil
    }

    private func request(to address: ECUAddress) -> VehicleRequest {
        let payload: [UInt8] = family == .can ? [0x3E, 0x00] : [0x18, 0x00, 0xFF, 0x00]
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: address.isLogicalGroup ? nil : address,
            payload: payload, mayRepeat: false)
        // A gateway has the usual time to ask them all.
        if !address.isLogicalGroup { request.answerTime = Self.answerTime }
        if address.form == .can11 {
            request.responders = .matching(pattern: ECUAddress(0x700, .can11), mask: 0x700)
        }
        return request
    }

    /// Takes note of what answered the last request.
    ///
    /// Several answers mean an address that asks several ECUs: they are found at their own.
    public mutating func answered(_ messages: [ECUMessage]) {
        guard let address = current else { return }
        current = nil
        let service: UInt8 = family == .can ? 0x3E : 0x18
        let responders = Set(
            messages.filter { message in
                message.payload.first == service | 0x40
                    || message.payload.starts(with: [0x7F, service])
            }.compactMap(\.ecu))
        if address.isLogicalGroup {
            modules += responders.sorted().map { Module(request: $0, responder: $0) }
            return
        }
        guard responders.count == 1, let responder = responders.first else { return }
        if address.form != .byte && responder == address { return }
        if modules.contains(where: { $0.responder == responder }) { return }
        modules.append(Module(request: address, responder: responder))
    }

    /// The requests that bring a module's codes, each to be sent only when the one before it was
    /// refused: UDS, then ISO 14230-3.
    public static func codeRequests(for module: Module) -> [VehicleRequest] {
        let payloads: [[UInt8]] =
            module.request.form == .byte
            ? [[0x18, 0x00, 0xFF, 0x00]] : [[0x19, 0x02, 0xFF], [0x18, 0x00, 0xFF, 0x00]]
        return payloads.map { request($0, to: module) }
    }

    /// The request that brings the name that the module gives itself: F197 or 1A 97, system name.
    public static func nameRequest(for module: Module) -> VehicleRequest {
        request(module.request.form == .byte ? [0x1A, 0x97] : [0x22, 0xF1, 0x97], to: module)
    }

    /// The name in an answer to ``nameRequest(for:)``; nil where it is none of printable ASCII.
    public static func name(in message: ECUMessage) -> String? {
        let heads: [[UInt8]] = [[0x62, 0xF1, 0x97], [0x5A, 0x97]]
        guard let head = heads.first(where: { message.payload.starts(with: $0) }) else {
            return nil
        }
        var text = message.payload.dropFirst(head.count)
        while let last = text.last, last == 0x00 || last == 0x20 || last == 0xFF {
            text.removeLast()
        }
        guard !text.isEmpty, text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func request(_ payload: [UInt8], to module: Module) -> VehicleRequest {
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: module.request, payload: payload)
        if module.request.form != .byte,
            !module.request.isUsualRequest
                || module.request.usualResponder != module.responder
        {
            request.responders = .one(module.responder)
        }
        return request
    }
}
