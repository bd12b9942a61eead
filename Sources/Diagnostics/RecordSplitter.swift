import OBDCore

/// Finds the records in an answer: `41 0C 1A F8 0D 32` has two records, with no separator between them.
///
/// The lengths are from the table, and the records may be in any order. For a record of variable length, the
/// length is chosen with which everything after it can be split. If there are several, the shortest is used,
/// because its signals are in every length. Repeated bytes at the end are padding.
struct RecordSplitter {
    /// The part of a record before its data.
    enum Layout {
        /// Service 01: the PID.
        case pid
        /// Service 02: the PID and the freeze frame's number.
        case pidAndFrame
        /// Service 22: two bytes.
        case dataIdentifier

        @inline(__always)
        var headerLength: Int {
            switch self {
            case .pid: 1
            case .pidAndFrame, .dataIdentifier: 2
            }
        }
    }

    /// The next part of the answer.
    enum Step {
        /// A complete record that was requested.
        case record(id: UInt32, frame: UInt8?, data: Range<Int>)
        /// A complete record that was not requested.
        case foreign
        /// An identifier with an unknown length, so that the rest cannot be split.
        case unknown(at: Int, wasAsked: Bool)
        /// A requested record that is incomplete.
        case tooShort(id: UInt32, expected: Int, received: Int)
        /// Bytes that are neither a record nor padding.
        case leftOver(Range<Int>)
        case end
    }

    typealias Lengths = (UInt32) -> ClosedRange<Int>?

    private let payload: [UInt8]
    private let layout: Layout
    // The request, beginning with its service; nil if unknown.
    private let request: [UInt8]?
    // The positions in the request that were answered.
    private var answered: UInt64 = 0
    private var place = 1
    // The length of the last record was not certain, so the start of the next is unknown.
    private var isLost = false
    private var knownWays: [UInt8]?
    private var knownPaddedWays: [UInt8]?

    /// The most bytes of padding: a CAN frame has seven after its control byte.
    static let longestFiller = 7
    /// The bytes that ECUs use as padding.
    private static let usualFillers: [UInt8] = [0x00, 0x55, 0xAA, 0xCC, 0xFF]

    /// Splits `payload`, the answer to `request`; the first byte of both is the service.
    init(_ payload: [UInt8], layout: Layout, request: [UInt8]?) {
        self.payload = payload
        self.layout = layout
        self.request = request.flatMap { $0.count > 1 ? $0 : nil }
    }

