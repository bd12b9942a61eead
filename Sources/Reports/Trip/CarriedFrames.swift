import Adapters
import OBDCore
import VehicleLink

/// The bytes that a recording carries on a link without adapter text: frames of CAN or messages of DoIP, and
/// the place of each of their bytes in the recording.
struct CarriedFrames {
    /// The place of a byte: the byte itself, or its two digits.
    typealias Place = [(chunk: Int, place: Int)]

    struct Frame {
        var direction: Transcript.Direction
        /// The CAN identifier, or the address of the sender.
        var id: UInt32
        /// The data of a frame, or the payload of a diagnostic message.
        var bytes: [UInt8]
        var places: [Place]
        var kind: Kind
    }

    enum Kind {
        /// The data of a CAN frame.
        case can
        /// The payload of a service on DoIP.
        case diagnostic
        /// Bytes that identify a vehicle or a gateway.
        case identity
        /// Bytes that cannot be read.
        case damaged
    }

    /// The frames in the order in which they ended; nil for a recording of an adapter that writes text.
    static func read(_ transcript: Transcript) -> [Frame]? {
        guard let link = Link(transcript) else { return nil }
        var frames: [Frame] = []
        var waiting: [Transcript.Direction: [(byte: UInt8, chunk: Int, place: Int)]] = [:]
        for (index, chunk) in transcript.chunks.enumerated() {
            var bytes = waiting.removeValue(forKey: chunk.direction) ?? []
            bytes += chunk.bytes.enumerated().map { ($1, index, $0) }
            waiting[chunk.direction] = link.take(bytes, chunk.direction, isLast: false, &frames)
        }
        for (direction, bytes) in waiting {
            _ = link.take(bytes, direction, isLast: true, &frames)
        }
        return frames
    }

    /// The links whose bytes are not text of an adapter.
    private enum Link {
        case doip, slcan, records

        init?(_ transcript: Transcript) {
            let said = transcript.chunks.map(\.bytes)
            if transcript.isOfDoIP {
                self = .doip
            } else if said.contains(where: { bytes in
                bytes.split(separator: 0x0D).contains { SLCAN.frame(in: Array($0)) != nil }
            }) {
                self = .slcan
            } else if !said.isEmpty, said.contains(where: Self.isRecord) {
                self = .records
            } else {
                return nil
            }
        }

        /// Whether bytes begin with a record of SocketCAN: text has no zeros.
        private static func isRecord(_ bytes: [UInt8]) -> Bool {
            bytes.count >= CANRecord.length && bytes[4] <= 8
                && bytes[5..<8].allSatisfy { $0 == 0 }
        }

        /// Takes complete messages; returns the rest.
        func take(
            _ bytes: [(byte: UInt8, chunk: Int, place: Int)], _ direction: Transcript.Direction,
            isLast: Bool, _ frames: inout [Frame]
        ) -> [(byte: UInt8, chunk: Int, place: Int)] {
            var rest = bytes[...]
            while let count = length(rest, isLast: isLast), count > 0 {
                frames.append(frame(Array(rest.prefix(count)), direction))
                rest = rest.dropFirst(count)
            }
            return Array(rest)
        }

        /// The bytes of the next frame; nil until it is complete.
        private func length(
            _ rest: ArraySlice<(byte: UInt8, chunk: Int, place: Int)>, isLast: Bool
        ) -> Int? {
            guard !rest.isEmpty else { return nil }
            let all = isLast ? rest.count : nil
            switch self {
            case .records: return rest.count >= CANRecord.length ? CANRecord.length : all
            case .slcan:
                let end = rest.firstIndex { $0.byte == 0x0D || $0.byte == 0x07 || $0.byte == 0x0A }
                return end.map { $0 - rest.startIndex + 1 } ?? all
            case .doip:
                guard rest.count >= DoIPMessage.headLength else { return all }
                let head = rest.prefix(DoIPMessage.headLength).map(\.byte)
                // After bytes that are not a message nothing can be read.
                guard let count = DoIPHead(head)?.length else { return rest.count }
                let whole = DoIPMessage.headLength + count
                return rest.count >= whole ? whole : all
            }
        }

        private func frame(
            _ bytes: [(byte: UInt8, chunk: Int, place: Int)], _ direction: Transcript.Direction
        ) -> Frame {
            let values = bytes.map(\.byte)
            let places: [Place] = bytes.map { [($0.chunk, $0.place)] }
            func damaged(_ from: Int = 0) -> Frame {
                Frame(
                    direction: direction, id: 0, bytes: Array(values[min(from, values.count)...]),
                    places: Array(places[min(from, places.count)...]), kind: .damaged)
            }
            switch self {
            case .records:
                guard Self.isRecord(values) else { return damaged() }
                let id = values[0..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                let end = 8 + Int(values[4])
                return Frame(
                    direction: direction, id: id & 0x1FFF_FFFF, bytes: Array(values[8..<end]),
                    places: Array(places[8..<end]), kind: .can)
            case .slcan:
                var line = values
                while let last = line.last, last < 0x20 { line.removeLast() }
                guard let found = SLCAN.frame(in: line) else { return damaged() }
                let start = found.id.form == .can11 ? 5 : 10
                let digits = stride(from: start, to: start + 2 * found.data.count, by: 2)
                return Frame(
                    direction: direction, id: found.id.value, bytes: Array(found.data),
                    places: digits.map { places[$0] + places[$0 + 1] }, kind: .can)
            case .doip:
                let head = DoIPMessage.headLength
                guard values.count >= head, let found = DoIPHead(values[..<head]),
                    found.length == values.count - head
                else { return damaged() }
                var frame = damaged(head)
                let content = frame.bytes
                switch DoIPMessage(type: found.type, content: content) {
                case .diagnostic(let source, _, let payload):
                    frame = damaged(head + 4)
                    (frame.id, frame.bytes, frame.kind) = (UInt32(source), payload, .diagnostic)
                case .announcement, .identificationRequestByVIN, .identificationRequestByEID:
                    frame.kind = .identity
                case .headerRefused, .identificationRequest, .activationRequest, .activationAnswer,
                    .aliveCheck, .aliveAnswer, .entityStatusRequest, .entityStatus,
                    .powerModeRequest, .powerMode, .acknowledged, .refused:
                    (frame.bytes, frame.places) = ([], [])
                case .other, nil: break
                }
                return frame
            }
        }
    }
}
