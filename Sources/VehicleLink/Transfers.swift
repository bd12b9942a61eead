import OBDCore

/// Messages of several frames that are not complete, one for each key: who sends, and to whom.
struct Transfers<Key: Hashable & Sendable>: Hashable, Sendable {
    /// One message.
    struct Transfer: Hashable, Sendable {
        /// Whose frames belong to it.
        var key: Key
        /// Whom its errors name.
        var ecu: ECUAddress?
        /// What SAE J1939 calls it; nil elsewhere.
        var parameterGroup: UInt32?
        /// How long it will be; unit: bytes.
        var total = 0
        var buffer: [UInt8] = []
        /// The number that its next frame has to have.
        var next: UInt8 = 0
        /// How many frames have come.
        var frames = 0
        /// The line that it began on.
        var line: Int
        /// Its error has been reported; what is left of it is swallowed.
        var isBroken = false

        /// How many bytes have not come yet.
        var missing: Int { total - buffer.count }
    }

    /// Messages that may be open at once; a further one pushes out the oldest, as an error.
    static var most: Int { 64 }

    /// The open ones and the broken ones, the oldest first.
    private(set) var all: [Transfer] = []
    /// Errors that came beside a good frame: messages that it replaced.
    private var errors: [LinkError] = []

    var isEmpty: Bool { all.isEmpty }

    /// Whether nothing has been left behind: ``finish()`` would say and change nothing.
    var isAtRest: Bool { all.isEmpty && errors.isEmpty }

    /// Whether any message waits for frames.
    var hasOpenMessages: Bool { all.contains { !$0.isBroken } }

    subscript(_ index: Int) -> Transfer { all[index] }

    func index(of key: Key) -> Int? {
        all.firstIndex { $0.key == key }
    }

    /// Adds a message; whatever it pushes out becomes an error.
    mutating func open(_ transfer: Transfer) {
        if all.count >= Self.most {
            interrupt(all.removeFirst(), line: transfer.line)
        }
        all.append(transfer)
    }

    /// Forgets the message of `key`; gives it back if it was unfinished.
    mutating func close(_ key: Key) -> Transfer? {
        guard let index = index(of: key) else { return nil }
        let old = all.remove(at: index)
        return old.isBroken ? nil : old
    }

    /// Adds the bytes of the next frame, whose number is the one expected; gives the message back when
    /// it is complete.
    mutating func append(_ bytes: some Collection<UInt8>, next: UInt8, to index: Int) -> Transfer? {
        all[index].buffer.append(contentsOf: bytes)
        all[index].next = next
        all[index].frames += 1
        return all[index].missing > 0 ? nil : all.remove(at: index)
    }

    /// Drops the bytes of a broken message; what follows of it is swallowed.
    mutating func abandon(_ index: Int) {
        all[index].isBroken = true
        all[index].buffer = []
    }

    /// Takes note that another message came instead of the rest of this one.
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

    /// Errors that came beside a good frame.
    mutating func takeErrors() -> [LinkError] {
        guard !errors.isEmpty else { return [] }
        defer { errors = [] }
        return errors
    }

    /// What is still open is incomplete.
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
