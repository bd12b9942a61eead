public import Diagnostics
import OBDCore

/// The signals that a vehicle has to report before a request that writes, because its engine has to be off
/// and it must not move.
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
    /// The request does not use the tables, because a user's own table could define these numbers
    /// differently.
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

    /// The content of a message about the signal.
    enum Statement: Hashable, Sendable {
        case number(isZero: Bool)
        /// The ECU does not have the signal.
        case absent
        /// An answer with a wrong length, or without a value.
        case unusable
        /// A refusal, which may have any reason.
        case refusal
        /// Any other message.
        case foreign
    }

    /// Whether the signal is in the ECU's own support map; nil if the message is not such a map.
    func isInMap(of message: ECUMessage, _ profile: DiagnosticProfile) -> Bool? {
        guard let request = Self.mapRequest(profile),
            let map = Self.data(of: message, answering: request), map.count == 4
        else { return nil }
        // PID 01 is the highest bit.
        let place = Int(pid) - 1
        return map[map.startIndex + place / 8] >> UInt8(7 - place % 8) & 1 == 1
    }

    /// The statement of a message about standstill, as an answer to the request for the signal.
    func statement(in message: ECUMessage, _ profile: DiagnosticProfile) -> Statement {
        if profile == .j1939 {
            guard message.parameterGroup == parameterGroup else {
                // SAE J1939-21: control byte 1 says that the ECU does not have the group.
                guard message.parameterGroup == 0xE800, message.answers(request(profile)) else {
                    return .foreign
                }
                return message.payload.first == 0x01 ? .absent : .refusal
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
