public import Diagnostics
public import OBDCore
import ScanSession
import SystemIO

/// Sends the request to clear codes once, and finds out the result by reading and never by a repetition.
public struct CodeClearing: Sendable {
    /// The requests and their answers.
    public let sent: [QueryResult]
    /// The state reported by the ECUs afterwards: readiness with the check engine light, and codes.
    public private(set) var after: CodeScan

    /// The time limit for clearing.
    ///
    /// ISO 15765-4 gives an ECU five seconds after "response pending". Some ECUs need more time to clear than
    /// an adapter waits.
    private static let limit = Duration.milliseconds(5_500)
    /// The pause between two readings.
    private static let pause = Duration.seconds(1)

    /// Clears the codes in `before`.
    ///
    /// If a functional request gets no answer, every ECU is asked at its own address.
    public init(
        _ before: CodeScan, _ vehicle: Vehicle, in services: VehicleServices,
        _ consent: Consent
    ) throws(VehicleError) {
        var sent: [QueryResult] = []
        for profile in services.profiles {
            guard let payload = profile.request(for: .clearCodes) else { continue }
            let targets = profile.clearsByECU ? before.ecus.filter { $0?.form == .byte } : []
            for target in targets.isEmpty ? [nil] : targets {
                sent.append(
                    try vehicle.ask(
                        .vehicle(
                            vehicle.request(
                                payload, target: target?.physicalRequest, consent: consent))))
            }
        }
        self.sent = sent
        after = try CodeScan(vehicle, in: services)
        let end = SystemClock.now() + Self.limit
        while wasSent, !isConfirmed, refusals.isEmpty, change(since: before) != .gone,
            SystemClock.now() < end
        {
            var waiting = WaitList()
            let interrupt = waiting.add(vehicle.interrupt)
            waiting.add(deadline: min(end, SystemClock.now() + Self.pause))
            waiting.wait()
            if waiting.isReady(interrupt) { throw .session(.interrupted) }
            after = try CodeScan(vehicle, in: services)
        }
    }

    private var messages: [ECUMessage] { sent.flatMap(\.answers) }

    /// Whether any of the requests was written to the adapter.
    public var wasSent: Bool { sent.contains(where: \.wasSent) }

    /// Whether any ECU confirmed that it has cleared its codes.
    public var isConfirmed: Bool { messages.contains(where: \.confirmsClearing) }

    /// The ECUs that refused, and their reasons.
    public var refusals: [(ecu: ECUAddress?, reason: String, isConditions: Bool)] {
        messages.compactMap { message in
            if message.parameterGroup == 0xE800 {
                guard let control = message.payload.first, control != 0 else { return nil }
                let reason = ECUMessage.acknowledgements[control]
                return (message.ecu, reason ?? "acknowledgement \(control)", false)
            }
            guard message.payload.count == 3, message.payload[0] == 0x7F,
                message.payload[2] != NRC.responsePending.rawValue
            else { return nil }
            let nrc = NRC(message.payload[2])
            return (message.ecu, nrc.words, nrc == .conditionsNotCorrect)
        }
    }

    /// The result of a second reading for the earlier codes.
    public enum Change: Hashable, Sendable {
        /// All codes are still there.
        case none
        /// Some of the codes are gone.
        case some
        /// Every ECU that had a code answered again and no longer has it.
        case gone
        /// There was no code, or not every ECU with a code answered again.
        case unknown
    }

    /// The result of a second reading for the stored and pending codes of `before`.
    public func change(since before: CodeScan) -> Change {
        let answered = after.ecus.filter { after.told(.stored, by: $0) == .list }
        return Self.change(
            before.clearable.map { (ecu: $0.ecu, code: $0.code) },
            after: after.clearable.map(\.code), answered: answered)
    }

    /// The same for codes, given the ECUs that reported theirs afterwards.
    public static func change(
        _ before: [(ecu: ECUAddress?, code: CodeReport.Code)], after: [CodeReport.Code],
        answered: [ECUAddress?]
    ) -> Change {
        let gone = before.filter { !after.contains($0.code) }
        guard !before.isEmpty, gone.allSatisfy({ answered.contains($0.ecu) }) else {
            return .unknown
        }
        return gone.isEmpty ? .none : gone.count == before.count ? .gone : .some
    }
}

extension CodeScan {
    /// The codes that clearing erases.
    ///
    /// Permanent codes stay, and in SAE J1939 DM11 only erases active ones.
    public var clearable: [CodeReport] {
        codes.filter { $0.kind != .permanent && $0.isActive != false }
    }
}
