import Diagnostics
public import OBDCore
import Synchronization

/// The names that the ECUs of a session's vehicle report, and the memory of names between sessions.
public final class KnownNames: Sendable {
    /// The place that keeps names, by vehicle.
    ///
    /// An ECU without a name is remembered, too, so that it is asked once.
    public struct Memory: Sendable {
        let recall: @Sendable (VIN) -> [ECUAddress: String?]
        let keep: @Sendable ([ECUAddress: String?], VIN) -> Void

        /// A memory that returns the names of a vehicle and stores further ones.
        public init(
            recall: @escaping @Sendable (VIN) -> [ECUAddress: String?],
            keep: @escaping @Sendable ([ECUAddress: String?], VIN) -> Void
        ) {
            self.recall = recall
            self.keep = keep
        }
    }

    private struct State {
        var names = ECUNames()
        /// The ECUs that were asked, in this session or an earlier one.
        var asked: Set<ECUAddress> = []
        var vin: VIN?
    }

    private let state = Mutex(State())
    private let memory: Memory?

    /// No names yet; without `memory` they are forgotten after the session.
    public init(memory: Memory? = nil) { self.memory = memory }

    var isKept: Bool { memory != nil }

    var names: ECUNames { state.withLock(\.names) }

    /// The vehicle whose names were recalled.
    public var vin: VIN? { state.withLock(\.vin) }

    func take(_ items: [DiagnosticItem], _ messages: [ECUMessage]) {
        state.withLock { $0.names.take(items, messages) }
    }

    /// Takes the names of a vehicle from earlier sessions.
    public func recall(_ vin: VIN) {
        let known = memory?.recall(vin) ?? [:]
        state.withLock { state in
            state.vin = vin
            state.asked.formUnion(known.keys)
            var own = known.compactMapValues(\.self)
            own.merge(state.names.own) { _, new in new }
            state.names = ECUNames(own: own)
        }
    }

    /// Whether one of these ECUs was never asked.
    func lack(_ ecus: some Sequence<ECUAddress>) -> Bool {
        state.withLock { state in
            ecus.contains { !state.asked.contains($0) && state.names.own[$0] == nil }
        }
    }

    /// Notes that these ECUs were asked, and stores their names.
    func keep(_ ecus: some Sequence<ECUAddress>) {
        let (known, vin) = state.withLock { state in
            state.asked.formUnion(ecus)
            var known: [ECUAddress: String?] = [:]
            for ecu in state.asked.union(state.names.own.keys) {
                known.updateValue(state.names.own[ecu], forKey: ecu)
            }
            return (known, state.vin)
        }
        if let vin, !known.isEmpty { memory?.keep(known, vin) }
    }
}

extension Vehicle {
    /// The names of the vehicle's ECUs that are known without a request.
    public var ecuNames: ECUNames {
        var names = self.names.names
        names.isOnJ1939 = scan.link?.capabilities.vehicleProtocol == .j1939
        return names
    }

    /// The names of `ecus`; asks ECUs whose names are not known, once for each vehicle.
    ///
    /// After a failure names are missing, but the known ones stay valid.
    public func ecuNames(
        of ecus: some Sequence<ECUAddress?>, in services: VehicleServices
    ) -> ECUNames {
        let ecus = Set(ecus.compactMap(\.self))
        if names.isKept, names.vin == nil, let vin = try? vin(by: services.profiles) {
            names.recall(vin)
        }
        if names.lack(ecus) {
            do {
                let announced = try supportedIDs(in: services) { .supportedInfoTypes($0) }
                if announced.all.contains(0x0A) { _ = try ask(.information(0x0A), in: services) }
                names.keep(ecus)
            } catch {
                // The next command asks again.
            }
        }
        var result = ecuNames
        if services.profiles == [.j1939] { result.isOnJ1939 = true }
        return result
    }
}
