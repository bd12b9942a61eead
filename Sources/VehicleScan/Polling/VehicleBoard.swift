import Diagnostics
import OBDCore
import ScanSession
import ScanTool
import Synchronization
import SystemIO

/// What is known of the vehicle now: the newest reading of each signal of each ECU, and how the link
/// is.
///
/// One thread fills it, as many as there are browsers look at it. It keeps the newest only, so that
/// it does not grow with time, and ``mostChannels`` of them, so that it does not grow with what an
/// adapter makes up.
public final class VehicleBoard: Sendable {
    /// Signals of ECUs that are kept.
    public static let mostChannels = 1_024
    /// Points of a signal's recent course.
    public static let historyLength = 120
    /// What lies at least between two of them.
    public static let historyPause = Duration.seconds(1)

    /// Whether a vehicle is listened to.
    public enum Link: String, Hashable, Sendable {
        /// No accessory is wanted.
        case none
        /// The accessory is being opened, or the vehicle looked for.
        case connecting
        /// Readings come.
        case live
        /// The vehicle is off and left alone.
        case resting
        /// The link was lost; the session tries to restore it.
        case lost
        /// The session could not be had; it is begun again later.
        case failed
    }

    /// How the link is.
    public struct Status: Sendable {
        /// Whether a vehicle is listened to.
        public var link = Link.none
        /// The version of the program.
        public internal(set) var version = ""
        /// The accessory as it was named.
        public var accessory: String?
        /// The vehicle's number.
        public var vin: String?
        /// The adapter as it calls itself.
        public var adapter: String?
        /// What the vehicle speaks.
        public var vehicleProtocol: String?
        /// At the adapter; unit: V.
        public var voltage: Double?
        /// What somebody should know of the link; nil = nothing.
        public var note: String?
        /// What to do about it.
        public var hint: String?
        /// The state of the scan tool.
        public var state = StateKind.initializing
        /// Figures of the session.
        public var statistics = SessionStatistics()
        /// The session's clocks; nil before the first.
        public var anchor: TimeAnchor?

        /// The civil time by which readings are dated.
        public var now: UTC { anchor?.utc(at: SystemClock.now()) ?? SystemClock.utc }
    }

    /// One signal of one ECU.
    public struct Channel: Sendable {
        /// The newest reading.
        public var reading: Reading
        /// When it came.
        public var time: UTC
        /// The same by the monotonic clock.
        public var seen: Instant
        /// Its order among others.
        public var rank: Int
        /// Whether a driver would look at it, or somebody asked for it.
        public var isShown: Bool
        /// When it was first and last seen; counted by ``State/version``.
        public var born: UInt64
        /// When it last changed; counted as `born`.
        public var version: UInt64
        /// Times and values, the oldest first; the unit is the stored one.
        public var history: [(time: Instant, value: Double)] = []
    }

    private struct Key: Hashable {
        var signal: SignalIndex
        var ecu: ECUAddress?
    }

    private struct State {
        var version: UInt64 = 0
        var channels: [Key: Channel] = [:]
        var ranks: [SignalIndex: Int] = [:]
        var dropped = 0
        var status = Status()
        var watchers: [Int: EventDescriptor] = [:]
        var nextWatcher = 0
    }

    private let state = Mutex(State())

    /// A board of no vehicle, of the program's `version`.
    public init(version: String) {
        state.withLock { $0.status.version = version }
    }

    // MARK: Filling

    /// Changes the status and wakes who looks at it.
    public func update(_ change: (inout Status) -> Void) {
        state.withLock { change(&$0.status) }
        wake()
    }

    /// A new session: which signals come first.
    public func begin(order: [SignalIndex]) {
        state.withLock { state in
            state.ranks = [:]
            for (rank, signal) in order.enumerated() where state.ranks[signal] == nil {
                state.ranks[signal] = rank
            }
        }
    }

    /// Takes readings of one moment; `isNamed` says that a user asked for these signals, `isHeading`
    /// that they are for a heading alone.
    public func take(
        _ readings: [Reading], at time: UTC, _ now: Instant, isNamed: Bool, isHeading: Bool = false
    ) {
        guard !readings.isEmpty else { return }
        state.withLock { state in
            state.version += 1
            // What was frozen with a code is not what is now.
            for reading in readings where reading.frame == nil && reading.dtc == nil {
                Self.take(reading, at: time, now, isNamed, isHeading, &state)
            }
        }
        wake()
    }

    private static func take(
        _ reading: Reading, at time: UTC, _ now: Instant, _ isNamed: Bool, _ isHeading: Bool,
        _ state: inout State
    ) {
        let key = Key(signal: reading.signal, ecu: reading.ecu)
        var channel: Channel
        if let known = state.channels[key] {
            channel = known
        } else {
            guard state.channels.count < mostChannels else {
                state.dropped += 1
                return
            }
            channel = Channel(
                reading: reading, time: time, seen: now,
                rank: state.ranks[reading.signal] ?? 10_000 + Int(reading.signal.rawValue),
                isShown: false, born: state.version, version: state.version)
        }
        channel.reading = reading
        channel.time = time
        channel.seen = now
        channel.version = state.version
        if !channel.isShown, !isHeading, isNamed || isMeasurement(reading) {
            channel.isShown = true
            channel.born = state.version
        }
        if case .number(let value) = reading.value {
            if let last = channel.history.last, now - last.time < historyPause {
                channel.history[channel.history.count - 1].value = value
            } else {
                if channel.history.count >= historyLength { channel.history.removeFirst() }
                channel.history.append((now, value))
            }
        }
        state.channels[key] = channel
    }

    /// What is a measurement and is there.
    private static func isMeasurement(_ reading: Reading) -> Bool {
        if let id = reading.dataID,
            ![.currentData, .readData, DataID.parameterGroups].contains(id.service)
        {
            return false
        }
        switch reading.value {
        case .number, .label, .text: return true
        case .flag, .supportMap, .missing: return false
        }
    }

    private func wake() {
        state.withLock { state in
            for watcher in state.watchers.values { watcher.signal() }
        }
    }

    // MARK: Looking

    /// Has `event` signalled whenever something changes, until ``unwatch(_:)``.
    public func watch(_ event: EventDescriptor) -> Int {
        state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = event
            return state.nextWatcher
        }
    }

    /// Ends what ``watch(_:)`` began.
    public func unwatch(_ watcher: Int) {
        state.withLock { _ = $0.watchers.removeValue(forKey: watcher) }
    }

    /// Browsers that look.
    public var watchers: Int { state.withLock { $0.watchers.count } }

    /// How the link is.
    public var status: Status { state.withLock { $0.status } }

    /// Readings for which there was no room.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// The channels that have changed since `version` (0 = all), in the order in which they are
    /// shown, and the version that they make.
    public func channels(since version: UInt64 = 0) -> (channels: [Channel], version: UInt64) {
        state.withLock { state in
            let changed = state.channels.values.filter { $0.version > version }
            return (changed.sorted(by: Self.comesBefore), state.version)
        }
    }

    private static func comesBefore(_ left: Channel, _ right: Channel) -> Bool {
        if left.rank != right.rank { return left.rank < right.rank }
        guard let first = left.reading.ecu else { return right.reading.ecu != nil }
        return right.reading.ecu.map { first < $0 } ?? false
    }
}
