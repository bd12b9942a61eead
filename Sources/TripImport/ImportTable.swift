import Diagnostics
import Formats
import OBDCore

/// The signals of a file, in the order in which they first appear.
package struct ImportTable: Sendable {
    private struct Key: Hashable {
        var id: String
        var name: String
        var unit: String
        var kind: Signal.Kind
    }

    /// A signal of the built-in table with its record.
    struct Known {
        var signal: Signal
        var dataID: DataID
    }

    private var places: [Key: Int32] = [:]
    private var signals: [Signal] = []
    private let byID: [String: Known]
    /// Signals by the names that our users type.
    private let byAlias: [String: Known]
    /// Signals by the letters and digits of their names for people.
    private let byTitle: [String: Known]
    let standard: PIDTable
    private let units: UnitSystem

    /// A table for signals that may be in `standard`; `units` determines the kind of gallons.
    package init(_ standard: PIDTable, units: UnitSystem = .metric) {
        self.standard = standard
        self.units = units
        var byID: [String: Known] = [:]
        var byAlias: [String: Known] = [:]
        var byTitle: [String: Known] = [:]
        for record in standard.records where record.dataID.service == .currentData {
            for index in record.signals {
                let signal = standard[SignalIndex(rawValue: index)]
                let known = Known(signal: signal, dataID: record.dataID)
                if byID[signal.id.lowercased()] == nil { byID[signal.id.lowercased()] = known }
                for name in signal.aliases where byAlias[name.lowercased()] == nil {
                    byAlias[name.lowercased()] = known
                }
                let title = WideNames.letters(of: signal.name)
                if byTitle[title] == nil { byTitle[title] = known }
            }
        }
        self.byID = byID
        self.byAlias = byAlias
        self.byTitle = byTitle
    }

    /// The built-in signal with this short name or alias.
    func known(_ name: String) -> Known? {
        byID[name.lowercased()] ?? byAlias[name.lowercased()]
    }

    /// The built-in signal for a name in a log of another program.
    ///
    /// The search uses the names of other programs (`pid`), then short names in their own spelling, then names
    /// for people. Words that our users type, such as `boost` and `gear`, name other quantities elsewhere.
    func known(_ name: String, pid: UInt32?) -> Known? {
        pid.flatMap { known(pid: $0) } ?? byID[name.lowercased()].flatMap {
            $0.signal.id == name ? $0 : nil
        }
            ?? byTitle[WideNames.letters(of: name)]
    }

    /// The first signal of a record of service 01.
    func known(pid: UInt32) -> Known? {
        guard let record = standard.record(DataID(.currentData, pid)) else { return nil }
        return record.signals.first.map {
            Known(signal: standard[SignalIndex(rawValue: $0)], dataID: record.dataID)
        }
    }

    /// The conversion from `unit` to the metric unit of a signal; nil if there is none.
    ///
    /// The search uses the units of other programs first, then those of our own exports with --units.
    func conversion(_ unit: String, of known: Signal?) -> ImportUnit.Conversion? {
        if let known, unit == known.unit { return ImportUnit.Conversion(unit: unit) }
        if let found = ImportUnit.conversion(unit), found.unit == known?.unit ?? found.unit {
            return found
        }
        if known == nil, unit.lowercased() == "mpg", let gallons = units.gallons {
            return ImportUnit.Conversion(unit: gallons + " mpg")
        }
        let gallons = ImportUnit.gallons[unit.lowercased()]
        let ending = gallons.map { " " + $0 } ?? unit
        for system in gallons == nil ? UnitSystem.allCases : [units] {
            for metric in known.map({ [$0.unit] }) ?? ImportUnit.metric {
                guard let shown = system.conversion(from: metric),
                    gallons == nil ? shown.unit == unit : shown.unit.hasSuffix(ending)
                else { continue }
                return ImportUnit.Conversion(
                    unit: metric, factor: 1 / shown.factor, offset: -shown.offset / shown.factor)
            }
        }
        return nil
    }

    /// The message about a unit that does not fit the signal.
    func fault(_ unit: String, of name: String, line: Int) -> ImportFault {
        if unit.isEmpty { return ImportFault(line: line, reason: "\(name) has no unit") }
        guard ImportUnit.isAmbiguous(unit) else {
            return ImportFault(
                line: line, reason: "\(name) in \(unit) cannot be turned into metric units")
        }
        var fault = ImportFault(
            line: line,
            reason: "\(name) in \(unit): --units us or --units imperial says which gallons")
        fault.needsGallons = true
        return fault
    }

    /// The index of a signal; creates it if it is new.
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

    /// The index for text instead of a known signal's value; nil if its values are numbers with a unit.
    mutating func textPlace(_ known: Signal) -> SignalIndex? {
        known.kind == .number && !known.unit.isEmpty
            ? nil : place(known.id, known.name, known.unit, .text)
    }

    /// The index for text under an unknown name; nil if it has a unit, so that its values are numbers.
    mutating func textPlace(_ name: String, unit: String) -> SignalIndex? {
        unit.isEmpty ? place(name, name, unit, .text) : nil
    }

    /// Records the label of an enumeration's code, or of a number.
    mutating func label(_ code: UInt64, _ label: String, of signal: SignalIndex) {
        let place = Int(signal.rawValue)
        if !signals[place].labels.contains(where: { $0.code == code }) {
            signals[place].labels.append((code, label))
        }
    }

    package var count: Int { signals.count }

    package var table: PIDTable {
        var table = PIDTable()
        for signal in signals {
            table.add(DataID(Service(0), 0), name: signal.name, length: 0...0, signals: [signal])
        }
        return table
    }
}

extension UnitSystem {
    /// The country of the gallons; nil for a system without gallons.
    fileprivate var gallons: String? {
        conversion(from: "L").map { String($0.unit.prefix(2)) }
    }
}
