public import Diagnostics
public import OBDCore
import ScanSession
import SystemIO

/// Sends the request to clear once, and finds out what became of it by reading, never by asking
/// again.
public struct CodeClearing: Sendable {
    /// What was sent and what came.
    public let sent: [QueryResult]
    /// What the ECUs said afterwards: readiness with the check engine light, and their codes.
    public private(set) var after: CodeScan

    /// ISO 15765-4 gives an ECU five seconds after "response pending"; some clear for longer than
    /// an adapter listens.
    private static let limit = Duration.milliseconds(5_500)
    /// Between two looks.
    private static let pause = Duration.seconds(1)

    /// Clears the codes that `before` shows.
    ///
    /// Where a request to all gets no answer every ECU is asked by its own address.
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

    /// Whether any ECU said that it has cleared.
    public var isConfirmed: Bool { messages.contains(where: \.confirmsClearing) }

    /// Who refused, and why.
    public var refusals: [(ecu: ECUAddress?, reason: String, isConditions: Bool)] {
        messages.compactMap { message in
            if message.parameterGroup == 0xE800 {
                guard let control = message.payload.first, control != 0 else { return nil }
                let reasons: [UInt8: String] = [
                    1: "negative acknowledgement", 2: "access denied", 3: "cannot respond",
                ]
                return (message.ecu, reasons[control] ?? "acknowledgement \(control)", false)
            }
            guard message.payload.count == 3, message.payload[0] == 0x7F,
                message.payload[2] != NRC.responsePending.rawValue
            else { return nil }
            let nrc = NRC(message.payload[2])
            return (message.ecu, nrc.name, nrc == .conditionsNotCorrect)
        }
    }

    /// What reading again shows of the codes that were there.
    public enum Change: Hashable, Sendable {
        /// All are there.
        case none
        /// Some of them are gone.
        case some
        /// Every ECU that had one was heard again, and shows none of them.
        case gone
        /// There was none, or not every ECU that had one was heard again.
        case unknown
    }

    /// What reading again shows of the stored and pending codes of `before`.
    public func change(since before: CodeScan) -> Change {
        let answered = after.ecus.filter { after.told(.stored, by: $0) == .list }
        return Self.change(
            before.clearable.map { (ecu: $0.ecu, code: $0.code) },
            after: after.clearable.map(\.code), answered: answered)
    }

    /// The same for codes, and the ECUs that told theirs `after` it.
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
    /// The codes that clearing erases: permanent ones stay, and in SAE J1939 DM11 is for active ones
    /// alone.
    public var clearable: [CodeReport] {
        codes.filter { $0.kind != .permanent && $0.isActive != false }
    }
}
