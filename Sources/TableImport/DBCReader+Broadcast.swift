import Diagnostics
import OBDCore

/// Messages that ECUs send by themselves.
extension DBCReader {
    /// The longest message of CAN FD, and of the transport protocol of SAE J1939; unit: bytes.
    private static let longestFrame = 64
    private static let longestGroup = 1785

    /// Takes a message as a record of its CAN identifier, or of its parameter group.
    mutating func takeBroadcast(_ message: Message, isGroup: Bool) {
        guard var record = Self.record(of: message, isGroup: isGroup) else {
            return leaveOut(message, .malformed("the identifier of its message"))
        }
        if let first = heard.updateValue(message.line, forKey: record.key) {
            heard[record.key] = first
            return leaveOut(message, .repeatedMessage(line: first))
        }
        let longest = isGroup ? Self.longestGroup : Self.longestFrame
        let prefix = Text.identifier(message.name)
        record.name = Text.line(message.name)
        guard message.length <= longest else { return leaveOut(message, .place) }
        let switches = Switches(message)
        var rows: [ImportedRow] = []
        var missing: Set<String> = []
        for signal in message.signals {
            do throws(RowFault) {
                guard signal.end <= longest else { throw .place }
                var row = try row(signal, from: 0)
                row.signal.id = prefix + "." + Text.identifier(signal.name)
                if isGroup { row.signal.markMissing() }
                if let selection = try switches.selection(of: signal) {
                    row.condition = ImportedCondition(
                        id: prefix + "." + Text.identifier(selection.multiplexer),
                        ranges: selection.ranges)
                }
                rows.append(row)
            } catch {
                missing.insert(prefix + "." + Text.identifier(signal.name))
                source.leaveOut(signal.name, signal.line, error)
            }
        }
        // A signal is there only if every multiplexer above it is.
        var isComplete = false
        while !isComplete {
            isComplete = true
            rows.removeAll { row in
                guard let condition = row.condition, missing.contains(condition.id) else {
                    return false
                }
                missing.insert(row.signal.id)
                source.leaveOut(row.signal.name, row.line, .malformed("its multiplexer"))
                isComplete = false
                return true
            }
        }
        // A row beyond the stated length is read if a frame is long enough.
        let ends = rows.map { ($0.signal.bitOffset + $0.signal.bitLength + 7) / 8 }
        record.length = 1...(isGroup ? longest : max(message.length, ends.max() ?? 1, 1))
        for row in rows { source.add(row, to: record) }
    }

    private static func record(of message: Message, isGroup: Bool) -> ImportedRecord? {
        let id = message.number & 0x7FFF_FFFF
        // Without the mark of 29 bits, a larger number can still only be one of 29 bits.
        let isExtended = message.number & 0x8000_0000 != 0 || id > 0x7FF
        guard id <= 0x1FFF_FFFF else { return nil }
        guard isGroup else {
            let address = ECUAddress(id, isExtended ? .can29 : .can11)
            return DataID(frame: address).map { ImportedRecord(dataID: $0, line: message.line) }
        }
        var group = id >> 8 & 0x3_FFFF
        // Below F0, the low byte is a receiver and does not belong to the group.
        if group >> 8 & 0xFF < 0xF0 { group &= 0x3_FF00 }
        let dataID = DataID(DataID.parameterGroups, group)
        guard dataID.isHeard else { return nil }
        var record = ImportedRecord(dataID: dataID, line: message.line)
        // FE is not an address, and some programs write 0 for priority and sender.
        let sender = id & 0xFF
        if sender != 0xFE, sender != 0xFF, sender != 0 || id >> 26 != 0 {
            record.responder = ECUAddress(sender, .byte)
        }
        return record
    }

    /// The multiplexers of a message.
    private struct Switches {
        private var rows: [String: Row] = [:]
        /// The only multiplexer, if the file does not name one for each signal.
        private var only: Row?

        init(_ message: Message) {
            for row in message.signals where rows[row.key] == nil { rows[row.key] = row }
            let plain = message.signals.filter { $0.isMultiplexer && $0.value == nil }
            let marked = message.signals.filter(\.isMarkedWithoutNumber)
            let nested = message.signals.filter(\.isMultiplexer)
            only =
                plain.count == 1
                ? plain.first
                : plain.isEmpty && nested.isEmpty && marked.count == 1 ? marked.first : nil
        }

        /// The multiplexer of a signal and the raw values that select the signal; nil if it is always there.
        func selection(
            of row: Row
        ) throws(RowFault) -> (multiplexer: String, ranges: [ClosedRange<UInt64>])? {
            guard row.selection != nil || row.value != nil else { return nil }
            let selector = row.selection.flatMap { rows[$0.multiplexer] } ?? only
            guard let selector, selector.key != row.key, row.selection == nil || !isCircle(row)
            else { throw .malformed("its multiplexer") }
            let values = row.selection?.values ?? row.value.map { [$0...$0] } ?? []
            let highest: UInt64 =
                selector.length >= 64 ? .max : (1 << UInt64(selector.length)) - 1
            let ranges = values.compactMap { values -> ClosedRange<UInt64>? in
                guard let low = UInt64(exactly: values.lowerBound),
                    let high = UInt64(exactly: values.upperBound), low <= highest
                else { return nil }
                return low...min(high, highest)
            }
            guard !ranges.isEmpty, selector.length <= 64 else {
                throw .malformed("the value of its multiplexer")
            }
            return (selector.name, ranges)
        }

        private func isCircle(_ row: Row) -> Bool {
            var next = row.selection?.multiplexer
            var depth = 0
            while let key = next, let row = rows[key] {
                depth += 1
                if depth >= PIDTable.deepestCondition { return true }
                next = row.selection?.multiplexer
            }
            return false
        }
    }
}

extension Signal {
    /// Adds the raw values that mean no value in SAE J1939-71, for the lengths that it names.
    fileprivate mutating func markMissing() {
        guard kind == .number || kind == .enumeration, formula == nil, !isSigned else { return }
        // Counters and checksums use all values.
        let name = name.lowercased()
        guard !["count", "checksum", "crc"].contains(where: { name.contains($0) }) else { return }
        func add(_ low: UInt64, _ high: UInt64) {
            notAvailable = [NotAvailable(pattern: low, through: high)]
        }
        switch bitLength {
        case 2: add(2, 3)
        case 3, 4, 5: add((1 << UInt64(bitLength)) - 1, (1 << UInt64(bitLength)) - 1)
        case 8, 16, 24, 32:
            let shift = UInt64(bitLength - 8)
            add(0xFB << shift, (1 << UInt64(bitLength)) - 1)
        default: break
        }
    }
}
