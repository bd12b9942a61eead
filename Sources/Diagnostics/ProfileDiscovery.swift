public import OBDCore

/// Finds out in which services to ask each ECU.
///
/// The search begins with `0100` on the protocol that the adapter finds. An ECU that answers it
/// positively is asked in the classic services, even if it supports the newer ones. If no ECU
/// answers, the CAN protocols are forced one after the other and asked for the protocol identifier
/// of SAE J1979-2, for which the only valid answer is `62 F8 10 01`. If there is still no answer,
/// the active codes (DM1) of SAE J1939 are requested, a protocol for which adapters never search.
public struct ProfileDiscovery: Hashable, Sendable {
    /// The next action.
    public enum Step: Hashable, Sendable {
        /// Ask all ECUs on a protocol that has to be forced first, unless it is nil.
        case ask(request: [UInt8], on: VehicleProtocol?)
        /// The profile of every ECU that answered; the address is nil if headers were off.
        case found([ECUAddress?: DiagnosticProfile])
        /// No ECU answered any request.
        case nobody
    }

    private enum Phase: Hashable {
        case classic
        case onUDS(Int)
        case j1939
        case done
    }

    private let candidates: [VehicleProtocol]
    private let forced: VehicleProtocol?
    private var phase = Phase.classic
    private var profiles: [ECUAddress?: DiagnosticProfile] = [:]

    /// A discovery at its start; with `forced` it uses only that protocol.
    public init(forced: VehicleProtocol? = nil) {
        self.forced = forced
        if let forced {
            candidates = forced.family == .can ? [forced] : []
            if forced.family == .j1939 { phase = .j1939 }
        } else {
            candidates = [.can11At500, .can29At500, .can11At250, .can29At250]
        }
    }

    /// The next action, which stays the same until ``answered(_:on:)`` is called.
    public var step: Step {
        switch phase {
        case .classic: .ask(request: [0x01, 0x00], on: forced)
        case .onUDS(let index): .ask(request: [0x22, 0xF8, 0x10], on: candidates[index])
        case .j1939: .ask(request: Self.activeCodes, on: .j1939)
        case .done: profiles.isEmpty ? .nobody : .found(profiles)
        }
    }

    /// Evaluates the received messages, or none, on a protocol.
    public mutating func answered(
        _ messages: [ECUMessage], on vehicleProtocol: VehicleProtocol?
    ) {
        switch phase {
        case .classic:
            for message in messages where Self.isClassic(message) {
                let family = vehicleProtocol?.family ?? forced?.family ?? .can
                profiles[message.ecu] = DiagnosticProfile(classic: family)
            }
            phase = profiles.isEmpty && !candidates.isEmpty ? .onUDS(0) : .done
            if forced == nil, vehicleProtocol == .j1939 { phase = .j1939 }
        case .onUDS(let index):
            for message in messages where message.payload == [0x62, 0xF8, 0x10, 0x01] {
                profiles[message.ecu] = .onUDS
            }
            let isLast = index + 1 >= candidates.count
            if !profiles.isEmpty {
                phase = .done
            } else {
                phase = isLast ? (forced == nil ? .j1939 : .done) : .onUDS(index + 1)
            }
        case .j1939:
            for message in messages where message.parameterGroup != nil {
                profiles[message.ecu] = .j1939
            }
            phase = .done
        case .done: return
        }
    }

    /// Parameter group FECA, DM1.
    private static let activeCodes: [UInt8] = [0x00, 0xFE, 0xCA]

    /// `41 00` and a complete map.
    private static func isClassic(_ message: ECUMessage) -> Bool {
        message.payload.count >= 6 && message.payload.starts(with: [0x41, 0x00])
    }
}
