import Diagnostics
import OBDCore
import PIDTables

/// Causes, and which signals measure their quantities.
package struct DriveKnowledge: Sendable {
    package let causes: CauseTable
    private let quantities: QuantityTable
    /// The quantity and its place among the signals of that quantity, by the signal's name.
    private var byName: [String: (quantity: DriveQuantity, preference: Int, id: DataID)] = [:]
    /// The same by the name that signals of packs share.
    private var byRole: [SignalRole: DriveQuantity] = [:]

    /// The embedded quantities; a quantity that the program does not know is left out.
    package init(causes: CauseTable) throws {
        self.causes = causes
        quantities = try PIDTables.quantities()
        var records: [String: DataID] = [:]
        let table = try PIDTables.standard()
        for record in table.records {
            for index in record.signals {
                records[table[SignalIndex(rawValue: index)].id] = record.dataID
            }
        }
        for row in quantities.rows {
            guard let quantity = DriveQuantity(name: row.quantity) else { continue }
            for (preference, signal) in row.signals.enumerated() {
                if let role = SignalRole(rawValue: signal) { byRole[role] = quantity }
                guard let id = records[signal] else { continue }
                byName[signal] = (quantity, preference, id)
            }
        }
    }

    /// A record of service 22 that repeats one of service 01 counts as that one.
    func standard(_ id: DataID) -> DataID {
        guard id.service == .readData, id.id & 0xFF00 == 0xF400 else { return id }
        return DataID(.currentData, id.id & 0xFF)
    }

    /// A signal of the same name in another record may be anything.
    func quantity(of name: String, in id: DataID) -> (DriveQuantity, preference: Int)? {
        guard let found = byName[name], found.id == id else { return nil }
        return (found.quantity, found.preference)
    }

    /// The quantity of a signal of the standard table or of a pack.
    func quantity(of signal: Signal, in id: DataID) -> (DriveQuantity, preference: Int)? {
        if let found = quantity(of: signal.id, in: id) { return found }
        return SignalRole(aliases: signal.aliases).flatMap { byRole[$0] }.map { ($0, 0) }
    }

    func signals(of quantity: String) -> [String] {
        quantities.rows.first { $0.quantity == quantity }?.signals ?? []
    }
}
