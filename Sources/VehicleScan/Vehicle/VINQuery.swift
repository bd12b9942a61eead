import Adapters
public import Diagnostics
public import OBDCore
public import ScanSession

/// Asks for the VIN while readings are already arriving.
///
/// The caller waits for signals, keys and deadlines at the same time.
public struct VINQuery {
    private let vehicle: Vehicle
    /// The remaining requests, in reverse order.
    private var requests: [VehicleRequest]
    private var pending: PendingAnswer?
    /// The request that was interrupted by a lost link.
    private var interrupted: VehicleRequest?

    /// Begins to ask, one profile after the other, until one returns the VIN.
    public init(_ vehicle: Vehicle, by profiles: [DiagnosticProfile]) {
        self.vehicle = vehicle
        requests = profiles.reversed().compactMap { profile in
            profile.request(for: .information(0x02)).map {
                vehicle.request($0, mayRepeat: profile.isReadOnly(.information(0x02)))
            }
        }
        begin()
    }

    /// Becomes readable when ``take()`` has something to do; nil if no answer is awaited.
    public var descriptor: Int32? { pending?.descriptor }

    /// The VIN once its answer has arrived; nil until then, or if the vehicle does not report it.
    public mutating func take() -> VIN? {
        guard let pending, let request = requests.last else { return nil }
        var items: [DiagnosticItem] = []
        do {
            guard let answer = try pending.take() else { return nil }
            items = vehicle.filtered(answer).items
        } catch .requestFailed(.linkLost, _) {
            self.pending = nil
            interrupted = request
            return nil
        } catch .requestFailed(_, let soFar) {
            // A complete answer counts, even if the exchange failed afterwards.
            items = vehicle.filtered(soFar).items
        } catch {
            // Another profile may have it; after the end of the session no further request begins.
        }
        requests.removeLast()
        let vin = items.vin
        if vin == nil { begin() } else { self.pending = nil }
        return vin
    }

    /// Repeats an interrupted request once the link is restored.
    public mutating func note(_ event: ScanEvent) {
        guard case .toolDidInitialize = event, interrupted != nil else { return }
        interrupted = nil
        begin()
    }

    private mutating func begin() {
        pending = requests.last.flatMap { try? vehicle.scan.begin(.vehicle($0)) }
    }
}

extension Reading {
    /// What is wrong with a VIN; nil if it is correct or the reading is not a VIN.
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
