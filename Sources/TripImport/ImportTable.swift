public import Diagnostics
public import Formats
import OBDCore

/// The signals that a file has, in the order in which they were first seen.
public struct ImportTable: Sendable {
    private struct Key: Hashable {
        var id: String
        var name: String
        var unit: String
        var kind: Signal.Kind
    }

    /// A signal of the built-in table and the record that carries it.
    struct Known {
        var signal: Signal
        var dataID: DataID
    }

    private var places: [Key: Int32] = [:]
    private var signals: [Signal] = []
    private let byName: [String: Known]
    /// By the letters and digits of a signal's name for people.
    private let byTitle: [String: Known]
    let standard: PIDTable
    private let units: UnitSystem

    /// Signals of a file that may be those of `standard`; `units` says which gallons are meant.
    public init(_ standard: PIDTable, units: UnitSystem = .metric) {
        self.standard = standard
        self.units = units
        var byName: [String: Known] = [:]
        var byTitle: [String: Known] = [:]
        for record in standard.records where record.dataID.service == .currentData {
            for index in record.signals {
                let signal = standard[SignalIndex(rawValue: index)]
                let known = Known(signal: signal, dataID: record.dataID)
                for name in [signal.id] + signal.aliases where byName[name.lowercased()] == nil {
                    byName[name.lowercased()] = known
                }
                let title = WideNames.letters(of: signal.name)
                if byTitle[title] == nil { byTitle[title] = known }
            }
        }
        self.byName = byName
        self.byTitle = byTitle
    }

    /// The built-in signal of that short name or alias.
    func known(_ name: String) -> Known? { byName[name.lowercased()] }

    /// The built-in signal that a log means by a name: what the user says first, then what other
    /// programs call it (`pid`), its short names, and its name for people.
    func known(_ name: String, pid: UInt32?, _ names: [String: String]) -> Known? {
        if let given = names[name] { return known(given) }
        return pid.flatMap { known(pid: $0) } ?? known(name) ?? byTitle[WideNames.letters(of: name)]
    }

    /// The first signal of a record of service 01.
    func known(pid: UInt32) -> Known? {
        guard let record = standard.record(DataID(.currentData, pid)) else { return nil }
        return record.signals.first.map {
            Known(signal: standard[SignalIndex(rawValue: $0)], dataID: record.dataID)
        }
    }

    /// How values in `unit` come to the metric unit of a signal; nil where they cannot.
    ///
    /// Other programs' words first, then what our own exports have with --units.
    func conversion(_ unit: String, of known: Signal?) -> ImportUnit.Conversion? {
        if let known, unit == known.unit { return ImportUnit.Conversion(unit: unit) }
        if let found = ImportUnit.conversion(unit), found.unit == known?.unit ?? found.unit {
            return found
        }
        let isAmbiguous = ImportUnit.isAmbiguous(unit)
        for system in isAmbiguous ? [units] : UnitSystem.allCases {
            for metric in known.map({ [$0.unit] }) ?? ImportUnit.metric {
                guard let shown = system.conversion(from: metric),
                    shown.unit == unit
                        || isAmbiguous && shown.unit.hasSuffix(" " + unit.lowercased())
                else { continue }
                return ImportUnit.Conversion(
                    unit: metric, factor: 1 / shown.factor, offset: -shown.offset / shown.factor)
            }
        }
        return nil
    }

    /// Why values in `unit` cannot be told of a signal.
    func fault(_ unit: String, of name: String) -> String {
        if unit.isEmpty { return "\(name) has no unit" }
        return ImportUnit.isAmbiguous(unit)
            ? "\(name) in \(unit): --units us or --units imperial says which gallons"
            : "\(name) in \(unit) cannot be turned into metric units"
    }

    /// The place of a signal, made where it is new.
    mutating func place(
        _ id: String, _ name: String, _ unit: String, _ kind: Signal.Kind
    ) -> SignalIndex {
        let key = Key(id: id, name: name, unit: unit, kind: kind)
        if let place = places[key] { return SignalIndex(rawValue: place) }
        let place = Int32(signals.count)
        places[key] = place
        signals.append(
            Signal(id: id, name: name, bitOffset: 0, bitLength: 0, kind: kind, unit: unit))
        return SignalIndex(rawValue: place)
    }

    /// Notes what a code of an enumeration means.
    mutating func label(_ code: UInt64, _ label: String, of signal: SignalIndex) {
        let place = Int(signal.rawValue)
        if !signals[place].labels.contains(where: { $0.code == code }) {
            signals[place].labels.append((code, label))
        }
    }

    /// Number of signals seen.
    public var count: Int { signals.count }

    /// The table of everything seen.
    public var table: PIDTable {
        var table = PIDTable()
        for signal in signals {
            table.add(DataID(Service(0), 0), name: signal.name, length: 0...0, signals: [signal])
        }
        return table
    }
}
