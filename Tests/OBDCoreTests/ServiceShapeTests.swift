import OBDCore
import Testing

/// Compares the table of services with a second version of the standards' rules, for every request
/// of two bytes.
@Suite struct `The form of each service` {
    private static let requests = (0...0xFFFF).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }

    /// Answers to a request: some repeat its second byte, some do not, some are short.
    private static func answers(_ request: [UInt8]) -> [[UInt8]] {
        let first = request[0] &+ 0x40
        let second = request[1]
        return [
            [first], [first, second], [first, second ^ 0x01], [first, second & 0x7F, 0x00],
            [first, second, 0x00, 0x01], [first, second ^ 0x80, 0x33, 0x44, 0x55],
            [first ^ 0x02, second, 0x01], [0x7F, request[0], 0x31], [0x7F, request[0] ^ 1, 0x31],
        ]
    }

    @Test func `an answer repeats the parts of the request that its service defines`() {
        var differing: Set<UInt8> = []
        for request in Self.requests where request[0] & 0x40 == 0 {
            for payload in Self.answers(request)
            where payload[0] == request[0] | 0x40 {
                let second = payload.count > 1 ? payload[1] : 0
                let third = payload.count > 2 ? payload[2] : 0
                let shape = ServiceShape.of(request[0])
                let match = shape?.compare(
                    request, count: payload.count, second: second, third: third)
                let isExact =
                    switch match {
                    case .same, .notAsked, nil: true
                    case .different: false
                    case .tooShort: payload.count >= shape?.shortestAnswer ?? 0
                    }
                if isExact != Expected.isExact(request, payload) { differing.insert(request[0]) }
            }
        }
        // A 3E that repeats a different byte, and a 19 whose answer drops the bit that asks for
        // silence.
        #expect(differing.isSubset(of: [0x10, 0x19, 0x27, 0x31, 0x3E]), "\(differing)")
    }

    @Test func `every known service has its answer byte`() {
        let new = (UInt8.min...UInt8.max).filter(ServiceShape.isAnswer)
        // 53 and 57 are KWP's lists of codes.
        #expect(
            new
                == (UInt8.min...UInt8.max).filter {
                    [0x53, 0x57].contains($0) || Expected.isResponse($0)
                })
    }

    @Test func `answers have the lengths of their service`() {
        for first in UInt8.min...UInt8.max where first != 0x7F {
            guard let shape = ServiceShape.answering(with: first) else {
                #expect(Expected.shortest(first) == 1)
                continue
            }
            // No positive answer of these services is shorter, because it repeats the selector.
            if [0x48, 0x67, 0x71, 0x53, 0x57].contains(first) {
                #expect(shape.shortestAnswer == 2)
            } else {
                #expect(shape.shortestAnswer == Expected.shortest(first), "\(first)")
            }
        }
    }

    @Test func `requests have the lengths that testers use`() {
        for service in UInt8.min...UInt8.max {
            let old = Expected.requestLengths(service)
            let new = ServiceShape.of(service)?.request
            switch service {
            case 0x11: #expect(new == 2...2)
            // ISO 14230-3 also allows it without data.
            case 0x3E: #expect(new == 1...2)
            // A group of codes may follow.
            case 0x13: #expect(new == 1...3)
            case 0x17: #expect(new == 3...3)
            // 19 06 has the code and the record number.
            case 0x19: #expect(new == 2...6)
            default: #expect(old == new, "\(service)")
            }
        }
    }

    @Test func `the table of services decides which requests only read`() {
        for request in Self.requests + (UInt8.min...UInt8.max).map({ [$0] }) where request[0] != 0 {
            let reads =
                switch ServiceShape.of(request[0])?.reading {
                case .always: true
                case .onlyWith(let byte): Array(request.dropFirst()) == [byte]
                case .never, nil: false
                }
            #expect(reads == VehicleRequest.isReadOnly(request))
        }
    }

    @Test func `selectors have the widths of their services`() {
        for service in UInt8.min...UInt8.max {
            let shape = ServiceShape.of(service)
            #expect((shape?.selectorWidth == 2) == (service == 0x22))
            #expect((shape?.selectorStep != shape?.selectorWidth) == (service == 0x02))
            #expect((shape?.takesTime ?? false) == [0x04, 0x14].contains(service))
        }
        #expect(ServiceShape.of(0x01)?.selectors(of: [0x01, 0x0C, 0x0D]) == [0x0C, 0x0D])
        #expect(ServiceShape.of(0x02)?.selectors(of: [0x02, 0x0C, 0x00, 0x0D, 0x00]) == [12, 13])
        #expect(ServiceShape.of(0x22)?.selectors(of: [0x22, 0xF4, 0x0C, 0xF1]) == [0xF40C])
        #expect(ServiceShape.of(0x19)?.selectors(of: [0x19, 0x02, 0xFF]) == [0x02])
        #expect(ServiceShape.of(0x03)?.selectors(of: [0x03, 0x01]) == [])
        for shape in ServiceShape.all {
            for count in 1...9 {
                let request = [UInt8](repeating: shape.service.rawValue, count: count)
                #expect(shape.selectorCount(of: request) == shape.selectors(of: request).count)
            }
        }
    }
}

/// The same rules, written independently.
private enum Expected {
    static func isExact(_ request: [UInt8], _ payload: [UInt8]) -> Bool {
        let second = payload.count > 1 ? payload[1] : 0
        switch request[0] {
        case 0x01, 0x06, 0x09:
            return payload.count > 1 && request.dropFirst().contains(second) || request.count == 1
        case 0x02, 0x05, 0x08, 0x10, 0x19, 0x1A, 0x21, 0x27, 0x31:
            return payload.count > 1 && request.count > 1 && second == request[1]
                || request.count == 1
        case 0x22:
            guard request.count > 2 else { return true }
            guard payload.count > 2 else { return false }
            return stride(from: 1, to: request.count - 1, by: 2).contains {
                request[$0] == second && request[$0 + 1] == payload[2]
            }
        default: return true
        }
    }

    static func isResponse(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x4A, 0x50, 0x51, 0x54, 0x58...0x5A, 0x61...0x63, 0x67, 0x68, 0x6A, 0x6C,
            0x6E, 0x6F, 0x70, 0x71, 0x73, 0x7E, 0x7F, 0xC5:
            true
        default: false
        }
    }

    static func shortest(_ first: UInt8) -> Int {
        switch first {
        case 0x41, 0x49, 0x59, 0x5A, 0x61, 0x7F: 3
        case 0x42, 0x45, 0x62: 4
        case 0x46: 6
        case 0x43, 0x47, 0x4A, 0x50, 0x51, 0x58: 2
        default: 1
        }
    }

    static func requestLengths(_ service: UInt8) -> ClosedRange<Int>? {
        switch service {
        case 0x01: 2...7
        case 0x02: 2...3
        case 0x03, 0x04, 0x07, 0x0A, 0x13: 1...1
        case 0x05, 0x06, 0x08, 0x09: 2...3
        case 0x10, 0x3E: 2...2
        case 0x14, 0x18: 4...4
        case 0x19: 2...5
        case 0x1A, 0x21: 2...3
        case 0x22: 3...7
        default: nil
        }
    }
}
