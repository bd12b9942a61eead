import Diagnostics
public import OBDCore

/// Built-in signals that are not available because a record in a user's table replaces theirs.
public struct HiddenSignals: Hashable, Sendable {
    /// The user's file.
    public var file: String
    /// The line of the user's record, from 1.
    public var line: Int
    /// The record.
    public var record: DataID
    /// The short names of the built-in signals that it lacks.
    public var signals: [String]
}

extension PIDTables {
    /// The signals that the records of `files` hide, in the order of their lines; files with faults hide
    /// nothing.
    public static func hidden(by files: [TableFile]) -> [HiddenSignals] {
        guard let table = try? standard() else { return [] }
        let records = files.flatMap { file in
            (try? TableReader.records(of: file, detail: .decoding)) ?? []
        }
        return records.compactMap { record -> HiddenSignals? in
            guard record.responder == nil, let replaced = table.record(record.dataID) else {
                return nil
            }
            let own = Set(record.signals.map(\.id))
            let gone = replaced.signals.map { table[SignalIndex(rawValue: $0)].id }
                .filter { !own.contains($0) }
            return gone.isEmpty
                ? nil
                : HiddenSignals(
                    file: record.file, line: record.line, record: record.dataID, signals: gone)
        }
    }
}