    /// Whether the bytes of `payload` from `start` on are padding: one repeated byte, at most seven times.
    ///
    /// A single byte only counts as padding if ECUs use that byte.
    static func isFiller(_ payload: [UInt8], from start: Int) -> Bool {
        let count = payload.count - start
        guard count > 0, count <= longestFiller else { return false }
        let filler = payload[start]
        if count == 1 { return usualFillers.contains(filler) }
        var index = start + 1
        while index < payload.count {
            if payload[index] != filler { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes are padding with a byte that ECUs use.
    static func isUsualFiller(_ payload: [UInt8], from start: Int) -> Bool {
        isFiller(payload, from: start) && usualFillers.contains(payload[start])
    }

    /// The next record, or why there is none; further records only follow after a record.
    ///
    /// `lengthOf` returns the number of data bytes of an identifier, or nil if it is unknown.
    mutating func next(_ lengthOf: Lengths) -> Step {
        let start = place
        guard start < payload.count else { return .end }
        let position = positionInRequest(of: start)
        if start > 1, payload.count - start <= Self.longestFiller, isPadding(from: start, lengthOf)
        {
            return .end
        }
        if isLost { return .leftOver(start..<payload.count) }
        let header = layout.headerLength
        guard start + header <= payload.count else { return cutHeader(at: start, lengthOf) }
        let id = identifier(at: start)
        let wasAsked = request == nil || position != nil
        guard let lengths = lengthOf(id) else { return .unknown(at: start, wasAsked: wasAsked) }
        let available = payload.count - start - header
        guard available >= lengths.lowerBound else {
            if wasAsked || awaits(id) {
                return .tooShort(id: id, expected: lengths.lowerBound, received: available)
            }
            place = payload.count
            return start > 1 ? .leftOver(start..<payload.count) : .foreign
        }
        if let position { answered |= Self.bit(position) }
        let length =
            lengths.lowerBound == lengths.upperBound
            ? lengths.lowerBound : chooseLength(lengths, dataAt: start + header, lengthOf)
        place = start + header + length
        guard wasAsked else { return .foreign }
        let frame = layout == .pidAndFrame ? payload[start + 1] : nil
        return .record(id: id, frame: frame, data: (start + header)..<place)
    }

    private func cutHeader(at start: Int, _ lengthOf: Lengths) -> Step {
        if layout != .dataIdentifier {
            let id = UInt32(payload[start])
            if let lengths = lengthOf(id), request == nil || awaits(id) {
                return .tooShort(id: id, expected: lengths.lowerBound, received: 0)
            }
        }
        return .leftOver(start..<payload.count)
    }

    @inline(__always)
    private func identifier(at start: Int) -> UInt32 {
        layout == .dataIdentifier
            ? UInt32(payload[start]) << 8 | UInt32(payload[start + 1]) : UInt32(payload[start])
    }

    // MARK: The request

    /// The bit for a position in a request; positions beyond any normal request have no bit.
    @inline(__always)
    private static func bit(_ position: Int) -> UInt64 {
        position < 64 ? 1 << UInt64(position) : 0
    }

    /// The position in the request of the identifier at `start` of the answer, unanswered ones first.
    private func positionInRequest(of start: Int) -> Int? {
        guard let request else { return nil }
        var found: Int?
        var index = 1
        while index < request.count {
            if matches(request, index, start) {
                if answered & Self.bit(index) == 0 { return index }
                found = index
            }
            index += layout.headerLength
        }
        return found
    }

    /// Whether the identifier at `index` of the request is the one at `start` of the answer.
    @inline(__always)
    private func matches(_ request: [UInt8], _ index: Int, _ start: Int) -> Bool {
        guard request[index] == payload[start] else { return false }
        switch layout {
        case .pid: return true
        case .pidAndFrame:
            // A request without a frame number matches any frame.
            guard index + 1 < request.count else { return true }
            return start + 1 < payload.count && request[index + 1] == payload[start + 1]
        case .dataIdentifier:
            return index + 1 < request.count && start + 1 < payload.count
                && request[index + 1] == payload[start + 1]
        }
    }

    /// Whether the identifier was requested, for any frame, and has not been answered.
    private func awaits(_ id: UInt32) -> Bool {
        guard let request else { return false }
        var index = 1
        while index < request.count {
            var asked = UInt32(request[index])
            if layout == .dataIdentifier {
                guard index + 1 < request.count else { return false }
                asked = asked << 8 | UInt32(request[index + 1])
            }
            if asked == id, answered & Self.bit(index) == 0 { return true }
            index += layout.headerLength
        }
        return false
    }

    /// Whether everything requested was answered; false if the request is unknown.
    var awaitsNothing: Bool {
        guard let request else { return false }
        var index = 1
        while index < request.count {
            if answered & Self.bit(index) == 0 { return false }
            index += layout.headerLength
        }
        return true
    }

    // MARK: Padding and varying lengths

    private mutating func isPadding(from start: Int, _ lengthOf: Lengths) -> Bool {
        guard Self.isFiller(payload, from: start) else { return false }
        let byte = payload[start]
        guard request == nil else {
            let id = layout == .dataIdentifier ? UInt32(byte) << 8 | UInt32(byte) : UInt32(byte)
            return !awaits(id)
        }
        if ways(lengthOf)[start] == 0 { return true }
        // An ECU never answers the same identifier twice: `41 05 7B 55 55 55 55`.
        guard layout != .dataIdentifier, let lengths = lengthOf(UInt32(byte)) else { return false }
        return payload.count - start > layout.headerLength + lengths.upperBound
    }

    /// The number of ways, up to 2, to split the bytes from each position to the end into whole records.
    private mutating func ways(_ lengthOf: Lengths) -> [UInt8] {
        if let knownWays { return knownWays }
        let ways = countWays(orPadding: false, lengthOf)
        knownWays = ways
        return ways
    }

    /// The same, but the records may be followed by padding.
    private mutating func paddedWays(_ lengthOf: Lengths) -> [UInt8] {
        if let knownPaddedWays { return knownPaddedWays }
        let ways = countWays(orPadding: true, lengthOf)
        knownPaddedWays = ways
        return ways
    }

    private func countWays(orPadding: Bool, _ lengthOf: Lengths) -> [UInt8] {
        var ways = [UInt8](repeating: 0, count: payload.count + 1)
        ways[payload.count] = 1
        var index = payload.count - layout.headerLength
        while index >= 1 {
            if request == nil || positionInRequest(of: index) != nil,
                let lengths = lengthOf(identifier(at: index))
            {
                for length in lengths {
                    let next = index + layout.headerLength + length
                    guard next <= payload.count else { break }
                    let isPadded = orPadding && Self.isFiller(payload, from: next)
                    ways[index] = min(2, ways[index] + max(ways[next], isPadded ? 1 : 0))
                }
            }
            index -= 1
        }
        return ways
    }

    /// The length of a variable record whose data begin at `start`.
    private mutating func chooseLength(
        _ lengths: ClosedRange<Int>, dataAt start: Int, _ lengthOf: Lengths
    ) -> Int {
        let rest = payload.count - start
        if awaitsNothing, lengths.contains(rest) { return rest }
        let possible = lengths.lowerBound...min(lengths.upperBound, rest)
        let shortest = start + lengths.lowerBound
        // Solutions without padding come first.
        for ways in [ways(lengthOf), request == nil ? [] : paddedWays(lengthOf)] {
            let fitting = possible.filter { !ways.isEmpty && ways[start + $0] > 0 }
            guard let only = fitting.first else { continue }
            if fitting.count == 1, only == lengths.lowerBound || !mayBeCut(at: shortest, lengthOf) {
                return only
            }
            isLost = true
            return lengths.lowerBound
        }
        let padded = possible.filter { Self.isFiller(payload, from: start + $0) }
        if padded.count == 1 { return padded[0] }
        isLost = true
        return lengths.lowerBound
    }

    /// Whether the bytes from `start` on may be the beginning of a record that is still expected.
    private func mayBeCut(at start: Int, _ lengthOf: Lengths) -> Bool {
        guard layout != .dataIdentifier, start < payload.count else { return false }
        let id = UInt32(payload[start])
        guard awaits(id), let needed = lengthOf(id)?.lowerBound else { return false }
        return payload.count - start - layout.headerLength < needed
    }
}
