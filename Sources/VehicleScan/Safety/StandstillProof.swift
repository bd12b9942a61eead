import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// The evidence of a vehicle's ECUs for a signal, until each ECU has proven standstill.
///
/// An ECU proves standstill by reporting zero, or by its own support map without the signal. The report of
/// one ECU proves nothing about another.
public struct StandstillProof: Hashable, Sendable {
    /// The signal.
    public let signal: StandstillSignal
    /// The ECUs that have proven standstill.
    public private(set) var proven: Set<ECUAddress> = []
    /// How many ECUs without an address have proven standstill in one exchange.
    private var unnamed = 0
    /// Whether the latest value of an ECU without an address was a proof.
    private var hasUnnamedValue = false

    /// Nothing was asked yet.
    public init(_ signal: StandstillSignal) { self.signal = signal }

    /// The result of an exchange.
    public enum Outcome: Hashable, Sendable {
        /// An ECU reports a value that is not zero.
        case moving
        /// Every answer was clear; ``proven`` has the ECUs that prove something.
        case clear
        /// The exchange proves nothing, for this reason.
        case doubt(VehicleError.Doubt)
    }

    /// Takes the answers to the signal's request.
    public mutating func take(_ reply: Reply, _ profile: DiagnosticProfile) -> Outcome {
        let found = reply.messages.filter { !$0.isPending }.map {
            (ecu: $0.ecu, says: signal.statement(in: $0, profile))
        }
        if found.contains(where: { $0.says == .number(isZero: false) }) { return .moving }
        if let doubt = reply.doubt { return .doubt(doubt) }
        if found.contains(where: { $0.says == .unusable }) { return .doubt(.unusable) }
        if found.contains(where: { $0.says == .foreign }) { return .doubt(.otherRequest) }
        let all = Dictionary(grouping: found.filter { $0.ecu != nil }, by: \.ecu)
        guard all.values.allSatisfy({ Set($0.map(\.says)).count == 1 }) else {
            return .doubt(.contradiction)
        }
        for one in found {
            guard let ecu = one.ecu else { continue }
            switch one.says {
            case .number, .absent: proven.insert(ecu)
            case .refusal, .unusable, .foreign: break
            }
        }
        let nameless = found.filter { $0.ecu == nil }.map(\.says)
        if !nameless.isEmpty {
            hasUnnamedValue = true
            if nameless.allSatisfy({ $0 == .number(isZero: true) }) {
                unnamed = max(unnamed, nameless.count)
            }
        }
        return .clear
    }

    /// Takes the answers to the request for the support map.
    public mutating func takeMaps(_ reply: Reply, _ profile: DiagnosticProfile) -> Outcome {
        if let doubt = reply.doubt { return .doubt(doubt) }
        let found = reply.messages.filter { !$0.isPending }
        let all = Dictionary(grouping: found.filter { $0.ecu != nil }, by: \.ecu)
        guard all.values.allSatisfy({ Set($0.map(\.payload)).count == 1 }) else {
            return .doubt(.contradiction)
        }
        let lacking = found.filter { signal.isInMap(of: $0, profile) == false }
        proven.formUnion(lacking.compactMap(\.ecu))
        // Without addresses the ECUs of the map and of the value are not known.
        let nameless = found.count { $0.ecu == nil }
        if !hasUnnamedValue, nameless > 0, nameless == lacking.count(where: { $0.ecu == nil }) {
            unnamed = max(unnamed, nameless)
        }
        return .clear
    }

    /// The ECUs that were heard and have not proven anything, in order.
    public func missing(of heard: HeardECUs) -> [ECUAddress] {
        heard.ecus.keys.filter { !proven.contains($0) }.sorted()
    }

    /// Whether every ECU that was heard has proven standstill.
    public func isComplete(_ heard: HeardECUs) -> Bool {
        let count = max(proven.count, unnamed)
        return heard.isComplete && count > 0 && count >= heard.unnamed
            && heard.ecus.keys.allSatisfy(proven.contains)
    }
}

extension ECUMessage {
    /// Whether the answer is still to come.
    fileprivate var isPending: Bool { NegativeResponse(payload)?.nrc == .responsePending }
}

extension Reply {
    /// Why missing data in this reply prove nothing; nil if the reply is complete.
    fileprivate var doubt: VehicleError.Doubt? {
        if !errors.isEmpty || !texts.isEmpty { return .damaged }
        if let status = statuses.first(where: { $0 != .noData }) { return .adapterSaid(status) }
        return nil
    }
}
