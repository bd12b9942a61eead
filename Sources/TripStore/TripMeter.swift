import Diagnostics
import OBDCore

/// Calculates totals of a drive: distance, standing and moving time, hard braking and acceleration.
///
/// It counts the time between two answers and assumes nothing about gaps.
struct TripMeter {
    /// The role of a channel; the raw value is that of ``sql``.
    typealias Role = MotionRole

    /// Two answers further apart than this have a gap between them; unit: µs.
    static let longestGap: Int64 = 10_000_000
    /// Changes of speed are measured over this time, because speed comes in steps of 1 km/h; unit:
    /// µs.
    static let window: Int64 = 1_000_000
    /// Odometers count in steps of this at most; unit: km.
    static let odometerStep = 1.0
    /// From this value on, braking and acceleration count as hard (0.3 g); unit: m/s².
    static let hard = 3.0

    private struct Sample {
        var t: Int64
        var value: Double
    }

    /// The only channel that is used; two ECUs must not count the same road twice.
    private var speedChannel: Int?
    private var odometerChannel: Int?
    private var engineChannel: Int?
    private var lastSpeed: Sample?
    /// Since when no two speeds were further apart than ``longestGap``; unit: µs, nil without speed.
    private var speedsSince: Int64?
    private var lastEngineSpeed: Sample?
    /// Speeds of the last ``window``, at most one per 50 ms.
    private var recent: [Sample] = []
    private var isBraking = false
    private var isAccelerating = false

    /// Distance from the speed; unit: km, nil without two speeds that follow each other.
    private(set) var driven: Double?
    /// Unit: km.
    private(set) var firstOdometer: Double?
    /// Unit: km.
    private(set) var lastOdometer: Double?
    private var firstOdometerTime: Int64 = 0
    /// The value from which the odometer measures the road, and ``driven`` until then; unit: km.
    private var counted: (from: Double, before: Double)?
    /// ``driven`` at the last change of the odometer; unit: km.
    private var drivenAtChange = 0.0
    private var odometerChanged = false
    /// Unit: µs; nil without ``driven``.
    private(set) var moving: Int64?
    /// At 0 km/h with the engine running; unit: µs, nil without ``driven`` or engine speed.
    private(set) var idle: Int64?
    /// Nil without ``driven``.
    private(set) var hardBrakings: Int64?
    /// Nil without ``driven``.
    private(set) var hardAccelerations: Int64?

    /// The best known distance; unit: km, nil if the vehicle reports neither speed nor odometer.
    ///
    /// An odometer counts in steps and is read seldom. Therefore its first and its last change limit the road that
    /// it measures, and the speed adds the road before and after. So a trip that is split keeps its road.
    var distance: Double? {
        guard let firstOdometer, let lastOdometer, lastOdometer > firstOdometer, let counted
        else { return driven }
        return counted.before + lastOdometer - counted.from + (driven ?? 0) - drivenAtChange
    }

    /// Takes one value; `t` is in microseconds.
    mutating func add(_ value: Double, _ role: Role, channel: Int, t: Int64) {
        switch role {
        case .speed:
            if speedChannel == nil { speedChannel = channel }
            if speedChannel == channel { add(speed: value, t: t) }
        case .odometer:
            if odometerChannel == nil { odometerChannel = channel }
            guard odometerChannel == channel else { return }
            add(odometer: value, t: t)
        case .engineSpeed:
            if engineChannel == nil { engineChannel = channel }
            guard engineChannel == channel else { return }
            lastEngineSpeed = Sample(t: t, value: value)
            if idle == nil && driven != nil { idle = 0 }
        }
    }

    private mutating func add(odometer value: Double, t: Int64) {
        defer { lastOdometer = value }
        guard let last = lastOdometer else {
            (firstOdometer, firstOdometerTime) = (value, t)
            counted = (value, driven ?? 0)
            drivenAtChange = driven ?? 0
            return
        }
        guard value != last else { return }
        // If the speed covers the road since the first reading, the first change is the exact point.
        let road = (driven ?? 0) - drivenAtChange
        if !odometerChanged, let since = speedsSince, since <= firstOdometerTime &+ Self.window,
            let speed = lastSpeed, t &- speed.t <= Self.longestGap,
            value > last, value - last <= 1.1 * road + Self.odometerStep
        {
            counted = (value, driven ?? 0)
        }
        odometerChanged = true
        drivenAtChange = driven ?? 0
    }

    private mutating func add(speed: Double, t: Int64) {
        defer { lastSpeed = Sample(t: t, value: speed) }
        guard let last = lastSpeed else {
            speedsSince = t
            return
        }
        guard t > last.t else { return }
        let gap = t &- last.t
        guard gap <= Self.longestGap else {
            speedsSince = t
            recent.removeAll(keepingCapacity: true)
            (isBraking, isAccelerating) = (false, false)
            return
        }
        if driven == nil {
            (driven, moving, hardBrakings, hardAccelerations) = (0, 0, 0, 0)
            if lastEngineSpeed != nil { idle = 0 }
        }
        driven = (driven ?? 0) + (last.value + speed) / 2 * Double(gap) / 3.6e9
        if last.value > 0 || speed > 0 {
            moving = (moving ?? 0) + gap
        } else if let engine = lastEngineSpeed, engine.value > 0,
            t &- engine.t <= Self.longestGap
        {
            idle = (idle ?? 0) + gap
        }
        judge(speed, t: t)
    }

    /// Counts a manoeuvre once, however long it lasts.
    private mutating func judge(_ speed: Double, t: Int64) {
        if let last = lastSpeed, recent.last.map({ last.t &- $0.t >= 50_000 }) ?? true {
            recent.append(last)
        }
        // Compare the speed with the newest sample that is at least a whole window old.
        let old = recent.lastIndex { t &- $0.t >= Self.window }
        guard let old else { return }
        let reference = recent[old]
        if old > 0 { recent.removeSubrange(..<old) }
        let change = (speed - reference.value) / 3.6 / (Double(t &- reference.t) / 1e6)
        if change <= -Self.hard {
            if !isBraking { hardBrakings = (hardBrakings ?? 0) + 1 }
            isBraking = true
        } else if change > -Self.hard / 2 {
            isBraking = false
        }
        if change >= Self.hard {
            if !isAccelerating { hardAccelerations = (hardAccelerations ?? 0) + 1 }
            isAccelerating = true
        } else if change < Self.hard / 2 {
            isAccelerating = false
        }
    }
}

extension MotionRole {
    /// What a row of `channel` says: a raw value or null.
    static let sql = """
        CASE service
            WHEN 1 THEN CASE identifier WHEN 12 THEN 1 WHEN 13 THEN 2 WHEN 166 THEN 3 END
            WHEN 34 THEN
                CASE identifier WHEN 62476 THEN 1 WHEN 62477 THEN 2 WHEN 62630 THEN 3 END
            WHEN 254 THEN CASE identifier || signal
                WHEN '61444SPN190' THEN 1 WHEN '65265SPN84' THEN 2 WHEN '65248SPN245' THEN 3 END
        END
        """
}
