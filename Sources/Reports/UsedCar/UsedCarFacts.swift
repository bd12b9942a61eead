import Diagnostics
import OBDCore

/// The facts about a vehicle's past from its ECUs, its dashboard and its windscreen.
///
/// Each fact names its source. A missing answer is a missing fact.
package struct UsedCarFacts: Sendable {
    /// A distance that is counted for the life of the vehicle or of one part.
    package struct Distance: Hashable, Sendable {
        package enum Kind: Sendable {
            /// The odometer that the user reads on the dashboard.
            case shown
            /// An odometer of the instruments, or of another module outside OBD.
            case cluster
            /// An odometer of an ECU of OBD: engine or gearbox.
            case engine
            /// The lifetime distance of the fuel consumption monitor, which is not an odometer.
            case lifetime
        }

        package var kind: Kind
        package var ecu: ECUAddress?
        /// `7E8 01:A6`, `dashboard`.
        package var source: String
        /// Unit: km.
        package var kilometres: Double

        /// Whether the user named the unit, so that the number cannot be one of miles.
        package var hasNamedUnit = false

        package init(
            _ kind: Kind, _ kilometres: Double, ecu: ECUAddress? = nil, source: String,
            hasNamedUnit: Bool = false
        ) {
            self.kind = kind
            self.ecu = ecu
            self.source = source
            self.kilometres = kilometres
            self.hasNamedUnit = hasNamedUnit
        }

        /// Whether the value is one that a module without an odometer sends: 0, only ones, or more than any
        /// vehicle drives.
        var isBlank: Bool {
            // Three bytes of ones in steps of 0.1 km.
            kilometres <= 0 || kilometres >= 3_000_000 || Int(kilometres * 10) == 0xFF_FFFF
        }
    }

    /// The counters and states of one ECU of OBD; nil if the ECU does not report them.
    package struct ECU: Sendable {
        package var address: ECUAddress?
        /// PID 31 in km, PID 30, PID 4E in minutes with the engine running: since codes were cleared.
        package var clearedKilometres: Double?
        package var clearedWarmUps: Double?
        package var clearedMinutes: Double?
        /// PID 21 in km and PID 4D in minutes: with the check engine light on.
        package var lightKilometres: Double?
        package var lightMinutes: Double?
        package var lightIsOn: Bool?
        /// Stored and pending codes.
        package var codes: [String] = []
        /// Stored codes; nil if the ECU did not give its list.
        package var storedCodes: [String]?
        package var permanentCodes: [String] = []
        /// The number of stored codes in PID 01, if the list of the ECU has fewer.
        package var missingCount: Int?
        /// Names of supported monitors that have not run since codes were cleared.
        package var incomplete: [String] = []
        /// Whether the evaporative system is one of these.
        package var lacksEvaporative = false
        /// The monitors that the ECU has, and those of them that have run since codes were cleared.
        package var monitors: Set<MonitorStatus.Monitor> = []
        package var complete: Set<MonitorStatus.Monitor> = []
        /// Items 1 and 2 of info types 08 and 0B.
        package var conditions: Double?
        package var ignitionCycles: Double?
        /// The highest of the other counters of that info type, which count once in a driving cycle at most.
        package var highestCounter: (name: String, count: Double)?
        /// Whether every counter of that info type is 0.
        package var countsNothing = false
        /// PID 7F, in seconds.
        package var runSeconds: Double?
        /// Info type 14, in km.
        package var evaporativeKilometres: Double?
        /// Calibration identifications with their verification numbers, in the order of the ECU.
        package var calibrations: [(id: String, number: String)] = []
        /// Whether the engine ignites by compression: PID 01.
        package var isCompression: Bool?
        /// PID 51.
        package var fuel: UInt64?
        /// PIDs 07 and 09 in %.
        package var longTrims: [Double] = []
        /// Whether the facts come from parameter groups of SAE J1939.
        package var isOnJ1939 = false

        package init(_ address: ECUAddress?) { self.address = address }

        /// Whether the evaporative monitor is the only one that has not run.
        var lacksOnlyEvaporative: Bool { lacksEvaporative && incomplete.count == 1 }

        /// Monitors that need driving, unlike those that run all the time.
        private static let continuous: Set<MonitorStatus.Monitor> = [
            .misfire, .fuelSystem, .components,
        ]

        /// Whether the ECU has several monitors that need driving, and none of them has run.
        var hasRunNoMonitor: Bool {
            monitors.subtracting(Self.continuous).count > 1
                && complete.subtracting(Self.continuous).isEmpty
        }

        /// Whether the ECU has several monitors that need driving, and all have run.
        var hasRunEveryMonitor: Bool {
            monitors.subtracting(Self.continuous).count > 2 && monitors == complete
        }

        /// Whether the ECU reports any counter.
        var counts: Bool {
            let counters = [
                clearedKilometres, clearedWarmUps, clearedMinutes, lightKilometres, lightMinutes,
                ignitionCycles, runSeconds, evaporativeKilometres,
            ]
            return counters.contains { $0 != nil } || !permanentCodes.isEmpty
        }

        /// `7E8 01:31`, or the parameter group with the same value.
        func source(_ item: String) -> String {
            (address.map { "\($0) " } ?? "")
                + (isOnJ1939 ? Self.groups[item].map { "FE:00\($0)" } ?? item : item)
        }

        /// DM5, DM21, DM26, DM28 and the engine hours.
        private static let groups = [
            "01:01": "FECE", "01:21": "C100", "01:31": "C100", "01:4D": "C100", "01:4E": "C100",
            "01:30": "FDB8", "03": "FECA", "0A": "FD80", "01:7F": "FEE5",
        ]
    }

    /// A VIN in the memory of an ECU.
    package struct StoredVIN: Hashable, Sendable {
        package enum Content: Hashable, Sendable {
            case vin(VIN)
            /// Zeros, ones or blanks.
            case blank
            /// Fewer than 17 characters, or one that no VIN has.
            case broken(String)
        }

        package var ecu: ECUAddress?
        /// `7E8 09:02`.
        package var source: String
        package var content: Content

        package init(ecu: ECUAddress?, source: String, _ bytes: some Sequence<UInt8>) {
            self.ecu = ecu
            self.source = source
            let kept = bytes.filter { $0 != 0x00 && $0 != 0xFF && $0 != 0x20 }
            let text = String(decoding: kept, as: UTF8.self)
            // Seventeen equal characters are a placeholder.
            if Set(kept).count < 2 {
                content = .blank
            } else if let vin = VIN(text.uppercased()) {
                content = .vin(vin)
            } else {
                content = .broken(
                    String(
                        decoding: kept.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
                        as: UTF8.self))
            }
        }
    }

    /// The date on which a module was programmed or made (F199, F18B).
    package struct ModuleDates: Hashable, Sendable {
        package var ecu: ECUAddress?
        package var made: CalendarDay?
        package var programmed: CalendarDay?

        package init(ecu: ECUAddress?, made: CalendarDay? = nil, programmed: CalendarDay? = nil) {
            self.ecu = ecu
            self.made = made
            self.programmed = programmed
        }
    }

    package var distances: [Distance] = []
    /// The odometer that was read from this vehicle before, according to the database; unit: km.
    package var earlierKilometres: Double?
    package var ecus: [ECU] = []
    package var vins: [StoredVIN] = []
    /// The VIN on the windscreen, from the user.
    package var windscreen: VIN?
    package var dates: [ModuleDates] = []
    /// Whether the vehicle speaks OBD on CAN; nil = not known.
    package var isOnCAN: Bool?
    /// Whether an ECU gave its list of stored codes, and its list of permanent codes.
    package var hasStoredList = false
    package var hasPermanentList = false
    /// Whether the vehicle also drives by electricity.
    package var isHybrid = false
    package var isElectric = false

    package init() {}
}

