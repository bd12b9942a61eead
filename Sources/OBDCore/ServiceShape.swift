/// The form of a service's requests and answers, and whether it only reads.
///
/// ``all`` has one row per service; no other code lists services with these properties. Sources: SAE J1979,
/// ISO 15031-5, SAE J1979-2, ISO 14229-1 (UDS), ISO 14230-3 (KWP).
///
/// A refusal has the same form for all services: `7F`, the service, a code (``NegativeResponse``).
public struct ServiceShape: Sendable {
    /// The part of the request that a positive answer repeats.
    public enum Repetition: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// Any of the selectors, because an ECU leaves out those that it does not support.
        case anySelector
        /// The first selector.
        case firstSelector
        /// A sub-function without its highest bit, which suppresses the answer (ISO 14229-1).
        case subFunction
    }

    /// The content of a positive answer.
    public enum Content: Hashable, Sendable {
        /// Nothing that is decoded.
        case nothing
        /// Data whose length follows from the selector or is not known.
        case free
        /// Each selector with its data; the tables have the lengths.
        case records
        /// Codes of two bytes: with a count on CAN, three per answer on older buses.
        case codes
        /// A count, and two bytes per code.
        case codesOfKWP
        /// A count, and three bytes per code.
        case codesWithStatus
        /// Numbered parts of four bytes before CAN.
        case parts
    }

    /// The condition under which the service only reads.
    public enum Reading: Hashable, Sendable {
        /// The service only reads, with any data.
        case always
        /// The service reads only with this single byte after it.
        case onlyWith(UInt8)
        /// The service never only reads, as far as is known.
        case never
    }

    /// The service.
    public let service: Service
    /// The service's name.
    public let name: StaticString
    /// The number of bytes of a selector, which follows the service and identifies the data.
    public let selectorWidth: Int
    /// The number of bytes from one selector to the next, in requests and answers: service 02 has a frame
    /// number after each PID.
    public let selectorStep: Int
    /// The most selectors in one request on CAN.
    public let mostSelectors: Int
    /// The possible values of a selector's first byte.
    public let selectors: ClosedRange<UInt8>
    /// The number of bytes of a request, including the service; nil if it varies.
    public let request: ClosedRange<Int>?
    /// The part that a positive answer repeats.
    public let repetition: Repetition
    /// The length of the shortest meaningful positive answer, including the first byte; unit: bytes.
    public let shortestAnswer: Int
    /// The content of a positive answer.
    public let content: Content
    /// The condition under which the service only reads.
    public let reading: Reading
    /// Whether an ECU may need seconds for the service.
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

    /// The known services, ascending.
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
        ServiceShape(
            0x13, "KWP codes", request: 1...3, answer: 2, .codesOfKWP),
        ServiceShape(0x14, "clear codes by group", request: 4...4, .nothing, takesTime: true),
        ServiceShape(
            0x17, "KWP status of codes", request: 3...3, answer: 2, .codesWithStatus),
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

    /// The form of a service; nil if it is not known.
    @inline(__always)
    public static func of(_ service: UInt8) -> ServiceShape? { rows[Int(service)] }

    /// Whether an ECU may need seconds for a service.
    public static func takesTime(_ service: UInt8) -> Bool {
        rows[Int(service)]?.takesTime ?? false
    }

    /// The form of the service whose positive answers begin with `first`; nil if there is none.
    public static func answering(with first: UInt8) -> ServiceShape? {
        first & 0x40 == 0 ? nil : of(first & ~0x40)
    }

    /// Whether an answer of any known service begins with this byte, including a refusal.
    public static func isAnswer(_ first: UInt8) -> Bool {
        first == Service.negativeResponse.rawValue || answering(with: first) != nil
    }

    /// The selectors in a request; empty if the service has none.
    public func selectors(of request: [UInt8]) -> [UInt32] {
        guard selectorWidth > 0 else { return [] }
        let places = stride(from: 1, through: request.count - selectorWidth, by: selectorStep)
        return places.prefix(mostSelectors > 1 ? .max : 1).map { place in
            request[place..<place + selectorWidth].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The number of selectors in a request.
    public func selectorCount(of request: [UInt8]) -> Int {
        guard selectorWidth > 0, request.count > selectorWidth else { return 0 }
        return mostSelectors > 1 ? (request.count - 1 - selectorWidth) / selectorStep + 1 : 1
    }

    /// The result of comparing an answer's selection with the request's.
    public enum Match: Hashable, Sendable {
        /// The answer repeats the request, or does not need to repeat anything.
        case same
        /// The answer repeats another part of the request.
        case different
        /// The request has no selection.
        case notAsked
        /// The answer ends before its selection.
        case tooShort
    }

    /// Compares the bytes after the first byte of a positive answer with the request.
    ///
    /// - Parameters:
    ///   - count: the length of the answer, including the first byte.
    ///   - second: the byte after the first; ignored if `count` is 1.
    /// - third: the byte after the second.
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
