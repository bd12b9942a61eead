import OBDCore

extension ECUAddress {
    /// The function of the ECU, if a standard defines it by the identifier alone; nil otherwise.
    ///
    /// ISO 15765-4: 7E8 is the engine's and 7E9 the gearbox's. With 29 bits, the target addresses
    /// are those of SAE J2178-1: 10 to 17 engine, 18 to 1F gearbox. A single byte may belong to any
    /// protocol before CAN or to SAE J1939, which number ECUs in different ways.
    public var role: String? {
        switch form {
        case .can11: value == 0x7E8 ? "Engine" : value == 0x7E9 ? "Gearbox" : nil
        case .can29 where value >> 8 == 0x18DAF1:
            switch value & 0xFF {
            case 0x10...0x17: "Engine"
            case 0x18...0x1F: "Gearbox"
            default: nil
            }
        default: nil
        }
    }

    /// `Engine (7E8)`; only the address if no standard defines the function.
    public var title: String { role.map { "\($0) (\(printed))" } ?? printed }
}
