/// Why a row of a foreign table cannot be a row of ours.
public enum RowFault: Error, Hashable, Sendable {
    /// The equation cannot be read, from this on.
    case broken(String)
    /// The equation is too long or too deeply nested.
    case tooLong
    /// The value is made of other rows' values.
    case refersToOthers
    /// The value depends on earlier values or on time.
    case hasMemory(String)
    /// A function without a place in a table.
    case function(String)
    /// The equation does not read the answer.
    case constant
    /// Products, conditions and the like of several bytes.
    case notLinear
    /// Bits or bytes that are not neighbours in order.
    case scattered
    /// Factors of two bytes that are nearly 256 times each other.
    case nearlyRight
    /// How many bits the sign is of is not certain.
    case ambiguousSign
    /// The place is not data of the answer but a byte of the protocol.
    case protocolByte(Int)
    /// Numbers that do not fit.
    case tooLarge
    /// A constant 0 is shifted: perhaps the letter O is meant.
    case zeroForLetter
    /// Equation and row differ on the same bytes: a fault of this program.
    case disagrees
    /// Recorded answers contradict the row.
    case contradicted(agree: Int, differ: Int)

    /// There is no request: the value is only calculated.
    case noRequest
    /// The request is not a service and an identifier.
    case request(String)
    /// The service does more than read, or a table cannot hold what it reads.
    case service(UInt8)
    /// The built-in table has it.
    case builtIn
    /// The address cannot be read.
    case address(String)
    /// Something that belongs in the row is missing or is not what it should be.
    case malformed(String)
    /// The place in the answer cannot be: no bits, too many, beyond any answer.
    case place
    /// Another layout of the same request for other model years.
    case years(String)
    /// Another source reads answers of another length, or of other years, to the same request.
    case otherLayout(file: String, line: Int)
    /// The row is not for the chosen model year.
    case otherYear
    /// The message is broadcast; it is not an answer.
    case broadcast

    /// One clause for people.
    public var reason: String {
        switch self {
        case .broken(let rest): "the equation cannot be read at \"\(rest)\""
        case .tooLong: "the equation is too long"
        case .refersToOthers: "the equation refers to other values"
        case .hasMemory(let name): "the value depends on earlier ones (\(name))"
        case .function(let name): "the function \(name) is not possible in a table"
        case .constant: "the equation does not read the answer"
        case .notLinear: "the equation is not a factor and an offset of one number"
        case .scattered: "the bits or bytes are not neighbors in order"
        case .nearlyRight: "the factors of two bytes are nearly, but not exactly, 256 apart"
        case .ambiguousSign: "it is not certain which bit is the sign"
        case .protocolByte(let place): "B\(place) is not data but a byte of the protocol"
        case .tooLarge: "a number is too large"
        case .zeroForLetter: "a zero is shifted; perhaps the letter O is meant"
        case .disagrees: "equation and row disagree on the same bytes"
        case .contradicted(let agree, let differ):
            "\(differ) recorded answers contradict the row, \(agree) agree"
        case .noRequest: "it has no request"
        case .request(let text): "\"\(text)\" is not a request that a table can hold"
        case .service(let service):
            "service \(Self.hex(service)) does more than read, or is not one of a table"
        case .builtIn: "obdscan's own table has it; --all takes it anyway"
        case .address(let text): "\"\(text)\" is not an address"
        case .malformed(let what): "\(what) is missing or malformed"
        case .place: "its position in the answer is not possible"
        case .years(let years):
            "the request has other layouts for other years; choose with --year: \(years)"
        case .otherLayout(let file, let line):
            "\(file):\(line) reads the same request in another way; import one of them alone"
        case .otherYear: "it is for other model years"
        case .broadcast: "the message is broadcast, not an answer to a request"
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