/// A day without a time zone.
package struct CalendarDay: Hashable, Sendable, Comparable {
    package var year: Int
    package var month: Int
    package var day: Int

    /// The day in an identifier of ISO 14229-1: BCD or ASCII, year first, six or eight digits.
    ///
    /// Nil for any other form, because unsigned numbers may be read as several days.
    package init?(_ bytes: some Collection<UInt8>) {
        var digits: [Int] = []
        if bytes.count == 6 || bytes.count == 8,
            bytes.allSatisfy({ (0x30...0x39).contains($0) })
        {
            digits = bytes.map { Int($0 & 0x0F) }
        } else if bytes.count == 3 || bytes.count == 4,
            bytes.allSatisfy({ $0 >> 4 < 10 && $0 & 0x0F < 10 })
        {
            digits = bytes.flatMap { [Int($0 >> 4), Int($0 & 0x0F)] }
        } else {
            return nil
        }
        var number = digits.reduce(0) { $0 * 10 + $1 }
        if digits.count == 6 { number += 20_000_000 }
        year = number / 10_000
        month = number / 100 % 100
        day = number % 100
        guard (1980...2060).contains(year), (1...12).contains(month), (1...31).contains(day) else {
            return nil
        }
    }

    package static func < (one: CalendarDay, other: CalendarDay) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    /// `2025-03-02`.
    package var text: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }
}

extension UsedCarFacts {
    /// The lifetime distance in km of a fuel consumption monitor (info type 17, EU 2018/1832); nil if the
    /// answer does not look like one.
    ///
    /// The layout is known from one decoder, so the four numbers have to fit: recent and lifetime distance in
    /// 0.1 km, recent and lifetime fuel in 0.01 L, and 0.2 (a plug-in hybrid) to 40 L/100 km. A count byte may come first.
    package static func lifetimeDistance(_ bytes: [UInt8]) -> Double? {
        guard bytes.count == 16 || bytes.count == 17 && bytes[0] == 1 else { return nil }
        let data = Array(bytes.suffix(16))
        let numbers = (0..<4).map { place in
            data[place * 4..<place * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        let (recent, lifetime, fuel) = (numbers[0], numbers[1], numbers[3])
        guard lifetime != .max, fuel != .max, lifetime > 0,
            recent == .max || recent <= lifetime
        else { return nil }
        let kilometres = Double(lifetime) / 10
        // 0.01 L for 100 km is 1 / kilometres.
        let use = Double(fuel) / kilometres
        return (0.2...40).contains(use) ? kilometres : nil
    }
}
