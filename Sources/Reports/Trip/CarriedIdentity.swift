import Adapters
import OBDCore

/// Finds identities of a vehicle in frames: known texts in reassembled bytes, and every answer to a request
/// for them, because a damaged answer holds the same data.
struct CarriedIdentity {
    /// The first bytes of requests.
    private let requests: [[UInt8]]
    /// The first bytes of answers, and how many bytes come before the personal data.
    private let markers: [(bytes: [UInt8], kept: Int)]

    /// Whether the last request asks for personal data.
    private var isAsked = false
    /// Where the last request was written.
    private var lastRequest = 0
    /// Whether the open transfer of a sender holds personal data.
    private var open: [UInt32: Bool] = [:]
    /// The bytes of each sender without those of the transport protocol.
    private var streams: [Sender: [(byte: UInt8, place: CarriedFrames.Place)]] = [:]
    /// Bytes to blank, by sender, in the order in which they came.
    private var personal: [Sender: [(byte: UInt8, place: CarriedFrames.Place)]] = [:]
    /// Senders after whose streams no bytes belong together any more.
    private struct Sender: Hashable {
        var direction: Transcript.Direction
        var id: UInt32
    }

    init(requests: [String], markers: [(digits: [UInt8], kept: Int)]) {
        self.requests = requests.compactMap { Hex.bytes($0) }
        self.markers = markers.map {
            (Hex.bytes(String(decoding: $0.digits, as: UTF8.self)) ?? [], $0.kept / 2)
        }
    }

    mutating func take(_ frame: CarriedFrames.Frame) {
        let sender = Sender(direction: frame.direction, id: frame.id)
        let all = Array(zip(frame.bytes, frame.places).map { (byte: $0, place: $1) })
        switch frame.kind {
        case .damaged:
            if frame.direction == .fromAdapter { personal[sender, default: []] += blankable(all) }
        case .identity: personal[sender, default: []] += all
        case .diagnostic:
            streams[sender, default: []] += all
            let chunk = frame.places.first?.first?.chunk ?? 0
            if frame.direction == .toAdapter {
                isAsked = asks(frame.bytes[...])
                lastRequest = chunk
            } else if chunk < lastRequest {
                // A shortened answer ends in the next one. The request of such an answer is no longer known.
                personal[sender, default: []] += all
            } else if let start = personalStart(frame.bytes[...], isAsked: isAsked) {
                personal[sender, default: []] += all[min(start, all.count)...]
            }
        case .can: takeCAN(frame, all, sender)
        }
    }

    /// A line that cannot be read: the command and the identifier stay.
    private func blankable(
        _ all: [(byte: UInt8, place: CarriedFrames.Place)]
    ) -> [(byte: UInt8, place: CarriedFrames.Place)] {
        guard let first = all.first?.byte else { return [] }
        let kept = first == UInt8(ascii: "t") ? 5 : first == UInt8(ascii: "T") ? 10 : 0
        // Words of an adapter are shorter than a frame with data.
        let isWord =
            [0x0D, 0x07].contains(all.last?.byte) && kept == 0 && all.count < 8
            && all.allSatisfy { (0x20...0x7E).contains($0.byte) || $0.byte < 0x0E }
        return isWord ? [] : Array(all.dropFirst(kept))
    }

    private mutating func takeCAN(
        _ frame: CarriedFrames.Frame, _ all: [(byte: UInt8, place: CarriedFrames.Place)],
        _ sender: Sender
    ) {
        guard let control = frame.bytes.first else { return }
        let format = frame.id > 0x7FF ? UInt8(truncatingIfNeeded: frame.id >> 16) : 0
        if frame.direction == .toAdapter {
            streams[sender, default: []] += all.dropFirst()
            // A request for a parameter group of SAE J1939 has no control byte.
            if format == 0xEA {
                isAsked = asks(frame.bytes[...])
            } else if control >> 4 != 2, control >> 4 != 3,
                control >> 4 < 2 || frame.bytes.dropFirst().first.map({ $0 >> 4 < 2 }) ?? false
            {
                // With extended addresses, the control byte is the second one.
                isAsked = (1...3).contains { asks(frame.bytes.dropFirst($0)) }
            }
            return
        }
        // SAE J1939: the group itself, and transfers with its number.
        if format == 0xFE, UInt8(truncatingIfNeeded: frame.id >> 8) == 0xEC {
            personal[sender, default: []] += all
            return
        }
        if format == 0xEC, frame.bytes.count == 8 {
            open[frame.id & 0xFF | 0xEB_0000] = frame.bytes[5...7].elementsEqual([0xEC, 0xFE, 0x00])
            return
        }
        if format == 0xEB {
            streams[sender, default: []] += all.dropFirst()
            if open[frame.id & 0xFF | 0xEB_0000] ?? false || isAsked {
                personal[sender, default: []] += all.dropFirst()
            }
            return
        }
        let start = control >> 4 == 1 ? 2 : 1
        streams[sender, default: []] += all.dropFirst(start)
        switch control >> 4 {
        case 0, 1:
            let kept =
                personalStart(frame.bytes.dropFirst(start), isAsked: isAsked).map { start + $0 }
                ?? (personalStart(frame.bytes.dropFirst(start + 1), isAsked: false)).map {
                    start + 1 + $0
                }
            open[frame.id] = kept != nil
            if let kept { personal[sender, default: []] += all.dropFirst(kept) }
        default:
            // A damaged control byte may hide the kind of the frame.
            let isOwn = open[frame.id] ?? false || isAsked
            guard isOwn, control >> 4 != 3 || frame.bytes.count > 3 else { return }
            personal[sender, default: []] += all.dropFirst(control >> 4 == 3 ? 3 : 1)
        }
    }

    private func asks(_ payload: ArraySlice<UInt8>) -> Bool {
        // Requests may name several identifiers.
        requests.contains { request in
            payload.starts(with: request)
                || request.first == 0x22 && payload.first == 0x22
                    && stride(from: payload.startIndex + 1, to: payload.endIndex - 1, by: 2)
                        .contains { payload[$0...].starts(with: request.dropFirst()) }
        }
    }

    /// The number of bytes of an answer before personal data; nil if it holds none.
    private func personalStart(_ payload: ArraySlice<UInt8>, isAsked: Bool) -> Int? {
        if let marker = markers.first(where: { payload.starts(with: $0.bytes) }) {
            return marker.kept
        }
        guard isAsked else { return nil }
        return 1
    }

    /// The places of all bytes to blank.
    func places(_ redaction: Redaction) -> [CarriedFrames.Place] {
        var result = personal.values.flatMap { $0.map(\.place) }
        for stream in streams.values {
            for index in redaction.places(in: stream.map(\.byte)) {
                result.append(stream[index].place)
            }
        }
        return result
    }

    /// Personal texts that look like a VIN or the number of an ECU.
    var texts: [String] {
        personal.values.flatMap { bytes in
            bytes.map(\.byte).split { byte in
                !(0x30...0x39).contains(byte) && !(0x41...0x5A).contains(byte)
            }.filter { $0.count >= 8 }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
