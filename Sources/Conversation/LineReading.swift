import Adapters
import OBDCore
import VehicleLink

/// One way to read a line of hexadecimal digits.
struct LineReading: Hashable, Sendable {
    enum Shape: UInt8, Hashable, Sendable, CaseIterable {
        /// `7E8 06 41 00 …`: an 11-bit identifier and a data field.
        case can11
        /// `18 DA F1 10 06 41 00 …`: a 29-bit identifier and a data field.
        case can29
        /// `7E8 49 02 01 …`: an 11-bit identifier and a joined message.
        case joined11
        /// The same with a 29-bit identifier.
        case joined29
        /// `06 41 00 …`: a data field without identifier.
        case fieldAlone
        /// `18 FE CA 00 …` or `6 0FECA 00 …`: SAE J1939.
        case j1939
        /// `48 6B 10 41 00 … sum`.
        case iso9141
        /// `41 6B 10 41 00 … CRC`.
        case j1850
        /// `86 F1 10 41 00 … sum`.
        case iso14230
        /// `41 00 …`: a message without a header.
        case bare

        /// Whether the line shows its sender.
        var hasHeader: Bool {
            switch self {
            case .fieldAlone, .bare: false
            case .can11, .can29, .joined11, .joined29, .j1939, .iso9141, .j1850, .iso14230: true
            }
        }

        /// The protocol family of this shape; nil if the shape does not determine it.
        var family: VehicleProtocol.Family? {
            switch self {
            case .can11, .can29, .joined11, .joined29, .fieldAlone: .can
            case .j1939: .j1939
            case .iso9141: .iso9141
            case .j1850: .j1850
            case .iso14230: .iso14230
            case .bare: nil
            }
        }

        /// The form of the shape's addresses; nil if it has none.
        var form: ECUAddress.Form? {
            switch self {
            case .can11, .joined11: .can11
            case .can29, .joined29, .j1939: .can29
            case .iso9141, .j1850, .iso14230: .byte
            case .fieldAlone, .bare: nil
            }
        }
    }

    /// How well the data after the header answer the request.
    enum Answer: Int, Hashable, Comparable, Sendable {
        /// The data is not an answer of any service.
        case none
        /// An answer of another service than the requested one.
        case foreign
        /// An answer of the requested service with another identifier.
        case service
        /// Exactly the requested data, or the next part of an open message.
        case exact

        static func < (left: Answer, right: Answer) -> Bool { left.rawValue < right.rawValue }
    }

    /// The evidence in the line itself.
    enum Proof: Int, Hashable, Comparable, Sendable {
        /// A length or checksum is wrong.
        case refuted
        /// The line has no checksum.
        case none
        case length
        case checksum

        static func < (left: Proof, right: Proof) -> Bool { left.rawValue < right.rawValue }
    }

    var shape: Shape
    /// The identifier; 0 without one.
    var id: UInt32 = 0
    /// The digit at which the data field, or the frame, begins.
    var start: Int
    /// The data length code that the line shows.
    var announced: Int?
    /// How well the line answers the request.
    var answer: Answer
    /// The evidence in the line itself.
    var proof: Proof
    /// Whether the byte after the identifier is the tester's address: extended addressing without the
    /// setting.
    var isExtended = false
    /// How usual the header is on a vehicle: 0 to 6, of which three are for a valid length code.
    var familiarity = 0
    /// Whether the line has a valid length code.
    var lengthCodeFits = false
    /// How well the reading agrees with the settings and the earlier lines.
    var agreement = 0

    /// How usual the address alone is on a vehicle: 0 to 3.
    var usualAddress: Int { familiarity - (lengthCodeFits ? 3 : 0) }

    /// The score that compares the readings of one line.
    ///
    /// Evidence in the line counts more than the settings. An exact answer after a header outweighs `AT H0`,
    /// and a valid checksum outweighs a plausible service.
    var score: Int {
        let proved =
            switch proof {
            case .refuted: 0
            case .none: 2
            case .length: 8
            case .checksum: 12
            }
        return answer.rawValue * 10 + proved + familiarity + agreement
    }
}
