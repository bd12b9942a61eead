import Diagnostics
import OBDCore

/// Signals as a vehicle is asked for them.
struct ResolvedSignals: Sendable {
    /// A signal that the vehicle's services do not have.
    struct Unknown: Sendable {
        /// The signal's name.
        var name: String
        /// What the vehicle speaks.
        var profiles: [DiagnosticProfile]

        /// One sentence.
        var text: String {
            let standards = profiles.map(\.standard).joined(separator: " and ")
            return "the vehicle speaks \(standards), which has no signal \"\(name)\""
        }

        /// Why nothing could be asked.
        func failure(_ connection: Connection) -> Failure {
            Failure(
                "\(connection.accessory): \(text)",
                hint: "obdscan pids list --supported shows what there is", status: .unavailable)
        }
    }

    /// What to ask for, in the order of the names.
    var signals: [SelectedSignal] = []
    /// What cannot be asked for.
    var unknown: [Unknown] = []
}

extension SignalNames {
    /// Where the services of a vehicle keep `selected`.
    ///
    /// A record that SAE J1979-2 keeps behind a data identifier is asked for there. Between SAE
    /// J1979 and SAE J1939 a signal is found by the names that it has in both tables.
    func resolve(
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

extension Connection {
    /// The services in which `selected` are asked for.
    ///
    /// What the vehicle answered when the adapter was set up tells; only where it did not, it is
    /// asked again.
    func signalProfiles(for selected: [SelectedSignal]) throws -> [DiagnosticProfile] {
        if let family = scan.link?.capabilities.vehicleProtocol?.family, family != .can {
            return [DiagnosticProfile(classic: family)]
        }
        switch scan.link?.identity.services {
        case .classic: return [.classicCAN]
        case .onUDS: return [.onUDS]
        case .j1939: return [.j1939]
        case nil: break
        }
        if selected.allSatisfy({ $0.isByNumber || $0.dataID == nil }) { return [.classicCAN] }
        return try services().profiles
    }
}
