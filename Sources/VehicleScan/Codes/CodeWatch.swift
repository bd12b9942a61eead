import Adapters
public import Diagnostics
import OBDCore
public import ScanSession
import Synchronization
import SystemIO

/// Reads the trouble codes while readings arrive: at the beginning, when an ECU changes its check engine light or
/// its number of codes, after a pause, and before the end.
///
/// The answers reach the session's sinks as those of a poll do. The caller waits for other things at the same time.
public struct CodeWatch {
    private let vehicle: Vehicle
    private let changes: LightChanges
    private let found: (CodeScan.List) -> Void
    private let answered: (QueryResult) -> Void
    /// Whether the codes matter at the moment.
    private let isWanted: () -> Bool
    /// All requests in their order.
    private let all: [(kind: CodeReport.Kind?, request: VehicleRequest)]
    /// The requests that are left, in reverse order.
    private var left: [(kind: CodeReport.Kind?, request: VehicleRequest)] = []
    private var pending: PendingAnswer?
    /// Whether to read again as soon as that is possible.
    private var isDue = true
    /// Whether the link works and the vehicle is not left alone.
    private var isAwake = true
    /// When the codes were last read.
    private var lastBegun: Instant?

    /// A light may change at each reading; unit of time between two reads because of that.
    private static let shortestPause = Duration.seconds(60)
    /// A vehicle whose codes were read so recently is not asked again at the end.
    private static let recent = Duration.seconds(10)

    /// A watch over the codes of a vehicle; `found` receives each list, and `answered` what answers the other queries
    /// that are asked each time, after the codes.
    ///
    /// Nothing is asked while `isWanted` returns false; ``LightChanges/beginAgain()`` says that it returns true
    /// again.
    public init(
        _ vehicle: Vehicle, by profiles: [DiagnosticProfile], _ changes: LightChanges,
        isWanted: @escaping () -> Bool = { true }, and others: [DiagnosticQuery] = [],
        answered: @escaping (QueryResult) -> Void = { _ in },
        found: @escaping (CodeScan.List) -> Void
    ) {
        self.vehicle = vehicle
        self.changes = changes
        self.isWanted = isWanted
        self.found = found
        self.answered = answered
        let queries: [(DiagnosticQuery, CodeReport.Kind?)] = [
            (.storedCodes, .stored), (.previousCodes, .stored), (.pendingCodes, .pending),
            (.permanentCodes, .permanent),
        ]
        all = (queries + others.map { ($0, nil) }).flatMap { query, kind in
            profiles.compactMap { profile in
                profile.request(for: query).map {
                    // After a lost link the vehicle may be another, so the link does not repeat a request.
                    (kind, vehicle.request($0, mayRepeat: false))
                }
            }
        }
    }

    /// Become readable when ``take()`` has something to do.
    package var descriptors: [Int32] {
        [changes.descriptor] + [pending?.descriptor].compactMap(\.self)
    }

    /// Whether codes are being read.
    package var isReading: Bool { pending != nil }

    /// Takes changes and answers; the requests that are left follow only if the vehicle may be asked.
    package mutating func take(mayAsk: Bool) {
        let news = changes.take()
        if news.hasChanged || news.beginsAgain { isDue = true }
        if news.beginsAgain { lastBegun = nil }
        guard let pending, let asked = left.last else { return }
        var result: QueryResult?
        do {
            guard let answer = try pending.take() else { return }
            result = QueryResult(answer: vehicle.filtered(answer))
        } catch .requestFailed(.linkLost, _) {
            isAwake = false
        } catch .requestFailed(let reason, let soFar) {
            result = QueryResult(answer: vehicle.filtered(soFar), problem: reason)
        } catch {
            // The session has ended.
            isAwake = false
        }
        self.pending = nil
        guard let result else {
            left = []
            isDue = true
            return
        }
        left.removeLast()
        if let kind = asked.kind {
            found(CodeScan.List(kind: kind, asked: result, items: result.answer.items))
        } else {
            answered(result)
        }
        if left.isEmpty { return }
        if isAwake, mayAsk {
            next()
        } else {
            left = []
            isDue = true
        }
    }

    /// Begins to read if that is due.
    package mutating func beginIfDue(now: Instant) {
        guard isDue, isAwake, !isReading, isWanted() else { return }
        if let lastBegun, now - lastBegun < Self.shortestPause { return }
        begin(now: now)
    }

    /// When ``beginIfDue(now:)`` has something to do that no descriptor shows; nil = never.
    package var deadline: Instant? {
        isDue && isAwake && !isReading && isWanted()
            ? lastBegun.map { $0 + Self.shortestPause } : nil
    }

    /// Begins to read for the last time, unless that is impossible or needless.
    package mutating func beginLast(now: Instant) {
        guard isAwake, !isReading, isWanted() else { return }
        if !isDue, let lastBegun, now - lastBegun < Self.recent { return }
        begin(now: now)
    }

    private mutating func begin(now: Instant) {
        isDue = false
        lastBegun = now
        left = all.reversed()
        next()
    }

    private mutating func next() {
        pending = left.last.flatMap { try? vehicle.scan.begin(.vehicle($0.request)) }
    }

    /// Follows the session: a vehicle that rests is left alone.
    package mutating func note(_ event: ScanEvent) {
        switch event {
        case .scanDidRest, .toolDidDisconnect: isAwake = false
        case .scanDidWake, .toolDidInitialize:
            // It may be a new drive.
            if !isAwake { isDue = true }
            isAwake = true
        default: break
        }
    }
}

/// Notices when an ECU changes its check engine light or its number of codes.
public final class LightChanges: ReadingSink {
    private let signals: LightSignals
    private struct Known: Sendable {
        var values: [ECUAddress?: [Reading.Value]] = [:]
        var hasChanged = false
        var beginsAgain = false
    }

    private let known = Mutex(Known())
    private let changed: EventDescriptor

    /// A sink that knows no ECU.
    public init(_ table: PIDTable) throws(SystemError) {
        signals = LightSignals(table)
        changed = try EventDescriptor()
    }

    var descriptor: Int32 { changed.descriptor }

    /// Nil, because the object never refuses a batch.
    public var spaceDescriptor: Int32? { nil }

    /// Wakes a ``CodeWatch`` whose codes matter again, so that it reads all of them now.
    public func beginAgain() {
        known.withLock { $0.beginsAgain = true }
        changed.signal()
    }

    /// Whether an ECU has changed something since the last call, and whether to read all codes in any case.
    func take() -> (hasChanged: Bool, beginsAgain: Bool) {
        changed.take()
        return known.withLock { known in
            defer { (known.hasChanged, known.beginsAgain) = (false, false) }
            return (known.hasChanged, known.beginsAgain)
        }
    }

    /// Compares the batch with what its ECUs said before; always returns true.
    public func offer(_ batch: ReadingBatch) -> Bool {
        var values: [ECUAddress?: [Reading.Value]] = [:]
        for case .reading(let reading) in batch.items where signals.has(reading.signal) {
            values[reading.ecu, default: []].append(reading.value)
        }
        for reading in signals.readings(ofDM1In: batch) {
            values[reading.ecu, default: []].append(reading.value)
        }
        if values.isEmpty { return true }
        let hasChanged = known.withLock { known in
            for (ecu, values) in values {
                let before = known.values.updateValue(values, forKey: ecu)
                if let before, before != values { known.hasChanged = true }
            }
            return known.hasChanged
        }
        if hasChanged { changed.signal() }
        return true
    }
}
