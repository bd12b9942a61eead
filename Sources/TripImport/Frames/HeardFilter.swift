import Diagnostics
import OBDCore

/// Chooses what a trip keeps of the frames of a bus, from a log or from a live link.
///
/// A bus repeats most values up to a hundred times per second, and most of them do not change. Of each signal of
/// each sender, the filter keeps a value that changed, but a number at most once per second and any other value
/// at most ten times per second. A value that stays is kept again every five seconds, so that distances and
/// averages know that it stayed. That a value is not available is kept once. Counters and checksums are left out.
/// Of a list of codes that an ECU repeats, one per minute is kept, and each that differs from the one before.
/// Answers that no table decodes are kept whole; what ECUs send by themselves and no table decodes is not.
package struct HeardFilter: Sendable {
    private struct Key: Hashable {
        var sender: ECUAddress?
        var signal: SignalIndex
    }

    private struct GroupKey: Hashable {
        var group: UInt32
        var sender: ECUAddress?
    }

    private struct Kept {
        var sender: ECUAddress?
        var value: Reading.Value
        var time: Int64
    }

    /// What is known of a signal: nearly every signal has one sender, so that few values need a key.
    private struct Known {
        var isCounter: Bool
        /// Whether each of its values is a number.
        var isNumber: Bool
        var latest: Kept?
    }

    /// The signals by their index.
    private var signals: [Known?] = []
    /// The last values of the other senders of a signal.
    private var others: [Key: Kept] = [:]
    /// The last list of codes of each group and sender.
    private var lists: [GroupKey: (payload: [UInt8], time: Int64)] = [:]
    /// A file of random data may have as many senders as frames.
    private static let most = 100_000

    /// Unit of all: microseconds.
    static let numberInterval: Int64 = 1_000_000
    static let stateInterval: Int64 = 100_000
    static let repeatInterval: Int64 = 5_000_000
    static let listInterval: Int64 = 60_000_000

    /// The only signals to keep, counters among them; nil = all but counters and checksums.
    private let only: Set<SignalIndex>?

    /// A filter that has kept nothing yet.
    package init(only: Set<SignalIndex>? = nil) { self.only = only }

    /// The items of decoded frames that a trip keeps, and the errors of answers.
    package mutating func kept(
        of found: BusDecoder.Found, _ table: PIDTable
    ) -> [DiagnosticItem] {
        let isKnown = found.message.map { isKnownList($0, found) } ?? false
        return found.items.filter { item in
            switch item {
            case .reading(let reading):
                !found.isBroadcast && only?.contains(reading.signal) ?? true
                    || found.isBroadcast
                        && keeps(reading, of: table[reading.signal], at: found.time)
            case .code: !isKnown
            case .error: !found.isBroadcast
            case .monitor, .monitorTest: true
            // A better table may decode the answer later; its readings must not come twice.
            case .message(let message):
                !found.isBroadcast && only == nil && Self.hasValues(message)
                    && !found.items.contains { if case .reading = $0 { true } else { false } }
            case .negativeResponse: false
            }
        }
    }

    /// Whether a message answers a service of which tables have records.
    private static func hasValues(_ message: ECUMessage) -> Bool {
        message.payload.first.map { [0x41, 0x42, 0x5A, 0x61, 0x62].contains($0) } ?? false
    }

    /// Whether a list of codes is the same as the last one that was kept; ECUs repeat active codes every second.
    private mutating func isKnownList(_ message: ECUMessage, _ found: BusDecoder.Found) -> Bool {
        guard let group = message.parameterGroup else { return false }
        let key = GroupKey(group: group, sender: message.ecu)
        if let last = lists[key], last.payload == message.payload,
            (0..<Self.listInterval).contains(found.time - last.time)
        {
            return true
        }
        let hasCodes = found.items.contains { if case .code = $0 { true } else { false } }
        if hasCodes { lists[key] = (message.payload, found.time) }
        return false
    }

    /// Whether a trip may keep `value` of a signal at `time`, or any value if it is nil.
    ///
    /// Most values of a busy bus are out of the question, so that they need not be decoded.
    func mayKeep(
        _ signal: SignalIndex, _ value: Reading.Value?, from sender: ECUAddress, at time: Int64
    ) -> Bool {
        if let only, !only.contains(signal) { return false }
        let place = Int(signal.rawValue)
        guard place < signals.count, let isCounter = signals[place]?.isCounter else { return true }
        guard !isCounter else { return false }
        guard let latest = signals[place]?.latest, latest.sender == sender else { return true }
        if let value { return Self.follows(value, at: time, latest) }
        let passed = time - latest.time
        let isNumber = signals[place]?.isNumber == true
        return passed < 0 || passed >= (isNumber ? Self.numberInterval : Self.stateInterval)
    }

    /// Whether a trip keeps a reading of `signal` at `time`, in microseconds.
    mutating func keeps(
        _ reading: Reading, of signal: @autoclosure () -> Signal, at time: Int64
    ) -> Bool {
        if let only, !only.contains(reading.signal) { return false }
        let place = Int(reading.signal.rawValue)
        if place >= signals.count {
            signals += repeatElement(nil, count: place + 1 - signals.count)
        }
        if signals[place] == nil {
            let signal = signal()
            signals[place] = Known(
                isCounter: only == nil && Self.isCounter(signal),
                isNumber: signal.kind == .number && signal.formula == nil
                    && signal.supportFlag == nil && signal.notAvailable.isEmpty)
        }
        guard signals[place]?.isCounter == false else { return false }
        if let latest = signals[place]?.latest {
            if latest.sender == reading.ecu {
                guard Self.follows(reading.value, at: time, latest) else { return false }
            } else {
                let key = Key(sender: reading.ecu, signal: reading.signal)
                if let last = others[key] {
                    guard Self.follows(reading.value, at: time, last) else { return false }
                    others[key] = nil
                }
                if others.count >= Self.most { others.removeAll() }
                others[Key(sender: latest.sender, signal: reading.signal)] = latest
            }
        }
        signals[place]?.latest = Kept(sender: reading.ecu, value: reading.value, time: time)
        return true
    }

    /// Whether a value is kept after the last one of its sender.
    private static func follows(_ value: Reading.Value, at time: Int64, _ last: Kept) -> Bool {
        let passed = time - last.time
        // A log may continue after a clock was set back.
        guard passed >= 0 else { return true }
        guard last.value == value else { return passed >= interval(value) }
        // A code without a name is a state of the ECU that lasts, as any other code.
        if case .missing(let reason, _) = value, reason != .undefined { return false }
        return passed >= repeatInterval
    }

    /// When a trip gets values of `signal` that are heard on a bus, for people.
    package static func rule(for signal: Signal) -> String {
        guard !isCounter(signal) else {
            return "not stored unless it is named: a counter or a checksum"
        }
        let interval = signal.kind == .number ? numberInterval : stateInterval
        let times = interval == 1_000_000 ? "once" : "\(1_000_000 / interval) times"
        return "stored when it changes, at most \(times) per second; every "
            + "\(repeatInterval / 1_000_000) s while it stays"
    }

    private static func interval(_ value: Reading.Value) -> Int64 {
        if case .number = value { numberInterval } else { stateInterval }
    }

    /// Whether a name is of a counter or a checksum, which prove a frame and measure nothing.
    package static func isCounter(_ signal: Signal) -> Bool {
        // A counter has no unit: an odometer and an angle of roll have one.
        guard signal.kind == .number, signal.unit.isEmpty else { return false }
        let name = String(signal.id.split(separator: ".").last ?? "").uppercased()
        let words = name.split { !$0.isLetter }
        if [
            "CHECKSUM", "CHKSUM", "PRUEFSUM", "PRUEFZ", "ALIVE", "ZAEHLER", "ROLLINGC", "MSGCNT",
            "MSGCOUNT",
        ]
        .contains(where: { name.replacing("_", with: "").contains($0) }) {
            return true
        }
        return words.contains {
            ["CNT", "CNTR", "CTR", "CRC", "CHK", "CKS", "CS", "BZ", "SEQ"].contains($0)
        } || name == "COUNTER"
    }
}
