import Diagnostics
import OBDCore
import ScanSession
import TripStore
import VehicleScan

/// Stores the results of short scans, to build a history of codes and test results.
///
/// Simulated and replayed devices are stored only if the user names a database. An unusable
/// database does not make the command fail.
enum ScanRecord {
    /// Stores the answers; `lists` contains the lists of codes among them.
    static func keep(
        _ asked: [QueryResult], lists: [CodeScan.List] = [], _ connection: Vehicle,
        _ services: VehicleServices, _ options: DatabaseOptions, _ output: OutputOptions
    ) {
        guard isWanted(connection, options) else { return }
        let vin = try? connection.vin(by: services.profiles)
        do {
            let store = try options.open(.readWrite)
            let start = asked.map(\.answer.answered).min() ?? connection.anchor.monotonic
            let anchor = TimeAnchor(monotonic: start, utc: connection.utc(start))
            let writer = try mapped { () throws(StoreError) in
                try store.startTrip(
                    TripStart(
                        purpose: .scan, anchor: anchor, vin: vin, accessory: connection.key),
                    table: connection.table)
            }
            offer(asked, lists: lists, to: writer)
            let last = asked.map(\.answer.answered).max() ?? start
            try mapped { () throws(StoreError) in try writer.end(.stopped, at: last) }
        } catch {
            if output.verbose { output.note("not kept in the database: \(error.message)") }
        }
    }

    /// Whether answers from `connection` are stored.
    static func isWanted(_ connection: Vehicle, _ options: DatabaseOptions) -> Bool {
        connection.key != nil || options.isNamed
    }

    /// Passes the answers to a writer; `lists` contains the lists of codes among them.
    static func offer(_ asked: [QueryResult], lists: [CodeScan.List], to writer: TripWriter) {
        for one in asked where !one.answer.items.isEmpty {
            _ = writer.offer(one.answer.items, at: one.answer.answered)
        }
        for list in lists {
            for (ecu, codes) in list.answers {
                _ = writer.offer(
                    .codeList(ecu, list.kind, codes: codes), at: list.asked.answer.answered)
            }
        }
    }
}

extension CodeScan.List {
    /// The ECUs with a complete list, and the number of codes in it.
    ///
    /// ECUs with a refusal, another answer or damaged frames are left out, because their codes are
    /// unknown.
    fileprivate var answers: [(ecu: ECUAddress?, codes: Int)] {
        var found: [(ecu: ECUAddress?, codes: Int)] = []
        for ecu in asked.answers.map(\.ecu) {
            guard told(by: ecu) == .list, !found.contains(where: { $0.ecu == ecu }) else {
                continue
            }
            let codes = asked.answer.items.count { item in
                if case .code(let report) = item {
                    report.ecu == ecu && report.kind == kind
                } else {
                    false
                }
            }
            found.append((ecu, codes))
        }
        return found
    }
}
