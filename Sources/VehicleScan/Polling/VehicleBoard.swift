import Diagnostics
import OBDCore
import ScanSession
import ScanTool
import Synchronization
import SystemIO

/// The vehicle's current state: the newest reading of each signal of each ECU, and the state of the
/// link.
///
/// One thread writes the board, and one thread per browser reads it. The board keeps only the newest
/// readings, so that it does not grow with time, and at most ``mostChannels`` of them, so that an adapter
/// that invents data cannot let it grow.
public final class VehicleBoard: Sendable {
    /// The greatest number of channels, which are signals of ECUs.
    public static let mostChannels = 1_024
    /// The number of recent points of a signal.
    public static let historyLength = 120
    /// The least time between two points.
    public static let historyPause = Duration.seconds(1)

    /// The state of the link.
    public enum Link: String, Hashable, Sendable {
        /// No device is used.
        case none
        /// The device is being opened, or the vehicle is being identified.
        case connecting
        /// Readings arrive.
        case live
        /// The vehicle answers no request.
        case silent
        /// The vehicle is off and polling is paused.
        case resting
        /// The link was lost, and the session tries to restore it.
        case lost
        /// The session could not be opened; the feed tries again later.
        case failed
    }

    /// A recording that runs, or that begins with the next session.
    public struct Recording: Hashable, Sendable {
        /// The trip's number; nil = there is no session yet.
        public var trip: Int64?
        /// The start of the trip.
        public var since: UTC?
        /// The number of readings that the trip has taken.
        public var readings = 0

        /// A recording that waits for a session, unless it has a trip.
        public init(trip: Int64? = nil, since: UTC? = nil, readings: Int = 0) {
            (self.trip, self.since, self.readings) = (trip, since, readings)
        }
    }

    /// The state of link and session.
    public struct Status: Sendable {
        /// The state of the link.
        public var link = Link.none
        /// The version of the program.
        public internal(set) var version = ""
        /// When the link was lost or the vehicle stopped answering; nil if nothing is missing.
        public var missingSince: UTC?
        /// The device as the user named it.
        public var accessory: String?
        /// The VIN.
        public var vin: String?
        /// The names of the ECUs.
        public var names = ECUNames()
        /// The ECUs of readings, and those with a name.
        public internal(set) var ecus: [ECUAddress] = []
        /// The adapter's name.
        public var adapter: String?
        /// The vehicle's protocol.
        public var vehicleProtocol: String?
        /// The voltage at the adapter; unit: V.
        public var voltage: Double?
        /// A message about the link; nil = none.
        public var note: String?
        /// The hint for the message.
        public var hint: String?
        /// The recording; nil = nothing is recorded.
        public var recording: Recording?
        /// Why the recording cannot be stored at the moment, or did not begin.
        public var storing: String?
        /// The state of the scan tool.
        public var state = StateKind.initializing
        /// Statistics of the session.
        public var statistics = SessionStatistics()
        /// The session's clocks; nil before the first.
        public var anchor: TimeAnchor?

        /// The current UTC time on the same scale as the times of readings.
        public var now: UTC { anchor?.utc(at: SystemClock.now()) ?? SystemClock.utc }
    }

    /// One signal of one ECU.
    public struct Channel: Sendable {
        /// The newest reading.
        public var reading: Reading
        /// The time of the reading.
        public var time: UTC
        /// The time of the reading on the monotonic clock.
        public var seen: Instant
        /// The signal's position in the order of channels.
        public var rank: Int
        /// The signal's position on a driver's display; nil = it is not there.
        public var driverPlace: Int?
        /// Whether the signal describes the vehicle and does not change while it is driven.
        public var isConstant: Bool
        /// Whether the signal is of interest to a driver, or the user selected it.
        public var isShown: Bool
        /// The version at its first appearance, counted by `State.version`.
        public var born: UInt64
        /// The version of its last change.
        public var version: UInt64
        /// Times and values, the oldest first, in the stored unit.
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
        var driver: [SignalIndex] = []
        var constants: Set<SignalIndex> = []
        var dropped = 0
        var status = Status()
        var watchers: [Int: EventDescriptor] = [:]
        var nextWatcher = 0
    }

    private let state = Mutex(State())

    /// A board without a vehicle; `version` is that of the program.
    public init(version: String) {
        state.withLock { $0.status.version = version }
    }

    // MARK: Filling

    /// Changes the status and wakes the watchers.
    public func update(_ change: (inout Status) -> Void) {
        state.withLock { change(&$0.status) }
        wake()
    }

    /// Begins a new session; signals in `order` come first.
    ///
    /// `driver` are the signals of a driver's display, `constants` those that describe the vehicle.
    public func begin(
        order: [SignalIndex], driver: [SignalIndex] = [], constants: Set<SignalIndex> = []
    ) {
        state.withLock { state in
            (state.driver, state.constants) = (driver, constants)
            state.ranks = [:]
            for (rank, signal) in order.enumerated() where state.ranks[signal] == nil {
                state.ranks[signal] = rank
            }
        }
    }

    /// Takes readings of one moment.
    ///
    /// `isNamed` means that a user selected these signals, `isHeading` that they are only for the
    /// heading.
    public func take(
        _ readings: [Reading], at time: UTC, _ now: Instant, isNamed: Bool, isHeading: Bool = false
    ) {
        guard !readings.isEmpty else { return }
        state.withLock { state in
            state.version += 1
            // Values of a freeze frame are not current.
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
                driverPlace: state.driver.firstIndex(of: reading.signal),
                isConstant: state.constants.contains(reading.signal), isShown: false,
                born: state.version, version: state.version)
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

    /// Whether a reading is a measurement with a value.
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

    // MARK: Reading

    /// Signals `event` at each change of the board, until ``unwatch(_:)``.
    public func watch(_ event: EventDescriptor) -> Int {
        state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = event
            return state.nextWatcher
        }
    }

    /// Ends a ``watch(_:)``.
    public func unwatch(_ watcher: Int) {
        state.withLock { _ = $0.watchers.removeValue(forKey: watcher) }
    }

    /// The number of watching browsers.
    public var watchers: Int { state.withLock { $0.watchers.count } }

    /// The state of link and session.
    public var status: Status {
        state.withLock { state in
            var status = state.status
            status.ecus = Set(state.channels.keys.compactMap(\.ecu)).union(status.names.own.keys)
                .sorted()
            return status
        }
    }

    /// The number of readings that were dropped for lack of space.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// The channels that changed since `version` (0 = all), in the order of display, and the new
    /// version.
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
