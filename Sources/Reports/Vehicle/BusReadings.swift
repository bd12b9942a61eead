import Diagnostics
import OBDCore
import PIDTables
import ScanSession
import ScanTool
import TripImport
import VehicleScan

/// Readings of frames that ECUs send by themselves on a live bus, for the sinks of a session.
///
/// A trip gets from them what an import of a log of the same frames stores: see ``HeardFilter``.
package struct BusReadings: BusListener {
    private let table: PIDTable
    private let monitors: MonitorTables
    private var decoder: BusDecoder
    private var filter: HeardFilter
    /// Tells whether the table fits the bus.
    package private(set) var frames: HeardFrames
    private var events: [BusDecoder.Event] = []
    /// The parameter groups of SAE J1939 to hear beside requests.
    private struct Groups: Sendable {
        var asked: Set<UInt32>
        var unasked: Set<UInt32>
        /// The only ECU to hear; nil = all.
        var ecu: ECUAddress?
        /// Nil until the first frame; most vehicles send none.
        var decoder: BusDecoder?
    }
    private var groups: Groups?

    /// Decodes by `table`; `signals` are the only ones to pass on, nil = all but counters and checksums.
    ///
    /// `isJ1939` is nil if the frames have to show whether the bus speaks SAE J1939. `expected` are the identifiers of the
    /// only frames that are heard; empty = all.
    package init(
        _ table: PIDTable, _ monitors: MonitorTables, signals: Set<SignalIndex>?, isJ1939: Bool?,
        expecting expected: Set<ECUAddress> = []
    ) {
        self.table = table
        self.monitors = monitors
        frames = HeardFrames(expecting: expected)
        decoder = BusDecoder(table, monitors, isJ1939: isJ1939)
        filter = HeardFilter(only: signals)
    }

    /// Decodes what is heard beside requests: the frames `expected`, and messages of SAE J1939 of `groups`.
    ///
    /// A message of a group of `asked` may take the place of an answer: its batch has the message and all signals.
    /// `signals` are the only ones to pass on of all others, nil = all but counters and checksums; `ecu` is the only
    /// sender of groups, nil = any.
    package init(
        _ table: PIDTable, _ monitors: MonitorTables, signals: Set<SignalIndex>?,
        expecting expected: Set<ECUAddress>, groups: (asked: Set<UInt32>, unasked: Set<UInt32>),
        from ecu: ECUAddress?
    ) {
        self.init(table, monitors, signals: signals, isJ1939: false, expecting: expected)
        frames = HeardFrames(expecting: expected, groups: signals == nil ? [] : groups.unasked)
        self.groups = Groups(asked: groups.asked, unasked: groups.unasked, ecu: ecu)
    }

    /// The same for another session, which has heard nothing yet.
    package func fresh() -> BusReadings {
        var copy = self
        copy.frames = frames.fresh()
        return copy
    }

    /// Takes a frame, and appends what it completes.
    package mutating func take(
        _ frame: BusFrame, at time: Instant, _ batches: inout [ReadingBatch]
    ) {
        guard let id = frame.id, id.form == .can11 || id.form == .can29 else { return }
        let logged = LoggedFrame(
            time: time.nanoseconds / 1_000, id: id.value, isExtended: id.form == .can29,
            data: InlineBytes(frame.data), channel: [])
        // Beside requests, a frame with another identifier is of a parameter group.
        if groups != nil, !frames.expected.contains(id) {
            if groups?.decoder == nil {
                groups?.decoder = BusDecoder(table, monitors, isJ1939: true)
            }
            groups?.decoder?.take(logged, line: 0, &events)
        } else {
            frames.count(id, at: time)
            decoder.take(logged, line: 0, &events, for: filter)
        }
        takeEvents(&batches)
    }

    /// Ends the listening.
    package mutating func finish(at time: Instant, _ batches: inout [ReadingBatch]) {
        decoder.finish(&events)
        takeEvents(&batches)
    }

    private mutating func takeEvents(_ batches: inout [ReadingBatch]) {
        guard !events.isEmpty else { return }
        var taken: [BusDecoder.Event] = []
        swap(&taken, &events)
        for case .found(let found) in taken {
            if let groups, let message = found.message, let group = message.parameterGroup {
                guard groups.ecu.map({ $0.value == message.ecu?.value }) ?? true else { continue }
                if groups.asked.contains(group) {
                    batches.append(Self.batch(of: message, found))
                    continue
                }
                guard groups.unasked.contains(group) else { continue }
            }
            var items = filter.kept(of: found, table)
            items.removeAll { if case .error = $0 { true } else { false } }
            if found.items.contains(where: { if case .reading = $0 { true } else { false } }) {
                frames.findValue()
            }
            guard !items.isEmpty else { continue }
            batches.append(Self.batch(items, at: found.time))
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &events)
    }

    /// A message that may take the place of an answer.
    private static func batch(of message: ECUMessage, _ found: BusDecoder.Found) -> ReadingBatch {
        let items = found.items.filter { item in
            switch item {
            case .reading, .code: true
            case .error, .message, .monitor, .monitorTest, .negativeResponse: false
            }
        }
        var batch = batch(items, at: found.time)
        batch.messages = [message]
        return batch
    }

    private static func batch(_ items: [DiagnosticItem], at time: Int64) -> ReadingBatch {
        let time = Instant(nanoseconds: time * 1_000)
        return ReadingBatch(
            id: RequestID(rawValue: 0), exchange: Exchange(), asked: time, answered: time,
            messages: [], items: items)
    }
}

/// Signals of a bus by their names.
package enum BusSignals {
    /// The signals with these names, in their order; nil if there is no name.
    ///
    /// `Speed` means the signal `Speed` of each message, `ESP.Speed` that of one.
    ///
    /// - Throws: `SignalError` for a name that no signal has.
    package static func find(
        _ names: [String], in table: PIDTable
    ) throws(SignalError) -> [SignalIndex]? {
        guard !names.isEmpty else { return nil }
        var found: [SignalIndex] = []
        for name in names {
            let wanted = SignalNames.key(name)
            var places = table.signals.indices.filter { place in
                let signal = table.signals[place]
                let short = signal.id.split(separator: ".").last.map(String.init)
                return ([signal.id, short ?? ""] + signal.aliases).contains {
                    SignalNames.key($0) == wanted
                }
            }.map { SignalIndex(rawValue: Int32($0)) }
            if places.isEmpty {
                let one = try SignalNames(table).find(name)
                places =
                    one.signal.map { [$0] }
                    ?? one.record?.signals.map { SignalIndex(rawValue: $0) } ?? []
            }
            for place in places where !found.contains(place) { found.append(place) }
        }
        return found
    }
}
