public import Diagnostics

/// The quantities of signals, whatever their names: from the tables that have them, else from the signals'
/// own names.
public struct SignalRoles: Sendable {
    private let roles: [String: SignalRole]
    /// Signals of tables: if the tables give no role, there is none.
    private let known: Set<String>

    /// The roles that signals of these records have.
    public init(_ records: [TableRecord]) {
        var roles: [String: SignalRole] = [:]
        var known: Set<String> = []
        for signal in records.flatMap(\.signals) {
            known.insert(signal.id)
            if roles[signal.id] == nil { roles[signal.id] = SignalRole(aliases: signal.aliases) }
        }
        (self.roles, self.known) = (roles, known)
    }

    /// The roles by short name.
    public var byName: [String: SignalRole] { roles }

    /// The signals that have a role, by short name.
    public func signals(of role: SignalRole) -> [String] {
        roles.filter { $0.value == role }.map(\.key).sorted()
    }

    /// The quantity of a signal; nil if neither a table nor its own name shows one.
    public func role(of signal: Signal) -> SignalRole? {
        if let known = SignalRole(aliases: signal.aliases) ?? roles[signal.id] { return known }
        guard !known.contains(signal.id) else { return nil }
        return SignalRole(text: signal.name, unit: signal.unit)
    }
}

extension PIDTables {
    /// The roles of the embedded table, of all packs and of `userFiles`.
    ///
    /// Unreadable files are ignored here.
    public static func signalRoles(_ userFiles: [TableFile] = []) -> SignalRoles {
        let files = embeddedFiles() + userFiles + packs().map(\.file)
        var records: [TableRecord] = []
        for file in files {
            records += (try? TableReader.records(of: file, detail: .decoding)) ?? []
        }
        return SignalRoles(records)
    }
}
