import Diagnostics

/// The names of signals in COVESA's Vehicle Signal Specification.
///
/// Signals that are in neither the overlay nor the core catalogue are left out; we invent no names.
package struct VSSNames: Sendable {
    /// A signal's name in the specification.
    package struct Name: Hashable, Sendable {
        /// `Vehicle.Speed`.
        package var path: String
        /// Whether the signal's data type holds only whole numbers.
        package var isWhole: Bool
    }

    private var overlay: [String: Name] = [:]
    private var core: [String: Name] = [:]

    /// Reads `pids/vss.tsv`: signal, overlay, core, type; other lines are ignored.
    ///
    /// - Parameter roles: the quantities of signals of car makers, by their short names: `ev-soc`.
    package init(_ text: String, roles: [String: String] = [:]) {
        var measured: [String: Name] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: "\t").map(String.init)
            guard columns.count == 4 else { continue }
            if SignalRole(rawValue: columns[0]) != nil {
                measured[columns[0]] = Name(path: columns[2], isWhole: columns[3] != "float")
                continue
            }
            if columns[1] != "-" {
                overlay[columns[0]] = Name(path: "Vehicle.OBD.\(columns[1])", isWhole: false)
            }
            if columns[2] != "-" {
                core[columns[0]] = Name(path: columns[2], isWhole: columns[3] != "float")
            }
        }
        for (signal, role) in roles where overlay[signal] == nil && core[signal] == nil {
            core[signal] = measured[role]
        }
    }

    package var signals: [String] { Set(overlay.keys).union(core.keys).sorted() }

    /// The name of a signal from the overlay or, with `isCore`, from the core catalogue if the catalogue has
    /// it.
    package func name(_ signal: String, isCore: Bool) -> Name? {
        isCore ? core[signal] ?? overlay[signal] : overlay[signal] ?? core[signal]
    }
}
