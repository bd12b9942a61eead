/// The ranges in PIDs 4F and 50 of an ECU that replace the usual ones; 0 means no replacement.
///
/// Source: SAE J1979-DA, PIDs 4F and 50.
struct RangeOverrides: Hashable, Sendable {
    /// PID 4F, byte A: the equivalence ratio at FFFF; usually 2.
    var lambda: UInt8 = 0
    /// PID 4F, byte B: the oxygen sensor voltage at FFFF; unit: V, usually 8.
    var voltage: UInt8 = 0
    /// PID 4F, byte C: the oxygen sensor current at FFFF; unit: mA, usually 128.
    var current: UInt8 = 0
    /// PID 4F, byte D: the intake manifold pressure at FF; unit: 10 kPa, usually 255 kPa.
    var pressure: UInt8 = 0
    /// PID 50, byte A: the mass air flow at FFFF; unit: 10 g/s, usually 655.35 g/s.
    var massAirFlow: UInt8 = 0

    /// Whether PIDs 4F and 50 differ between ECUs that cannot be distinguished.
    private var unknown: UInt8 = 0

    private static func bit(_ pid: UInt32) -> UInt8 { pid == 0x4F ? 1 : pid == 0x50 ? 2 : 0 }

    /// Whether the content of PID 4F or 50 is unknown for the answering ECU.
    func isUnknown(_ pid: UInt32) -> Bool { unknown & Self.bit(pid) != 0 }

    /// Records that PID 4F or 50 has different contents, and that the valid one is unknown.
    mutating func makeUnknown(_ pid: UInt32) { unknown |= Self.bit(pid) }

    /// The usual ranges, or unknown if these or `other` replace them.
    func joined(with other: RangeOverrides) -> RangeOverrides {
        var joined = RangeOverrides()
        joined.unknown = unknown | other.unknown
        for ranges in [self, other] {
            if ranges.massAirFlow != 0 { joined.makeUnknown(0x50) }
            if ranges.lambda | ranges.voltage | ranges.current | ranges.pressure != 0 {
                joined.makeUnknown(0x4F)
            }
        }
        return joined
    }

    /// Whether the range of a PID's values is unknown.
    func hidesRange(ofPID pid: UInt32) -> Bool {
        switch pid {
        case 0x24...0x2B, 0x34...0x3B, 0x44, 0x0B: isUnknown(0x4F)
        case 0x10: isUnknown(0x50)
        default: false
        }
    }

    /// Applies a record of PID 4F or 50; false for any other PID.
    mutating func update(pid: UInt32, _ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 4 else { return false }
        unknown &= ~Self.bit(pid)
        let first = bytes.startIndex
        switch pid {
        case 0x4F:
            lambda = bytes[first]
            voltage = bytes[first + 1]
            current = bytes[first + 2]
            pressure = bytes[first + 3]
        case 0x50: massAirFlow = bytes[first]
        default: return false
        }
        return true
    }

    /// The value of a signal in these ranges; nil if the usual range applies.
    func value(pid: UInt32, bitOffset: Int, raw: UInt64) -> Double? {
        let number = Double(raw)
        switch (pid, bitOffset) {
        case (0x24...0x2B, 0), (0x34...0x3B, 0), (0x44, 0):
            return lambda == 0 ? nil : number * Double(lambda) / 65535
        case (0x24...0x2B, 16): return voltage == 0 ? nil : number * Double(voltage) / 65535
        case (0x34...0x3B, 16):
            return current == 0 ? nil : (number - 32768) * Double(current) / 32768
        case (0x0B, 0): return pressure == 0 ? nil : number * Double(pressure) * 10 / 255
        case (0x10, 0): return massAirFlow == 0 ? nil : number * Double(massAirFlow) * 10 / 65535
        default: return nil
        }
    }
}
