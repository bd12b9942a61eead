import Adapters
import OBDCore
import VehicleLink

/// One way to read a line of hexadecimal digits.
struct LineReading: Hashable, Sendable {
    /// What a line may be made of.
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
        /// `41 00 …`: a message alone.
        case bare

        /// Whether the line shows who sent it.
        var hasHeader: Bool {
            switch self {
            case .fieldAlone, .bare: false
            case .can11, .can29, .joined11, .joined29, .j1939, .iso9141, .j1850, .iso14230: true
            }
        }

        /// How frames of this shape are built; nil where the shape does not tell.
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

        /// The form of its addresses; nil without one.
        var form: ECUAddress.Form? {
            switch self {
            case .can11, .joined11: .can11
            case .can29, .joined29, .j1939: .can29
            case .iso9141, .j1850, .iso14230: .byte
            case .fieldAlone, .bare: nil
            }
        }
    }

    /// How well what follows the header answers the request.
    enum Answer: Int, Hashable, Comparable, Sendable {
        /// No service answers like this.
        case none
        /// An answer, but of another service than the one asked.
        case foreign
        /// The service asked, another identifier.
        case service
        /// Exactly what was asked; or the next part of an open message.
        case exact

        static func < (left: Answer, right: Answer) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much the line proves itself.
    enum Proof: Int, Hashable, Comparable, Sendable {
        /// A length or checksum is wrong.
        case refuted
        /// Nothing that could be checked.
        case none
        /// A length is right.
        case length
        /// A checksum is right.
        case checksum

        static func < (left: Proof, right: Proof) -> Bool { left.rawValue < right.rawValue }
    }

    /// What the line is made of.
    var shape: Shape
    /// The identifier; 0 without one.
    var id: UInt32 = 0
    /// The digit at which the data field, or the frame, begins.
    var start: Int
    /// The data length code that the line shows.
    var announced: Int?
    /// How well it answers the request.
    var answer: Answer
    /// How much it proves itself.
    var proof: Proof
    /// Whether the byte after the identifier is our own address: extended addressing, untold.
    var isExtended = false
    /// How usual the header is on a vehicle: 0 to 6, three of them for a right length code.
    var familiarity = 0
    /// Whether a length code is shown and right.
    var lengthCodeFits = false
    /// How well it agrees with the settings and the lines before.
    var agreement = 0

    /// How usual the address alone is on a vehicle: 0 to 3.
    var usualAddress: Int { familiarity - (lengthCodeFits ? 3 : 0) }

    /// The sum by which readings of one line are compared.
    ///
    /// What the line says itself counts more than what the settings say: an exact answer after a
    /// header outweighs `AT H0`, a right checksum outweighs a service that only looks right.
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
