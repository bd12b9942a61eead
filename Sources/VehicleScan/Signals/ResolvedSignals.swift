public import Diagnostics
import OBDCore

/// Signals with the requests that read them from a vehicle.
public struct ResolvedSignals: Sendable {
    /// A signal that does not exist in the vehicle's services.
    public struct Unknown: Hashable, Sendable {
        /// The signal's name.
        public var name: String
        /// The vehicle's profiles.
        public var profiles: [DiagnosticProfile]
        /// Whether ECUs send the signal by themselves, so that no request exists.
        public var isOnlyHeard = false
        /// Whether the signal is in frames with the identifier of an answer, which cannot be heard beside requests.
        public var isOfAnswer = false
        /// Whether the signal is in a parameter group that ECUs send by themselves, and the vehicle does not answer by SAE
        /// J1939.
        public var isOfForeignGroup = false
    }

    /// The signals to request, in the order of the names.
    public var signals: [SelectedSignal] = []
    /// The signals that cannot be requested.
    public var unknown: [Unknown] = []
}

extension SignalNames {
    /// Finds `selected` in the services of a vehicle.
    ///
    /// If SAE J1979-2 has a data identifier for a record, it is requested there. Between SAE J1979 and SAE
    /// J1939, a signal is found by a name that it has in both tables.
    public func resolve(
        _ selected: [SelectedSignal], in profiles: [DiagnosticProfile]
    ) -> ResolvedSignals {
        var resolved = ResolvedSignals()
        for one in selected {
            guard let dataID = one.dataID,
                !one.isByNumber || dataID.service == DataID.frames
            else {
                resolved.signals.append(one)
                continue
            }
            let found = profiles.flatMap { profile in
                if let place = profile.place(of: dataID) {
                    var placed = one
                    placed.dataID = place
                    return [placed]
                }
                // The name of a heard signal is its maker's own.
                guard dataID.service != DataID.frames else { return [] }
                return namesake(of: one, in: profile).map { [$0] } ?? []
            }
            if found.isEmpty {
                let name = one.signal.map { table[$0].id } ?? dataID.description
                resolved.unknown.append(
                    .init(
                        name: name, profiles: profiles, isOnlyHeard: !dataID.isRequestable,
                        isOfAnswer: dataID.frameAddress != nil && !isHeard(one),
                        isOfForeignGroup: isHeardGroup(one) && !profiles.contains(.j1939)))
            }
            resolved.signals += found
        }
        return resolved
    }

    /// A signal of another standard with the same name as `selected`.
    private func namesake(
        of selected: SelectedSignal, in profile: DiagnosticProfile
    ) -> SelectedSignal? {
        guard let signal = selected.signal else { return nil }
        let names = keys(of: signal)
        for record in table.records {
            guard profile.isMeasured(record.dataID), let place = profile.place(of: record.dataID)
            else { continue }
            for index in record.signals {
                let candidate = SignalIndex(rawValue: index)
                guard !keys(of: candidate).isDisjoint(with: names) else { continue }
                var found = SelectedSignal(record: record, signal: candidate)
                found.dataID = place
                found.pace = selected.pace
                return found
            }
        }
        return nil
    }

    private func keys(of signal: SignalIndex) -> Set<[UInt8]> {
        Set(([table[signal].id] + table[signal].aliases).map { Self.key($0) })
    }
}
