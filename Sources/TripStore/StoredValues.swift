import Diagnostics

// Converts named values to and from their form in the database.

extension Reading.Missing {
    /// The reason as a number in the database.
    var stored: Int64 {
        switch self {
        case .notSupported: 1
        case .notAvailable: 2
        case .tooShort: 3
        case .undefined: 4
        }
    }

    init?(stored: Int64) {
        switch stored {
        case 1: self = .notSupported
        case 2: self = .notAvailable
        case 3: self = .tooShort
        case 4: self = .undefined
        default: return nil
        }
    }
}

extension CodeReport.Lamps {
    /// Two bits per lamp, as SAE J1939-73 packs them: 00 off, 01 on, 11 not available.
    var packed: UInt8 {
        func bits(_ lamp: Bool?) -> UInt8 { lamp.map { $0 ? 1 : 0 } ?? 3 }
        return bits(malfunction) << 6 | bits(redStop) << 4 | bits(amberWarning) << 2
            | bits(protect)
    }

    init(packed: UInt8) {
        func lamp(_ shift: UInt8) -> Bool? {
            switch packed >> shift & 3 {
            case 0: false
            case 1: true
            default: nil
            }
        }
        self.init(
            malfunction: lamp(6), redStop: lamp(4), amberWarning: lamp(2), protect: lamp(0))
    }
}
