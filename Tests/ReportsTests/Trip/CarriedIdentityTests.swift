import Adapters
import OBDCore
import TestSupport
import Testing
import VehicleLink

@testable import Reports

/// The remains of a vehicle's identity in a report about a link without adapter text.
@Suite struct `Identities in reports of frames` {
    enum Link: String, CaseIterable, Sendable {
        case slcan, records, doip
    }

    /// A service, the request for it, and the beginning of its answer.
    static let services: [(request: [UInt8], answer: [UInt8])] = [
        ([0x09, 0x02], [0x49, 0x02, 0x01]), ([0x22, 0xF1, 0x90], [0x62, 0xF1, 0x90]),
        ([0x22, 0xF8, 0x02], [0x62, 0xF8, 0x02]), ([0x1A, 0x90], [0x5A, 0x90]),
    ]
    static let vin = Array(`Removing identities from a report`.vin.utf8)

    /// The frames of a message (ISO 15765-2), padded.
    private static func frames(_ payload: [UInt8], extended: UInt8? = nil) -> [[UInt8]] {
        let address = extended.map { [$0] } ?? []
        let room = 7 - address.count
        guard payload.count > room else {
            return [padded(address + [UInt8(payload.count)] + payload)]
        }
        var frames = [address + [0x10, UInt8(payload.count)] + payload.prefix(room - 1)]
        var rest = payload.dropFirst(room - 1)
        var number: UInt8 = 1
        while !rest.isEmpty {
            frames.append(padded(address + [0x20 | number & 0xF] + rest.prefix(room)))
            rest = rest.dropFirst(room)
            number += 1
        }
        return frames
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0x55, count: 8 - bytes.count)
    }

    private static func chunk(
        _ link: Link, _ direction: Transcript.Direction, _ id: UInt32, _ data: [UInt8]
    ) -> Transcript.Chunk {
        let frame = CANFrame(
            ECUAddress(id, id > 0x7FF ? .can29 : .can11), InlineBytes(data), isRemote: false)
        let bytes: [UInt8] =
            switch link {
            case .slcan: SLCAN.line(of: frame)
            case .records: CANRecord.bytes(of: frame)
            case .doip:
                DoIPMessage.diagnostic(
                    source: direction == .toAdapter ? 0x0E80 : 0x1010,
                    target: direction == .toAdapter ? 0xE400 : 0x0E80, payload: data
                ).bytes(version: 2)
            }
        return Transcript.Chunk(time: .zero, direction: direction, bytes: bytes)
    }

    /// A question and its answer, then another question and its answer.
    private static func conversation(
        _ link: Link, _ service: (request: [UInt8], answer: [UInt8]), extended: UInt8? = nil
    ) -> [Transcript.Chunk] {
        let answer = service.answer + vin
        if link == .doip {
            return [
                chunk(link, .toAdapter, 0, service.request), chunk(link, .fromAdapter, 0, answer),
                chunk(link, .toAdapter, 0, [0x01, 0x0C]),
                chunk(link, .fromAdapter, 0, [0x41, 0x0C, 0x1A, 0xF8]),
            ]
        }
        let request = frames(service.request, extended: extended).map {
            chunk(link, .toAdapter, 0x7E0, $0)
        }
        let answers = frames(answer, extended: extended).map {
            chunk(link, .fromAdapter, 0x7E8, $0)
        }
        return request + answers.prefix(1)
            + [chunk(link, .toAdapter, 0x7E0, padded([0x30, 0x00, 0x00]))] + answers.dropFirst()
            + [
                chunk(link, .toAdapter, 0x7E0, padded([0x02, 0x01, 0x0C])),
                chunk(link, .fromAdapter, 0x7E8, padded([0x04, 0x41, 0x0C, 0x1A, 0xF8])),
            ]
    }

    /// Whether three consecutive characters of the VIN occur, as bytes, as digits, or across frames.
    private static func traces(_ transcript: Transcript) -> [Int] {
        let heard = transcript.chunks.filter { $0.direction == .fromAdapter }
        var places: [[UInt8]] = [heard.flatMap(\.bytes)]
        let digits = places[0].compactMap { Hex.value($0) }
        for shift in 0...1 {
            places.append(
                stride(from: shift, to: digits.count - 1, by: 2).map {
                    digits[$0] << 4 | digits[$0 + 1]
                })
        }
        if let frames = CarriedFrames.read(transcript) {
            let data = frames.filter { $0.direction == .fromAdapter }.map(\.bytes)
            for start in 0...2 { places.append(data.flatMap { $0.dropFirst(start) }) }
        }
        return places.flatMap { threes($0).filter(pieces.contains) }
    }

    /// Each three consecutive bytes, as one number.
    private static func threes(_ bytes: [UInt8]) -> [Int] {
        var threes: [Int] = []
        var last = 0
        for (index, byte) in bytes.enumerated() {
            last = (last << 8 | Int(byte)) & 0xFFFFFF
            if index >= 2 { threes.append(last) }
        }
        return threes
    }
    private static let pieces = Set(threes(vin))

    private static func cleaned(_ chunks: [Transcript.Chunk], knows: Bool) -> Transcript {
        var redaction = Redaction()
        if knows { redaction.add(`Removing identities from a report`.vin) }
        return IdentityAnswers.removed(from: Transcript(chunks: chunks), redaction)
    }

    @Test(arguments: Link.allCases, [true, false])
    func `a whole answer does not reveal the VIN`(link: Link, knows: Bool) {
        for service in Self.services {
            for extended in [nil, 0xF1] as [UInt8?] where extended == nil || link != .doip {
                let chunks = Self.conversation(link, service, extended: extended)
                let whole = Transcript(chunks: chunks)
                #expect(!Self.traces(whole).isEmpty)
                let clean = Self.cleaned(chunks, knows: knows)
                #expect(Self.traces(clean).isEmpty, "\(link) \(service) \(clean.chunks)")
                #expect(clean.chunks.map(\.bytes.count) == chunks.map(\.bytes.count))
                // Bytes that identify nothing stay.
                #expect(clean.chunks.suffix(2) == chunks.suffix(2))
                #expect(
                    clean.chunks.filter { $0.direction == .toAdapter }
                        == chunks.filter { $0.direction == .toAdapter })
            }
        }
    }

    /// Frames that are lost, cut, changed, doubled or out of order.
    @Test(arguments: Link.allCases, [true, false])
    func `a damaged answer does not reveal the VIN`(link: Link, knows: Bool) {
        var generator = SeededGenerator(seed: 41)
        for round in 0..<2_000 {
            let service = Self.services[round % Self.services.count]
            var chunks = Self.conversation(
                link, service, extended: link != .doip && round % 3 == 0 ? 0xF1 : nil)
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let places = chunks.indices.filter { chunks[$0].direction == .fromAdapter }
                guard let place = places.randomElement(using: &generator) else { continue }
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: chunks.remove(at: place)
                case 1 where link != .records:
                    chunks[place].bytes.removeLast(
                        Int.random(in: 1...min(9, chunks[place].bytes.count), using: &generator))
                case 2: chunks.insert(chunks[place], at: place)
                default:
                    // A byte of the data: the link itself checks the frames.
                    let range = link == .records ? 8..<16 : 5..<max(6, chunks[place].bytes.count)
                    guard range.upperBound <= chunks[place].bytes.count,
                        let byte = range.randomElement(using: &generator)
                    else { continue }
                    chunks[place].bytes[byte] = UInt8.random(in: .min ... .max, using: &generator)
                }
            }
            let clean = Self.cleaned(chunks, knows: knows)
            #expect(Self.traces(clean).isEmpty, "\(round) \(chunks) \(clean.chunks)")
        }
    }

    @Test func `a gateway's announcement does not reveal the VIN`() {
        let entity = DoIPEntity(
            vin: Self.vin, address: 0x1010, eid: [0, 1, 2, 3, 4, 5], gid: [6, 7, 8, 9, 10, 11])
        let chunks = [
            Self.chunk(.doip, .toAdapter, 0, [0x01, 0x00]),
            Transcript.Chunk(
                time: .zero, direction: .fromAdapter,
                bytes: DoIPMessage.announcement(entity).bytes(version: 2)),
        ]
        #expect(
            IdentityAnswers.secrets(in: Transcript(chunks: chunks))
                == [`Removing identities from a report`.vin])
        #expect(Self.traces(Self.cleaned(chunks, knows: false)).isEmpty)
    }

    /// SAE J1939: the vehicle identification as a transfer to all (BAM).
    @Test(arguments: [Link.slcan, .records], [true, false])
    func `a lorry's answer does not reveal the VIN`(link: Link, isAsked: Bool) {
        let text = Self.vin + [UInt8(ascii: "*")]
        var chunks: [Transcript.Chunk] = [
            Self.chunk(
                link, .toAdapter, 0x18EA_FFF9, isAsked ? [0xEC, 0xFE, 0x00] : [0xCA, 0xFE, 0x00]),
            Self.chunk(
                link, .fromAdapter, 0x18EC_FF00, [0x20, 18, 0, 3, 0xFF, 0xEC, 0xFE, 0x00]),
        ]
        for number in 0..<3 {
            let piece = text.dropFirst(7 * number).prefix(7)
            chunks.append(
                Self.chunk(
                    link, .fromAdapter, 0x18EB_FF00, Self.padded([UInt8(number + 1)] + piece)))
        }
        #expect(!Self.traces(Transcript(chunks: chunks)).isEmpty)
        #expect(Self.traces(Self.cleaned(chunks, knows: false)).isEmpty)
    }
}
