import Adapters
public import Diagnostics
import OBDCore
public import ScanTool

/// What a vehicle has to report before a request that writes: that its engine is off and that it does not
/// move.
public enum StandstillSignal: CaseIterable, Hashable, Sendable {
    case engineSpeed, vehicleSpeed

    private var pid: UInt8 {
        switch self {
        case .engineSpeed: 0x0C
        case .vehicleSpeed: 0x0D
        }
    }

    /// The parameter groups of SAE J1939: EEC1 and CCVS1.
    private var parameterGroup: UInt32 {
        switch self {
        case .engineSpeed: 0xF004
        case .vehicleSpeed: 0xFEF1
        }
    }

    /// The position of the value in its parameter group; it has two bytes, the low byte first.
    private var byteInGroup: Int {
        switch self {
        case .engineSpeed: 3
        case .vehicleSpeed: 1
        }
    }

    private var length: Int {
        switch self {
        case .engineSpeed: 2
        case .vehicleSpeed: 1
        }
    }

    // MARK: Questions

    /// The request in the services of `profile`.
    ///
    /// It does not use the tables, because a user's own table could define these numbers differently.
    public func request(_ profile: DiagnosticProfile) -> [UInt8] {
        switch profile {
        case .classicCAN, .classicLegacy: [0x01, pid]
        case .onUDS: [0x22, 0xF4, pid]
        case .j1939: [0x00, UInt8(parameterGroup >> 8 & 0xFF), UInt8(parameterGroup & 0xFF)]
        }
    }

    /// The request for the support map that has the signal; nil if there is none.
    public static func mapRequest(_ profile: DiagnosticProfile) -> [UInt8]? {
        switch profile {
        case .classicCAN, .classicLegacy: [0x01, 0x00]
        case .onUDS: [0x22, 0xF4, 0x00]
        case .j1939: nil
        }
    }

    // MARK: Answers

    /// What an exchange shows about the signal.
    public enum Finding: Hashable, Sendable {
        /// An ECU reports a value that is not zero.
        case moving
        /// ECUs answered, and all of them report zero.
        case still
        /// The vehicle's support map does not have it.
        case unsupported
        /// No ECU answered, or all ECUs refused.
        case silent
        /// The answer proves nothing, for this reason.
        case unclear(VehicleError.Doubt)
    }

    /// What a reply shows about the signal.
    public func finding(in reply: Reply, _ profile: DiagnosticProfile) -> Finding {
        let values = reply.messages.map { value(in: $0, profile) }
        if values.contains(.number(isZero: false)) { return .moving }
        if let reason = reply.doubt { return .unclear(reason) }
        if values.contains(.unusable) { return .unclear(.unusable) }
        if values.contains(.foreign) { return .unclear(.otherRequest) }
        return values.contains(.number(isZero: true)) ? .still : .silent
    }

    /// Whether the signal is in an answer to ``mapRequest(_:)``; nil if the answer does not show that.
    public func isSupported(in reply: Reply, _ profile: DiagnosticProfile) -> Bool? {
        guard reply.doubt == nil, let request = Self.mapRequest(profile) else { return nil }
        var isSupported: Bool?
        for message in reply.messages {
            if NegativeResponse(message.payload) != nil { continue }
            guard let map = Self.data(of: message, answering: request), map.count == 4 else {
                return nil
            }
            // PID 01 is the highest bit.
            let place = Int(pid) - 1
            let bit = map[map.startIndex + place / 8] >> UInt8(7 - place % 8) & 1
            isSupported = (isSupported ?? false) || bit == 1
        }
        return isSupported
    }

    private enum Value: Hashable {
        case number(isZero: Bool)
        /// An answer with a wrong length, or one that says that there is no value.
        case unusable
        /// A refusal.
        case refusal
        /// Any other message.
        case foreign
    }

    private func value(in message: ECUMessage, _ profile: DiagnosticProfile) -> Value {
        if profile == .j1939 {
            guard message.parameterGroup == parameterGroup else {
                // Acknowledgements are answers, too.
                return message.parameterGroup == 0xE800 ? .refusal : .foreign
            }
            guard message.payload.count == 8 else { return .unusable }
            let high = message.payload[byteInGroup + 1]
            // SAE J1939-71: FB00 and above are not numbers.
            if high > 0xFA { return .unusable }
            return .number(isZero: high == 0 && message.payload[byteInGroup] == 0)
        }
        let request = request(profile)
        if let refusal = NegativeResponse(message.payload) {
            return refusal.service.rawValue == request[0] ? .refusal : .foreign
        }
        guard let data = Self.data(of: message, answering: request) else { return .foreign }
        return data.count == length ? .number(isZero: data.allSatisfy { $0 == 0 }) : .unusable
    }

    /// The data after service and identifier in a positive answer.
    private static func data(
        of message: ECUMessage, answering request: [UInt8]
    ) -> ArraySlice<UInt8>? {
        let head = [request[0] | 0x40] + request.dropFirst()
        guard message.payload.starts(with: head) else { return nil }
        return message.payload.dropFirst(head.count)
    }
}

extension StandstillSignal.Finding {
    /// The combined finding of several services of one vehicle.
    public static func together(_ findings: [Self]) -> Self {
        if findings.contains(.moving) { return .moving }
        if findings.contains(.still) { return .still }
        for case .unclear(let reason) in findings { return .unclear(reason) }
        return findings.contains(.unsupported) ? .unsupported : .silent
    }
}

extension Reply {
    /// Why missing data in this reply prove nothing; nil if the reply is complete.
    fileprivate var doubt: VehicleError.Doubt? {
        if !errors.isEmpty || !texts.isEmpty { return .damaged }
        if let status = statuses.first(where: { $0 != .noData }) { return .adapterSaid(status) }
        return nil
    }
}
