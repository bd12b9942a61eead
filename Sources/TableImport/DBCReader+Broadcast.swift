import Diagnostics
import OBDCore

/// Messages that ECUs send by themselves.
extension DBCReader {
    /// The longest message of CAN FD, and of the transport protocol of SAE J1939; unit: bytes.
    private static let longestFrame = 64
    private static let longestGroup = 1785

    /// Takes a message as a record of its CAN identifier, or of its parameter group.
    mutating func takeBroadcast(_ message: Message) {
        guard var record = record(of: message) else {
            return leaveOut(message, .malformed("the identifier of its message"))
        }
        if let first = heard.updateValue(message.line, forKey: record.key) {
            heard[record.key] = first
            return leaveOut(message, .repeatedMessage(line: first))
        }
        let isGroup = file.isParameterGroup(message)
        let longest = isGroup ? Self.longestGroup : Self.longestFrame
        let prefix = Text.databaseName(message.name)
        record.name = Text.line(message.name)
        guard message.length <= longest else { return leaveOut(message, .place) }
        let switches = Switches(message)
        var rows: [ImportedRow] = []
        var missing: Set<String> = []
        for signal in message.signals {
            do throws(RowFault) {
                guard signal.end <= longest else { throw .place }
                var row = try row(signal, from: 0)
                row.signal.id = prefix + "." + Text.databaseName(signal.name)
                if isGroup {
                    row.signal.markMissing(in: GroupPlace(message), except: Self.named(signal))
                }
                if let selection = try switches.selection(of: signal) {
                    row.condition = ImportedCondition(
                        id: prefix + "." + Text.databaseName(selection.multiplexer),
                        ranges: selection.ranges)
                }
                rows.append(row)
                if signal.end > message.length {
                    source.warn(
                        signal.name, signal.line,
                        "it ends in byte \(signal.end), its message has \(message.length): "
                            + "only a longer frame has it")
                }
            } catch {
                missing.insert(prefix + "." + Text.databaseName(signal.name))
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
        // On the second page, single frames of a longer group are fast packets of NMEA 2000.
        if record.dataID.service == DataID.parameterGroups, record.dataID.id > 0xFFFF,
            message.length > 8
        {
            record.length = 9...longest
        }
        for row in rows { source.add(row, to: record) }
    }

    private func record(of message: Message) -> ImportedRecord? {
        let id = message.number & 0x7FFF_FFFF
        // Without the mark of 29 bits, a larger number can still only be one of 29 bits.
        let isExtended = message.number & 0x8000_0000 != 0 || id > 0x7FF
        guard id <= 0x1FFF_FFFF else { return nil }
        let place = file.isParameterGroup(message) ? GroupPlace(message) : nil
        let address = ECUAddress(id, isExtended ? .can29 : .can11)
        // Several messages of one sender and group have different receivers.
        guard let place, place.receiver == nil || receivers[place.withoutReceiver]?.count ?? 0 < 2
        else {
            return DataID(frame: address).map { ImportedRecord(dataID: $0, line: message.line) }
        }
        let dataID = DataID(DataID.parameterGroups, place.group)
        guard dataID.isHeard else { return nil }
        var record = ImportedRecord(dataID: dataID, line: message.line)
        // Every sender means the same with a group, except with a group that makers define.
        if let sender = place.sender, place.isOfMaker || senders[place.group]?.count ?? 0 > 1 {
            record.responder = ECUAddress(sender, .byte)
        }
        return record
    }

    /// The group of a message with its sender and receiver.
    struct GroupPlace: Hashable {
        var group: UInt32
        /// Nil for any sender.
        var sender: UInt32?
        /// Nil if the group has no receiver.
        var receiver: UInt32?

        init(_ message: Message) {
            let id = message.number & 0x1FFF_FFFF
            group = id >> 8 & 0x3_FFFF
            // Below F0, the low byte is a receiver and does not belong to the group.
            if group >> 8 & 0xFF < 0xF0 {
                receiver = group & 0xFF
                group &= 0x3_FF00
            }
            // FE is not an address, and some programs write 0 for priority and sender.
            sender = id & 0xFF
            if sender == 0xFE || sender == 0xFF || id & 0xFF == 0 && id >> 26 == 0 { sender = nil }
        }

        var withoutReceiver: GroupPlace {
            var copy = self
            copy.receiver = nil
            return copy
        }

        /// Whether the group is in the range of NMEA 2000.
        var isOfBoats: Bool { group >= 0x1_F000 }

        /// Whether each maker gives the group its own meaning.
        var isOfMaker: Bool {
            group & 0xFFFF == 0xEF00 || (0xFF00...0xFFFF).contains(group & 0xFFFF)
        }
    }

    /// Remembers the senders and receivers of groups with several messages.
    mutating func noteGroups() {
        for message in file.messages where file.isParameterGroup(message) {
            let place = GroupPlace(message)
            senders[place.group, default: []].insert(place.sender)
            if let receiver = place.receiver {
                receivers[place.withoutReceiver, default: []].insert(receiver)
            }
        }
    }

    /// The raw values of a signal whose labels mean a value.
    private static func named(_ row: Row) -> Set<UInt64> {
        Set(
            row.labels.lazy.filter { !meansNoValue($0.label) }.compactMap {
                UInt64(exactly: $0.code)
            })
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
    /// Adds the raw values that mean no value in SAE J1939-71, for the lengths that it names, or in NMEA 2000, where
    /// only the two highest values do.
    ///
    /// - Parameter named: raw values that mean a value in this signal.
    fileprivate mutating func markMissing(
        in group: DBCReader.GroupPlace, except named: Set<UInt64>
    ) {
        guard kind == .number || kind == .enumeration, formula == nil, bitLength < 64,
            !isSigned || group.isOfBoats
        else { return }
        // Counters and checksums use all values.
        let name = name.lowercased()
        guard !["count", "checksum", "crc"].contains(where: { name.contains($0) }) else { return }
        let highest: UInt64 = (1 << UInt64(isSigned ? bitLength - 1 : bitLength)) - 1
        var first: UInt64
        switch bitLength {
        case 2 where !isSigned: first = 2
        case 3, 4, 5: first = highest
        case 8, 16, 24, 32:
            first = group.isOfBoats ? highest - 1 : 0xFB << UInt64(bitLength - 8)
        default: return
        }
        notAvailable = []
        for code in named.sorted() where code >= first && code <= highest {
            if code > first {
                notAvailable.append(NotAvailable(pattern: first, through: code - 1))
            }
            first = code + 1
        }
        if first <= highest { notAvailable.append(NotAvailable(pattern: first, through: highest)) }
    }
}
