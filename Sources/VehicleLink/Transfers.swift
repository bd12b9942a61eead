import OBDCore

/// Incomplete messages of several frames, one per key of sender and receiver.
struct Transfers<Key: Hashable & Sendable>: Hashable, Sendable {
    struct Transfer: Hashable, Sendable {
        /// The sender and receiver of its frames.
        var key: Key
        /// The ECU in the transfer's errors.
        var ecu: ECUAddress?
        /// The parameter group of SAE J1939; nil for other protocols.
        var parameterGroup: UInt32?
        /// The total length; unit: bytes.
        var total = 0
        var buffer: [UInt8] = []
        /// The expected number of the next frame.
        var next: UInt8 = 0
        var frames = 0
        /// The number of bytes of its frames, except the last one; on CAN FD more than eight.
        var frameLength = ISO15765.frameLength
        /// The line on which the transfer began.
        var line: Int
        /// Whether the transfer's error was reported, so that its rest is dropped.
        var isBroken = false
        /// The time of its last frame, and until when the next one has to come; nil if times are not known.
        ///
        /// Unit: microseconds.
        var wait: ClosedRange<Int64>?

        var missing: Int { total - buffer.count }
    }

    /// The most messages that may be open at once; a further one replaces the oldest, which is reported as an
    /// error.
    static var most: Int { 64 }

    /// Open and broken messages, oldest first.
    private(set) var all: [Transfer] = []
    /// Errors in addition to a valid frame: messages that it replaced.
    private var errors: [LinkError] = []

    var isEmpty: Bool { all.isEmpty }

    /// Whether no message or error is left, so that ``finish()`` has nothing to report or change.
    var isAtRest: Bool { all.isEmpty && errors.isEmpty }

    /// Whether any message waits for frames.
    var hasOpenMessages: Bool { all.contains { !$0.isBroken } }

    subscript(_ index: Int) -> Transfer { all[index] }

    func index(of key: Key) -> Int? {
        all.firstIndex { $0.key == key }
    }

    /// Adds a message; a message that it replaces becomes an error.
    mutating func open(_ transfer: Transfer) {
        if all.count >= Self.most {
            interrupt(all.removeFirst(), line: transfer.line)
        }
        all.append(transfer)
    }

    /// Removes the message of `key`; returns it if it was incomplete.
    mutating func close(_ key: Key) -> Transfer? {
        guard let index = index(of: key) else { return nil }
        let old = all.remove(at: index)
        return old.isBroken ? nil : old
    }

    /// Adds the bytes of the next frame, which has the expected number; returns the message if it is
    /// complete.
    mutating func append(_ bytes: some Collection<UInt8>, next: UInt8, to index: Int) -> Transfer? {
        all[index].buffer.append(contentsOf: bytes)
        all[index].next = next
        all[index].frames += 1
        return all[index].missing > 0 ? nil : all.remove(at: index)
    }

    /// Keeps the bytes of the first frames, because the receiver asks for the frame `next` again.
    mutating func rewind(_ index: Int, to next: UInt8, frames: Int, bytes: Int) {
        all[index].buffer.removeLast(max(0, all[index].buffer.count - bytes))
        all[index].next = next
        all[index].frames = frames
        all[index].isBroken = false
    }

    /// Drops the bytes of a broken message, whose further frames are dropped as well.
    ///
    /// With `keepsBytes`, the receiver may ask for the rest again.
    mutating func abandon(_ index: Int, keepsBytes: Bool = false) {
        all[index].isBroken = true
        if !keepsBytes { all[index].buffer = [] }
    }

    /// Sets until when the next frame has to come.
    mutating func await(_ index: Int, _ wait: ClosedRange<Int64>?) { all[index].wait = wait }

    /// Gives up the messages whose next frame did not come in time; their late frames are dropped.
    mutating func lapse(at time: Int64) {
        for index in all.indices {
            guard let wait = all[index].wait, !wait.contains(time) else { continue }
            all[index].wait = nil
            let late = all[index]
            // Otherwise the clock was set back.
            guard time > wait.upperBound, !late.isBroken else { continue }
            abandon(index)
            // No receiver asks for its frames again.
            all[index].total = 0
            errors.append(
                LinkError(
                    .timedOut(expected: late.total, received: late.buffer.count), ecu: late.ecu,
                    line: late.line))
        }
    }

    /// Gives up the messages of these keys.
    mutating func giveUp(where isLost: (Key) -> Bool) {
        for lost in all where isLost(lost.key) { interrupt(lost, line: lost.line) }
        all.removeAll { isLost($0.key) }
    }

    /// Records that another message was received instead of the rest of this one.
    mutating func interrupt(_ transfer: Transfer?, line: Int) {
        guard let transfer, !transfer.isBroken else { return }
        errors.append(Self.interruption(of: transfer, line: line))
    }

    /// The error of a message that another one replaced.
    static func interruption(of transfer: Transfer, line: Int) -> LinkError {
        LinkError(
            .interrupted(expected: transfer.total, received: transfer.buffer.count),
            ecu: transfer.ecu, line: line)
    }

    /// Errors in addition to a valid frame.
    mutating func takeErrors() -> [LinkError] {
        guard !errors.isEmpty else { return [] }
        defer { errors = [] }
        return errors
    }

    /// Reports open messages as incomplete.
    mutating func finish() -> [LinkError] {
        for transfer in all where !transfer.isBroken {
            errors.append(
                LinkError(
                    .incomplete(expected: transfer.total, received: transfer.buffer.count),
                    ecu: transfer.ecu, line: transfer.line))
        }
        all.removeAll(keepingCapacity: true)
        return takeErrors()
    }
}
