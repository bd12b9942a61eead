public import Diagnostics
import OBDCore

/// Signals as a vehicle is asked for them.
public struct ResolvedSignals: Sendable {
    /// A signal that the vehicle's services do not have.
    public struct Unknown: Hashable, Sendable {
        /// The signal's name.
        public var name: String
        /// What the vehicle speaks.
        public var profiles: [DiagnosticProfile]
    }

    /// What to ask for, in the order of the names.
    public var signals: [SelectedSignal] = []
    /// What cannot be asked for.
    public var unknown: [Unknown] = []
}

extension SignalNames {
    /// Where the services of a vehicle keep `selected`.
    ///
    /// A record that SAE J1979-2 keeps behind a data identifier is asked for there. Between SAE
    /// J1979 and SAE J1939 a signal is found by the names that it has in both tables.
    public func resolve(
        _ selected: [SelectedSignal], in profiles: [DiagnosticProfile]
    ) -> ResolvedSignals {
        var resolved = ResolvedSignals()
        for one in selected {
            guard let dataID = one.dataID, !one.isByNumber else {
                resolved.signals.append(one)
                continue
            }
            let found = profiles.flatMap { profile in
                if let place = profile.place(of: dataID) {
                    var placed = one
                    placed.dataID = place
                    return [placed]
                }
                return namesake(of: one, in: profile).map { [$0] } ?? []
            }
            if found.isEmpty {
                let name = one.signal.map { table[$0].id } ?? dataID.description
                resolved.unknown.append(.init(name: name, profiles: profiles))
            }
            resolved.signals += found
        }
        return resolved
    }

    /// A signal of another standard that shares a name with `selected`.
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
