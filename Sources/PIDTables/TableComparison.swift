public import Diagnostics
public import OBDCore

/// Compares the definitions of the same data in two tables.
public struct ComparedSignal: Sendable {
    /// The result of comparing two definitions.
    public enum Verdict: String, Sendable {
        /// Both tables decode the same value from every recorded answer.
        case agree
        /// There is no recorded answer, but both tables decode the same value from generated data.
        case agreeOnMadeUpData
        /// The tables decode different values.
        case differ
        /// Only the first table has these bits.
        case onlyFirst
        /// Only the second table has these bits.
        case onlySecond
    }

    /// The record.
    public var dataID: DataID
    /// The ECU that answers; nil if neither table specifies it.
    public var responder: ECUAddress?
    /// The first table's signal.
    public var first: Signal?
    /// The second table's signal.
    public var second: Signal?
    /// The number of recorded answers that were compared.
    public var answers: Int
    /// The result of the comparison.
    public var verdict: Verdict
}

extension PIDTables {
    /// The records of these files only.
    public static func records(in files: [TableFile]) throws(TableError) -> [TableRecord] {
        var records: [TableRecord] = []
        for file in files { records += try TableReader.records(of: file, detail: .everything) }
        return records
    }

    /// Compares the values that two tables decode from the same answers, in the order of the first.
    public static func compare(
        _ first: [TableRecord], with second: [TableRecord]
    ) -> [ComparedSignal] {
        var found: [ComparedSignal] = []
        var partners: Set<Int> = []
        for record in first {
            let place = second.indices.first { index in
                let other = second[index]
                return other.dataID == record.dataID
                    && (other.responder == record.responder || other.responder == nil
                        || record.responder == nil)
            }
            guard let place else {
                found += record.signals.map {
                    ComparedSignal(
                        dataID: record.dataID, responder: record.responder, first: $0, answers: 0,
                        verdict: .onlyFirst)
                }
                continue
            }
            partners.insert(place)
            found += RecordPair(first: record, second: second[place]).compared()
        }
        for (place, record) in second.enumerated() where !partners.contains(place) {
            found += record.signals.map {
                ComparedSignal(
                    dataID: record.dataID, responder: record.responder, second: $0, answers: 0,
                    verdict: .onlySecond)
            }
        }
        return found
    }
}

/// Two descriptions of one record.
private struct RecordPair {
    var first: TableRecord
    var second: TableRecord

    func compared() -> [ComparedSignal] {
        let recorded = Array(Set((first.examples + second.examples).map(\.data)))
        let (left, right) = (table(first), table(second))
        var found: [ComparedSignal] = []
        var partners: Set<Int> = []
        for (index, signal) in first.signals.enumerated() {
            let candidates = second.signals.indices.filter {
                shared(signal, second.signals[$0]) > 0
            }
            let place = candidates.max { one, other in
                shared(signal, second.signals[one]) < shared(signal, second.signals[other])
            }
            guard let place else {
                found.append(result(signal, nil, 0, .onlyFirst))
                continue
            }
            partners.insert(place)
            let data = recorded.isEmpty ? madeUp(signal, second.signals[place]) : recorded
            let agrees = data.allSatisfy { data in
                same(
                    left.value(of: SignalIndex(rawValue: Int32(index)), in: data), of: signal,
                    right.value(of: SignalIndex(rawValue: Int32(place)), in: data),
                    of: second.signals[place])
            }
            let verdict: ComparedSignal.Verdict =
                agrees ? recorded.isEmpty ? .agreeOnMadeUpData : .agree : .differ
            found.append(result(signal, second.signals[place], recorded.count, verdict))
        }
        for (index, signal) in second.signals.enumerated() where !partners.contains(index) {
            found.append(result(nil, signal, 0, .onlySecond))
        }
        return found
    }

    private func table(_ record: TableRecord) -> PIDTable {
        var table = PIDTable()
        table.add(record)
        return table
    }

    private func result(
        _ one: Signal?, _ other: Signal?, _ answers: Int, _ verdict: ComparedSignal.Verdict
    ) -> ComparedSignal {
        ComparedSignal(
            dataID: first.dataID, responder: first.responder ?? second.responder, first: one,
            second: other, answers: answers, verdict: verdict)
    }

    /// The number of bits that both use, less the difference of their lengths.
    private func shared(_ one: Signal, _ other: Signal) -> Int {
        bits(one).intersection(bits(other)).count * 2
            - abs(one.bitLength - other.bitLength)
    }

    private func bits(_ signal: Signal) -> Set<Int> {
        let range = signal.bitOffset..<signal.bitOffset + signal.bitLength
        return signal.isLittleEndian ? Set(range) : Set(range.map { $0 & ~7 | 7 - $0 & 7 })
    }

    /// Generated data: all bits off and on, the ends of both signs, and counting bytes.
    private func madeUp(_ one: Signal, _ other: Signal) -> [[UInt8]] {
        let count =
            (max(one.bitOffset + one.bitLength, other.bitOffset + other.bitLength) + 7) / 8
        var data = [0x00, 0xFF, 0x80, 0x7F].map { [UInt8](repeating: $0, count: count) }
        for step in [1, 7, 31, 101] {
            data.append((0..<count).map { UInt8(truncatingIfNeeded: $0 &* step &+ step) })
        }
        return data
    }

    private func same(
        _ one: Reading.Value?, of first: Signal, _ other: Reading.Value?, of second: Signal
    ) -> Bool {
        func number(_ value: Reading.Value?) -> Double? {
            switch value {
            case .number(let number): number
            case .flag(let flag): flag ? 1 : 0
            case .label(let code): Double(code)
            default: nil
            }
        }
        if let left = number(one), let right = number(other) {
            // A table without a unit does not contradict one with a unit.
            let units = first.unit == second.unit || first.unit.isEmpty || second.unit.isEmpty
            return units && abs(left - right) <= 1e-6 * (1 + abs(left))
        }
        switch (one, other) {
        case (.text(let left), .text(let right)): return left == right
        case (.missing, .missing), (nil, nil): return true
        default: return false
        }
    }
}
