/// What the requests and the answers of one service look like, and whether it only reads.
///
/// One row for each service, in ``all``; nothing else in the program lists services by these
/// properties. Sources: SAE J1979, ISO 15031-5, SAE J1979-2, ISO 14229-1 (UDS), ISO 14230-3 (KWP).
///
/// A refusal looks alike in all of them: `7F`, the service, a code (``NegativeResponse``).
public struct ServiceShape: Sendable {
    /// What a positive answer repeats of the request.
    public enum Repetition: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// Any of the selectors: an ECU leaves out what it does not know.
        case anySelector
        /// The first selector.
        case firstSelector
        /// A sub-function without its highest bit, which asks for silence (ISO 14229-1).
        case subFunction
    }

    /// What follows in a positive answer.
    public enum Content: Hashable, Sendable {
        /// Nothing that is read.
        case nothing
        /// Data whose length follows from the selector, or is not known at all.
        case free
        /// Each selector with its data; the tables give the lengths.
        case records
        /// Codes of two bytes: counted on CAN, three in each answer on older buses.
        case codes
        /// A number, and for each code three bytes.
        case codesWithStatus
        /// Before CAN numbered parts of four bytes.
        case parts
    }

    /// When the service only reads.
    public enum Reading: Hashable, Sendable {
        /// Whatever follows it.
        case always
        /// With this one byte after it, and nothing else.
        case onlyWith(UInt8)
        /// Never, as far as is known.
        case never
    }

    /// The service.
    public let service: Service
    /// What it does.
    public let name: StaticString
    /// Bytes of a selector: what stands after the service and names what is asked for.
    public let selectorWidth: Int
    /// Bytes from one selector to the next, in requests and in answers: service 02 has a frame number
    /// after each PID.
    public let selectorStep: Int
    /// How many selectors one request may have on CAN.
    public let mostSelectors: Int
    /// The values that the first byte of a selector has.
    public let selectors: ClosedRange<UInt8>
    /// Bytes of a request, the service included; nil where they vary.
    public let request: ClosedRange<Int>?
    /// What a positive answer repeats.
    public let repetition: Repetition
    /// The fewest bytes of a positive answer that says anything, the first one included.
    public let shortestAnswer: Int
    /// What follows in a positive answer.
    public let content: Content
    /// When it only reads.
    public let reading: Reading
    /// Whether an ECU may take seconds to do it.
    public let takesTime: Bool

    private init(
        _ service: UInt8, _ name: StaticString, selector: Int = 0, step: Int? = nil, most: Int = 1,
        selectors: ClosedRange<UInt8> = 0...0xFF, request: ClosedRange<Int>? = nil,
        repeats: Repetition = .nothing, answer: Int = 1, _ content: Content = .free,
        reads: Reading = .never, takesTime: Bool = false
    ) {
        self.service = Service(service)
        self.name = name
        selectorWidth = selector
        selectorStep = step ?? selector
        mostSelectors = most
        self.selectors = selectors
        self.request = request
        repetition = repeats
        shortestAnswer = answer
        self.content = content
        reading = reads
        self.takesTime = takesTime
    }

    /// The services that are known, ascending.
    public static let all: [ServiceShape] = [
        ServiceShape(
            0x01, "current data", selector: 1, most: 6, request: 2...7, repeats: .anySelector,
            answer: 3, .records, reads: .always),
        ServiceShape(
            0x02, "freeze frame", selector: 1, step: 2, most: 3, request: 2...3,
            repeats: .anySelector, answer: 4, .records, reads: .always),
        ServiceShape(
            0x03, "stored codes", request: 1...1, answer: 2, .codes, reads: .always),
        ServiceShape(0x04, "clear codes", request: 1...1, .nothing, takesTime: true),
        ServiceShape(
            0x05, "oxygen sensor tests", selector: 1, request: 2...3, repeats: .firstSelector,
            answer: 4, reads: .always),
        ServiceShape(
            0x06, "test results of monitors", selector: 1, most: 6, request: 2...3,
            repeats: .anySelector, answer: 6, reads: .always),
        ServiceShape(
            0x07, "pending codes", request: 1...1, answer: 2, .codes, reads: .always),
        ServiceShape(
            0x08, "control of systems", selector: 1, request: 2...3, repeats: .firstSelector,
            answer: 2),
        ServiceShape(
            0x09, "vehicle information", selector: 1, most: 6, request: 2...3,
            repeats: .anySelector, answer: 3, .parts, reads: .always),
        ServiceShape(
            0x0A, "permanent codes", request: 1...1, answer: 2, .codes, reads: .always),
        ServiceShape(
            0x10, "UDS default session", selector: 1, request: 2...2, repeats: .subFunction,
            answer: 2, reads: .onlyWith(0x01)),
        ServiceShape(0x11, "reset", selector: 1, request: 2...2, answer: 2),
        ServiceShape(0x13, "KWP codes", request: 1...1, answer: 2),
        ServiceShape(0x14, "clear codes by group", request: 4...4, .nothing, takesTime: true),
        ServiceShape(
            0x18, "KWP codes by status", selector: 1, selectors: 0...3, request: 4...4, answer: 2,
            .codesWithStatus, reads: .always),
        ServiceShape(
            0x19, "UDS code information, every sub-function", selector: 1, request: 2...6,
            repeats: .subFunction, answer: 3, reads: .always),
        ServiceShape(
            0x1A, "KWP identification", selector: 1, request: 2...3, repeats: .firstSelector,
            answer: 3, reads: .always),
        ServiceShape(
            0x21, "KWP data by local identifier", selector: 1, request: 2...3,
            repeats: .firstSelector, answer: 3, reads: .always),
        ServiceShape(
            0x22, "UDS data by identifier", selector: 2, most: 6, request: 3...7,
            repeats: .anySelector, answer: 4, .records, reads: .always),
        ServiceShape(0x23, "read memory"),
        ServiceShape(0x27, "security access", selector: 1, repeats: .subFunction, answer: 2),
        ServiceShape(0x28, "communication control"),
        ServiceShape(0x2A, "periodic data"),
        ServiceShape(0x2C, "define data"),
        ServiceShape(0x2E, "write data by identifier"),
        ServiceShape(0x2F, "control of outputs by identifier"),
        ServiceShape(0x30, "KWP control of outputs"),
        ServiceShape(0x31, "routine control", selector: 1, repeats: .subFunction, answer: 2),
        ServiceShape(0x33, "KWP results of a routine"),
        ServiceShape(
            0x3E, "tester present", selector: 1, request: 1...2, repeats: .subFunction,
            reads: .always),
        ServiceShape(0x85, "control of code setting"),
    ]

    /// The row of each first byte.
    private static let rows: [ServiceShape?] = {
        var rows = [ServiceShape?](repeating: nil, count: 0x100)
        for shape in all { rows[Int(shape.service.rawValue)] = shape }
        return rows
    }()

    /// The shape of a service; nil for one that is not known.
    @inline(__always)
    public static func of(_ service: UInt8) -> ServiceShape? { rows[Int(service)] }

    /// The shape of the service whose positive answers begin with `first`; nil where none does.
    public static func answering(with first: UInt8) -> ServiceShape? {
        first & 0x40 == 0 ? nil : of(first & ~0x40)
    }

    /// Whether an answer of any known service begins like this, a refusal included.
    public static func isAnswer(_ first: UInt8) -> Bool {
        first == Service.negativeResponse.rawValue || answering(with: first) != nil
    }

    /// The data that alone make the service read; nil = whatever they are.
    public var onlyData: [UInt8]? {
        if case .onlyWith(let byte) = reading { [byte] } else { nil }
    }

    /// The selectors in a request; none where the service has none.
    public func selectors(of request: [UInt8]) -> [UInt32] {
        guard selectorWidth > 0 else { return [] }
        let places = stride(from: 1, through: request.count - selectorWidth, by: selectorStep)
        return places.prefix(mostSelectors > 1 ? .max : 1).map { place in
            request[place..<place + selectorWidth].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// How an answer's selection compares with the request's.
    public enum Match: Hashable, Sendable {
        /// The answer repeats what was asked for, or has nothing to repeat.
        case same
        /// It repeats something else.
        case different
        /// The request names nothing.
        case notAsked
        /// The answer ends before it.
        case tooShort
    }

    /// Compares what stands after the first byte of a positive answer with the request.
    ///
    /// - Parameters:
    ///   - count: bytes of the answer, the first one included.
    ///   - second: the byte after the first; ignored if `count` is 1.
    ///   - third: the one after that.
    public func compare(
        _ request: [UInt8], count: Int, second: UInt8, third: UInt8
    ) -> Match {
        if repetition == .nothing { return .same }
        if request.count <= selectorWidth { return .notAsked }
        if count <= selectorWidth { return .tooShort }
        switch repetition {
        case .nothing: return .same
        case .firstSelector: return request[1] == second ? .same : .different
        case .subFunction:
            return request[1] == second || request[1] & 0x7F == second ? .same : .different
        case .anySelector:
            var place = 1
            while place + selectorWidth <= request.count {
                if request[place] == second, selectorWidth == 1 || request[place + 1] == third {
                    return .same
                }
                place += selectorStep
            }
            return .different
        }
    }
}
