import Adapters
import OBDCore

/// Removes answers that identify a vehicle from a recorded conversation.
///
/// This includes answers that could not be decoded, because they contain the same personal data.
package struct IdentityAnswers {
    /// The first digits of the requests.
    ///
    /// The answers have the VIN and serial numbers of service 09, of ISO 14229-1, of SAE J1979-2, of ISO
    /// 14230-3, and the VIN of SAE J1939.
    private static let requests = [
        "0902", "090D", "22F190", "22F18C", "22F802", "22F80D", "1A90", "00FEEC", "ECFE00",
    ]
    /// The number of digits in an answer before the personal data.
    private static let markers: [(digits: [UInt8], kept: Int)] = [
        ("4902", 6), ("490D", 6), ("62F190", 6), ("62F18C", 6), ("62F802", 6), ("62F80D", 6),
        ("5A90", 4),
    ].map { (Array($0.0.utf8), $0.1) }
    /// Bytes without personal data: the substitute of ``Redaction``, and fill bytes of frames.
    private static let harmless: Set<[UInt8]> = Set(
        ["58", "00", "55", "AA", "CC", "FF"].map { Array($0.utf8) })

    /// `transcript` without the secrets of `redaction` and without identities of the vehicle, for any kind of
    /// link.
    ///
    /// Bytes keep their number and their places.
    package static func removed(
        from transcript: Transcript, _ redaction: Redaction
    ) -> Transcript {
        var result = redaction.applied(to: transcript)
        guard let frames = CarriedFrames.read(transcript) else { return blanked(in: result) }
        var identity = CarriedIdentity(requests: requests, markers: markers)
        for frame in frames { identity.take(frame) }
        for place in identity.places(redaction) { substitute(place, in: &result) }
        return result
    }

    /// The texts that identify the vehicle, as far as answers on a link without adapter text hold them
    /// whole.
    package static func secrets(in transcript: Transcript) -> [String] {
        guard let frames = CarriedFrames.read(transcript) else { return [] }
        var identity = CarriedIdentity(requests: requests, markers: markers)
        for frame in frames { identity.take(frame) }
        return identity.texts
    }

    private static func substitute(_ place: CarriedFrames.Place, in transcript: inout Transcript) {
        let bytes: [UInt8] =
            place.count == 2 ? Array("58".utf8) : [UInt8(ascii: "X")]
        for (byte, spot) in zip(bytes, place)
        where transcript.chunks[spot.chunk].bytes[spot.place] >= 0x20 || place.count == 1 {
            transcript.chunks[spot.chunk].bytes[spot.place] = byte
        }
    }

    /// `transcript` of an adapter that writes text, with answers to such requests blanked.
    ///
    /// The answers then contain only the substitutes of ``Redaction`` and bytes that all vehicles share.
    package static func blanked(in transcript: Transcript) -> Transcript {
        var result = transcript
        var command: [UInt8] = []
        var isAsked = false
        /// Chunk and position of each byte of the current line.
        var line: [(chunk: Int, place: Int)] = []
        for (chunk, said) in transcript.chunks.enumerated() {
            for (place, byte) in said.bytes.enumerated() {
                switch said.direction {
                case .toAdapter:
                    if byte == 0x0D {
                        let digits = String(decoding: command, as: UTF8.self)
                        isAsked = requests.contains { digits.hasPrefix($0) }
                        command = []
                    } else if byte > 0x20 {
                        command.append(upper(byte))
                    }
                case .fromAdapter:
                    if byte == 0x0D || byte == 0x0A || byte == UInt8(ascii: ">") {
                        if isAsked { blank(line, in: &result) }
                        line = []
                    } else {
                        line.append((chunk, place))
                    }
                }
            }
        }
        if isAsked { blank(line, in: &result) }
        return result
    }

    private static func blank(_ line: [(chunk: Int, place: Int)], in transcript: inout Transcript) {
        let places = line.filter { transcript.chunks[$0.chunk].bytes[$0.place] > 0x20 }
        let text = places.map { upper(transcript.chunks[$0.chunk].bytes[$0.place]) }
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
        // Messages of the adapter contain few digits; a line of data may contain a damaged
        // character.
        guard text.count(where: { (0x30...0x39).contains($0) }) >= 4 else { return }
        let start = kept(of: text, colon: colon)
        guard start < text.count else { return }
        let isFrameBeforeCAN = colon == nil && text.count.isMultiple(of: 2) && !isLong(text)
        let pairs = stride(from: start, to: text.count, by: 2).map {
            Array(text[$0..<min($0 + 2, text.count)])
        }
        let strange = pairs.indices.filter { !harmless.contains(pairs[$0]) }
        // A frame before CAN ends with its checksum.
        guard !strange.isEmpty, !(isFrameBeforeCAN && strange == [pairs.count - 1]) else { return }
        for index in start..<text.count where Hex.value(text[index]) != nil {
            let digit: UInt8 = (index - start).isMultiple(of: 2) ? 0x35 : 0x38
            transcript.chunks[places[index].chunk].bytes[places[index].place] = digit
        }
    }

    /// The number of characters for the source and the kind of data in a line.
    private static func kept(of text: [UInt8], colon: Int?) -> Int {
        for (digits, kept) in markers where text.count >= digits.count {
            for start in 0...(text.count - digits.count)
            where text[start..<start + digits.count].elementsEqual(digits) {
                return start + kept
            }
        }
        if let colon { return colon + 1 }
        // The length of a message comes before its numbered lines.
        if text.count <= 3 { return text.count }
        // Identifier and control byte, or the control byte alone.
        if isLong(text) { return 10 }
        return text.count.isMultiple(of: 2) ? 2 : 5
    }

    /// Whether the line begins with a 29-bit identifier.
    private static func isLong(_ text: [UInt8]) -> Bool {
        text.starts(with: Array("18DA".utf8)) || text.starts(with: Array("18EC".utf8))
            || text.starts(with: Array("18FE".utf8)) || text.starts(with: Array("1CEB".utf8))
            || text.starts(with: Array("18EB".utf8))
    }

    private static func upper(_ byte: UInt8) -> UInt8 {
        (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
    }
}
