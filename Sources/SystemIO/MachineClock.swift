import CSystem
import Glibc
public import OBDCore

/// The wall clock of a machine at one moment, beside its clock since the boot.
public struct ClockReading: Hashable, Sendable {
    /// The moment.
    public var instant: Instant
    /// The kernel's identifier of this boot; nil if it is unknown.
    public var boot: String?
    /// When this boot began, by the wall clock; whenever that clock is set, this time changes as much.
    public var bootTime: UTC
    /// Whether the wall clock is right, as far as this machine knows.
    public var isSet: Bool

    /// A reading of the clocks.
    public init(instant: Instant, boot: String?, bootTime: UTC, isSet: Bool) {
        self.instant = instant
        self.boot = boot
        self.bootTime = bootTime
        self.isSet = isSet
    }

    /// The time of the wall clock.
    public var utc: UTC { bootTime.later(by: instant.nanoseconds / 1000) }
}

/// The state of a machine's wall clock.
///
/// A machine without a battery clock continues from its last shutdown, so only a proof that the clock was
/// set since then counts.
struct ClockEvidence: Hashable, Sendable {
    /// Before this time the program did not exist: 2026-01-01T00:00:00Z.
    static let earliest: Int64 = 1_767_225_600
    /// Battery clocks and system clocks drift apart by seconds per week; unit: s.
    static let greatestDrift: Int64 = 300

    /// Whether the kernel counts its clock as synchronised; nil if it does not say.
    var kernel: Bool?
    /// Whether systemd-timesyncd set the clock since the boot.
    var hasNetworkTime = false
    /// The times of battery clocks; unit: s since 1970.
    var batteryClocks: [Int64] = []
    /// Whether this is a PC, whose firmware has a clock even if the kernel shows none.
    var isPC = false

    /// Whether the wall clock is right that shows `now`.
    ///
    /// - Parameters:
    ///   - now: unit: s since 1970.
    ///   - offset: how far local time is ahead of UTC; a battery clock may show local time.
    func isSet(now: Int64, offset: Int64) -> Bool {
        guard now >= Self.earliest else { return false }
        if kernel == true || hasNetworkTime { return true }
        // A kernel that does not answer gives no reason to doubt the clock.
        guard let kernel, !kernel else { return true }
        if batteryClocks.isEmpty { return isPC }
        return batteryClocks.contains { time in
            [0, offset].contains { abs(time - $0 - now) <= Self.greatestDrift }
        }
    }
}

extension ClockEvidence {
    private static let folder = "/sys/class/rtc"

    /// The state of this machine's clock.
    static func current() -> ClockEvidence {
        var found = ClockEvidence()
        let kernel = sys_clock_is_synchronised()
        found.kernel = kernel < 0 ? nil : kernel == 1
        // The other files matter only without the kernel's word.
        if found.kernel != false { return found }
        found.hasNetworkTime = Files.exists("/run/systemd/timesync/synchronized")
        found.batteryClocks = Files.names(in: folder).compactMap {
            Files.line("\(folder)/\($0)/since_epoch").flatMap { Int64($0) }
        }
        #if arch(x86_64)
            found.isPC = true
        #endif
        return found
    }
}

extension SystemClock {
    /// The kernel's identifier of this boot; nil without proc(5).
    public static var boot: String? { Files.line("/proc/sys/kernel/random/boot_id") }

    /// Reads all clocks, and what the machine says about the wall clock.
    public static func reading() -> ClockReading {
        let (instant, wall) = (now(), sys_realtime_ns())
        let utc = UTC(microseconds: wall / 1000)
        return ClockReading(
            instant: instant, boot: boot,
            bootTime: UTC(microseconds: (wall - instant.nanoseconds) / 1000),
            isSet: ClockEvidence.current().isSet(
                now: wall / 1_000_000_000,
                offset: localShift(utc)))
    }
}
