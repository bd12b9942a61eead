import Adapters
public import Diagnostics
public import OBDCore
public import ScanSession

/// Asks for the vehicle's identification number while readings come already.
///
/// A caller that waits for it waits for signals, keys and deadlines as well.
public struct VINQuery {
    private let vehicle: Vehicle
    /// What is still to be asked, the last one first.
    private var requests: [VehicleRequest]
    private var pending: PendingAnswer?
    /// What the lost link took along.
    private var interrupted: VehicleRequest?

    /// Asks at once, by one profile after the other until one of them brings it.
    public init(_ vehicle: Vehicle, by profiles: [DiagnosticProfile]) {
        self.vehicle = vehicle
        requests = profiles.reversed().compactMap { profile in
            profile.request(for: .information(0x02)).map {
                vehicle.request($0, mayRepeat: profile.isReadOnly(.information(0x02)))
            }
        }
        begin()
    }

    /// Becomes readable when ``take()`` has something to do; nil = nothing is awaited.
    public var descriptor: Int32? { pending?.descriptor }

    /// The number, once its answer is there; nil while it is awaited, or not told.
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
            // An answer that came whole counts whatever became of the rest.
            items = vehicle.filtered(soFar).items
        } catch {
            // Another profile may know it; a session that is over begins nothing more.
        }
        requests.removeLast()
        let vin = items.vin
        if vin == nil { begin() } else { self.pending = nil }
        return vin
    }

    /// Asks again what a lost link took along, once the link is back.
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
    /// What is wrong with a VIN; nil where nothing is, and for everything else.
    public var faultOfVIN: String? {
        guard checkDigit == false, case .text(let text) = value else { return nil }
        if let vin = VIN(text) { return vin.needsCheckDigit ? "no valid check digit" : nil }
        return text.count == 17
            ? "not a VIN: it has a character that no VIN has"
            : "not a VIN: \(text.count) of 17 characters"
    }
}

extension Sequence where Element == DiagnosticItem {
    /// The first whole identification number.
    public var vin: VIN? {
        for case .reading(let reading) in self {
            if case .text(let text) = reading.value, let vin = VIN(text) { return vin }
        }
        return nil
    }
}
