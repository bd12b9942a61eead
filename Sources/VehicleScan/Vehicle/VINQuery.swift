import Adapters
public import Diagnostics
public import OBDCore
public import ScanSession
import SystemIO

/// Asks for the VIN while readings are already arriving, then once for the names of ECUs, and again after the link was lost: the adapter
/// may be in another vehicle then.
///
/// The caller waits for signals, keys and deadlines at the same time.
public struct VINQuery {
    private let vehicle: Vehicle
    /// The remaining requests, in reverse order, each with the one for the names of ECUs.
    private var requests: [(vin: VehicleRequest, names: VehicleRequest?)]
    private var pending: PendingAnswer?
    /// Whether the names of ECUs are awaited.
    private var isNaming = false
    /// The request that was interrupted by a lost link.
    private var interrupted: VehicleRequest?
    private var known: VIN?
    /// A different VIN, which counts when it arrives again, because a damaged answer may look like a VIN.
    private var doubted: VIN?
    /// Whether it is unknown if the vehicle is still the same; polling pauses until then.
    package private(set) var isChecking = false
    /// The number of requests for the different VIN.
    private var checks = 0
    private static let mostChecks = 4

    /// Begins to ask, one profile after the other, until one returns the VIN.
    public init(_ vehicle: Vehicle, by profiles: [DiagnosticProfile]) {
        self.vehicle = vehicle
        requests = profiles.reversed().compactMap { profile in
            profile.request(for: .information(0x02)).map { vin in
                (
                    vehicle.request(vin, mayRepeat: true),
                    profile.request(for: .information(0x0A)).map {
                        vehicle.request($0, mayRepeat: true)
                    }
                )
            }
        }
        begin()
    }

    /// Becomes readable when ``take()`` has something to do; nil if no answer is awaited.
    public var descriptor: Int32? { pending?.descriptor }

    /// The vehicle's identification.
    public enum Found: Hashable, Sendable {
        /// The names of ECUs arrived; ``Vehicle/ecuNames`` has them.
        case names
        /// The VIN, for the first time.
        case vehicle(VIN)
        /// The VIN of another vehicle than before, and when the link to the earlier one was lost.
        case other(VIN, lost: Instant)
    }

    /// The VIN once its answer has arrived; nil until then, if the vehicle does not report it, and if it is
    /// the same as before.
    public mutating func take() -> Found? {
        guard let pending, let request = requests.last else { return nil }
        if isNaming { return takeNames(pending) }
        var items: [DiagnosticItem] = []
        do {
            guard let answer = try pending.take() else { return nil }
            items = vehicle.filtered(answer).items
        } catch .requestFailed(.linkLost, _) {
            self.pending = nil
            interrupted = request.vin
            return nil
        } catch .requestFailed(_, let soFar) {
            // A complete answer counts, even if the exchange failed afterwards.
            items = vehicle.filtered(soFar).items
        } catch {
            // Another profile may have the VIN; after the end of the session no further request begins.
        }
        self.pending = nil
        if isChecking { return check(items.vin) }
        guard let vin = items.vin else {
            requests.removeLast()
            begin()
            return nil
        }
        known = vin
        // The same profile has the VIN after a lost link.
        requests = [request]
        vehicle.names.recall(vin)
        if let names = request.names, vehicle.names.lack(ecus) {
            self.pending = try? vehicle.scan.begin(.vehicle(names))
            isNaming = self.pending != nil
        }
        return .vehicle(vin)
    }

    /// The ECUs that answered the set-up.
    private var ecus: [ECUAddress] {
        vehicle.scan.link?.identity.questions.flatMap(\.messages).compactMap(\.ecu) ?? []
    }

    private mutating func takeNames(_ pending: PendingAnswer) -> Found? {
        do {
            guard let answer = try pending.take() else { return nil }
            vehicle.names.take(answer.items, answer.reply.messages)
            vehicle.names.keep(ecus)
        } catch {
            // The next session asks again.
        }
        self.pending = nil
        isNaming = false
        // The link was lost meanwhile.
        if isChecking { begin() }
        return .names
    }

    private mutating func check(_ vin: VIN?) -> Found? {
        checks += 1
        if let vin, vin != known {
            if vin == doubted, let lost = vehicle.doubt.lost {
                vehicle.doubt.meetsOther()
                return .other(vin, lost: lost)
            }
            doubted = vin
            if checks < Self.mostChecks {
                begin()
                return nil
            }
        }
        // A vehicle that does not answer, or gives a different answer each time, counts as the same.
        goOn()
        return nil
    }

    /// Polls on, as the vehicle is the same.
    private mutating func goOn() {
        isChecking = false
        doubted = nil
        checks = 0
        vehicle.doubt.end()
        vehicle.scan.resumePoll()
    }

    /// Repeats an interrupted request once the link is restored, or asks again whether the vehicle is the
    /// same, and pauses polling until the answer.
    public mutating func note(_ event: ScanEvent, at time: Instant = SystemClock.now()) {
        switch event {
        case .toolDidDisconnect(_?) where known != nil && !isChecking:
            isChecking = true
            vehicle.doubt.begin(at: time)
            vehicle.scan.pausePoll()
        case .toolDidInitialize where isChecking:
            vehicle.doubt.linkIsBack()
            if pending == nil { begin() }
            if pending == nil { goOn() }
        case .toolDidInitialize where interrupted != nil:
            begin()
        default: return
        }
        if case .toolDidInitialize = event { interrupted = nil }
    }

    private mutating func begin() {
        pending = requests.last.flatMap { try? vehicle.scan.begin(.vehicle($0.vin)) }
    }
}

extension Reading {
    /// The fault of a VIN; nil if it is correct or the reading is not a VIN.
    public var faultOfVIN: String? {
        guard checkDigit == false, case .text(let text) = value else { return nil }
        if let vin = VIN(text) { return vin.needsCheckDigit ? "no valid check digit" : nil }
        return text.count == 17
            ? "not a VIN: it has a character that no VIN has"
            : "not a VIN: \(text.count) of 17 characters"
    }
}

extension Sequence where Element == DiagnosticItem {
    /// The first complete VIN.
    public var vin: VIN? {
        for case .reading(let reading) in self {
            if case .text(let text) = reading.value, let vin = VIN(text) { return vin }
        }
        return nil
    }
}
