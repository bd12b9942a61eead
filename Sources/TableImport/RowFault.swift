import OBDCore

/// Why a row of another program's table cannot become a row of ours.
package enum RowFault: Error, Hashable, Sendable {
    /// The equation is not valid from this part on.
    case broken(String)
    /// The equation is too long or too deeply nested.
    case tooLong
    /// The value depends on values of other rows.
    case refersToOthers
    /// The value depends on earlier values or on time.
    case hasMemory(String)
    /// A function that a table cannot express.
    case function(String)
    /// The equation does not use the answer.
    case constant
    /// The equation contains products or conditions of several bytes, or similar operations.
    case notLinear
    /// The bits or bytes are not adjacent and in order.
    case scattered
    /// The factors of two bytes differ by nearly, but not exactly, 256.
    case nearlyRight
    /// The number of bits that the sign applies to is uncertain.
    case ambiguousSign
    /// The position is a byte of the protocol and not of the data.
    case protocolByte(Int)
    case tooLarge
    /// A constant 0 is shifted; the letter O was probably meant.
    case zeroForLetter
    /// Equation and row give different values for the same bytes, which is a bug in obdscan.
    case disagrees
    /// Recorded answers contradict the row.
    case contradicted(agree: Int, differ: Int)

    /// There is no request, because the value is only calculated.
    case noRequest
    /// The request is not a service and an identifier.
    case request(String)
    /// The service does not only read, or a table cannot contain its records.
    case service(UInt8)
    /// The built-in table contains the record already.
    case builtIn
    /// The address is not valid.
    case address(String)
    /// The ECU that answers here is asked at an address that is not known to be for diagnostics.
    case unaskable(ECUAddress?)
    /// A part of the row is missing or not valid.
    case malformed(String)
    /// The position in the answer is not valid: no bits, too many, or beyond any answer.
    case place
    /// The request has another layout in other model years.
    case years(String)
    /// Another source has an answer of another length, or other years, for the same request.
    case otherLayout(file: String, line: Int)
    /// The factor is 0, so that every value would be the offset.
    case zeroFactor
    /// The row is not for the selected model year.
    case otherYear
    /// An earlier message has the same identifier.
    case repeatedMessage(line: Int)

    /// The reason as a clause for people.
    package var reason: String {
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
        case .unaskable(let ecu):
            "\(ecu?.description ?? "the ECU") is not asked at an address that only carries diagnostics"
        case .malformed(let what): "\(what) is missing or malformed"
        case .place: "its position in the answer is not possible"
        case .years(let years):
            "the request has other layouts for other years; choose with --year: \(years)"
        case .otherLayout(let file, let line):
            "\(file):\(line) reads the same request in another way; import one of them alone"
        case .zeroFactor: "its factor is 0"
        case .otherYear: "it is for other model years"
        case .repeatedMessage(let line): "the message in line \(line) has the same identifier"
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
