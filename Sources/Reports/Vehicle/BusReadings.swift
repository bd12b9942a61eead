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
    private var decoder: BusDecoder
    private var filter: HeardFilter
    /// Tells whether the table fits the bus.
    package private(set) var frames: HeardFrames
    private var events: [BusDecoder.Event] = []

    /// Decodes by `table`; `signals` are the only ones to pass on, nil = all but counters and checksums.
    ///
    /// `isJ1939` is nil if the frames have to show whether the bus speaks SAE J1939. `expected` are the identifiers of the
    /// only frames that are heard; empty = all.
    package init(
        _ table: PIDTable, _ monitors: MonitorTables, signals: Set<SignalIndex>?, isJ1939: Bool?,
        expecting expected: Set<ECUAddress> = []
    ) {
        self.table = table
        frames = HeardFrames(expecting: expected)
        decoder = BusDecoder(table, monitors, isJ1939: isJ1939)
        filter = HeardFilter(only: signals)
    }

    /// The same for another session, which has heard nothing yet.
    package func fresh() -> BusReadings {
        var copy = self
        copy.frames = HeardFrames(expecting: frames.expected)
        return copy
    }

    /// Takes a frame, and appends what it completes.
    package mutating func take(
        _ frame: BusFrame, at time: Instant, _ batches: inout [ReadingBatch]
    ) {
        guard let id = frame.id, id.form == .can11 || id.form == .can29 else { return }
        frames.count(id, at: time)
        decoder.take(
            LoggedFrame(
                time: time.nanoseconds / 1_000, id: id.value, isExtended: id.form == .can29,
                data: InlineBytes(frame.data), channel: []), line: 0, &events, for: filter)
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
            var items = filter.kept(of: found, table)
            items.removeAll { if case .error = $0 { true } else { false } }
            if found.items.contains(where: { if case .reading = $0 { true } else { false } }) {
                frames.findValue()
            }
            guard !items.isEmpty else { continue }
            let time = Instant(nanoseconds: found.time * 1_000)
            batches.append(
                ReadingBatch(
                    id: RequestID(rawValue: 0), exchange: Exchange(), asked: time, answered: time,
                    messages: [], items: items))
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &events)
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
