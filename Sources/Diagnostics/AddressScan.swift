public import OBDCore

/// Finds the ECUs of a vehicle that answer at their own addresses, one address after another.
///
/// The scan only uses services that read: TesterPresent on CAN, and ISO 14230's list of codes on
/// KWP. The scan is a value: the caller sends each request from ``next()`` and reports the answers.
public struct AddressScan: Hashable, Sendable {
    /// An ECU that answered.
    public struct Module: Hashable, Sendable {
        /// The address for requests to the module.
        public var request: ECUAddress
        /// The address in the module's answers.
        public var responder: ECUAddress

        /// An ECU with its two addresses.
        public init(request: ECUAddress, responder: ECUAddress) {
            self.request = request
            self.responder = responder
        }
    }

    /// How long to wait for an answer from an address.
    ///
    /// ISO 15765-4 and ISO 14230-4 give an ECU 50 ms; a gateway in between needs some more.
    public static let answerTime = Duration.milliseconds(100)

    /// The number of addresses to scan.
    public let addresses: Int
    /// The number of addresses that were asked or can be skipped.
    public private(set) var done = 0
    /// The ECUs that answered, in the order of their request addresses.
    public private(set) var modules: [Module] = []

    private var waiting: ArraySlice<ECUAddress>
    private var current: ECUAddress?
    private let family: VehicleProtocol.Family

    /// A scan of the addresses of a protocol; nil if the possible addresses are not known.
    ///
    /// - 11-bit identifiers: 700 to 7FF, where nearly all cars have their diagnostics. Lower identifiers
    ///   carry normal traffic on some cars and are never used.
    /// - 29-bit identifiers: 18DAxxF1 with every xx.
    /// - DoIP: one request to the group of all ECUs, which a gateway forwards to each of them.
    /// - ISO 14230: every target address. A module that needs its own initialisation does not answer.
    public init?(_ vehicleProtocol: VehicleProtocol) {
        family = vehicleProtocol.family
        switch vehicleProtocol.family {
        case .can where vehicleProtocol == .doip:
            // One request to all; each ECU answers it from its own address.
            waiting = [ECUAddress(0xE400, .logical)]
        case .can:
            if vehicleProtocol.addressForm == .can11 {
                // 7DF addresses all ECUs; 7E8 to 7EF are used for answers.
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

    /// The request to the next address; nil after the last one.
    public mutating func next() -> VehicleRequest? {
        while let address = waiting.first {
            waiting.removeFirst()
            done += 1
            // An address that an ECU uses for its answers receives no requests.
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
        // A gateway gets the usual time to ask all ECUs.
        if !address.isLogicalGroup { request.answerTime = Self.answerTime }
        if address.form == .can11 {
            request.responders = .matching(pattern: ECUAddress(0x700, .can11), mask: 0x700)
        }
        return request
    }

    /// Evaluates the answers to the last request.
    ///
    /// Several answers mean a functional address; its ECUs are found at their own addresses.
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

    /// The requests for a module's codes, first UDS, then ISO 14230-3; each is sent only if the previous one
    /// was refused.
    public static func codeRequests(for module: Module) -> [VehicleRequest] {
        let payloads: [[UInt8]] =
            module.request.form == .byte
            ? [[0x18, 0x00, 0xFF, 0x00]] : [[0x19, 0x02, 0xFF], [0x18, 0x00, 0xFF, 0x00]]
        return payloads.map { request($0, to: module) }
    }

    /// The request for the module's own name: F197 or 1A 97, system name.
    public static func nameRequest(for module: Module) -> VehicleRequest {
        request(module.request.form == .byte ? [0x1A, 0x97] : [0x22, 0xF1, 0x97], to: module)
    }

    /// The name in an answer to ``nameRequest(for:)``; nil unless it is printable ASCII.
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

    /// The requests for a module's identification (ISO 14229-1, annex C.1), one for each identifier.
    ///
    /// An ECU may refuse a request for several identifiers because of a single one. The fingerprints (F182 to
    /// F186) and the names of testers (F198) are not of the ECU itself.
    public static func identificationRequests(for module: Module) -> [VehicleRequest] {
        let identifiers: [UInt8] = [
            0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8E, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
            0x97,
            0x99,
        ]
        return identifiers.map { request([0x22, 0xF1, $0], to: module) }
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
