public import OBDCore

/// The meaning of a value for the motion of a vehicle.
public enum MotionRole: Int64, Hashable, Sendable {
    /// PID 0C, F40C or SPN 190, rpm.
    case engineSpeed = 1
    /// PID 0D, F40D or SPN 84, km/h.
    case speed = 2
    /// PID A6, F4A6 or SPN 245, km.
    case odometer = 3

    /// The meaning of a current value; `signal` is its short name.
    public init?(_ dataID: DataID?, signal: @autoclosure () -> String) {
        guard let dataID else { return nil }
        switch dataID.service {
        case .currentData: self.init(pid: dataID.id)
        // SAE J1979-2 has the PIDs at F400.
        case .readData where dataID.id & 0xFF00 == 0xF400: self.init(pid: dataID.id & 0xFF)
        case DataID.parameterGroups:
            switch dataID.id {
            case 0xF004 where signal() == "SPN190": self = .engineSpeed
            case 0xFEF1 where signal() == "SPN84": self = .speed
            case 0xFEE0 where signal() == "SPN245": self = .odometer
            default: return nil
            }
        default: return nil
        }
    }

    private init?(pid: UInt32) {
        switch pid {
        case 0x0C: self = .engineSpeed
        case 0x0D: self = .speed
        case 0xA6: self = .odometer
        default: return nil
        }
    }
}
