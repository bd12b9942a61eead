import OBDCore

/// Several data identifiers in one answer of UDS, of which at least one has a text without a length.
extension ResponseDecoder {
    /// The identifiers of `answer` and the positions of their data; nil unless exactly one way of splitting the
    /// answer gives requested identifiers only, and printable texts.
    ///
    /// The first byte of an identifier is F1 or more and never occurs in a text.
    func texts(in answer: Answer) -> [(did: UInt32, data: Range<Int>)]? {
        guard let request = answer.request, request.count > 3, request.count & 1 == 1 else {
            return nil
        }
        let asked = stride(from: 1, to: request.count, by: 2).map {
            UInt32(request[$0]) << 8 | UInt32(request[$0 + 1])
        }
        guard asked.contains(where: { isText($0, from: answer.ecu) }) else { return nil }
        var search = TextSearch(decoder: self, answer: answer)
        search.read(from: 1, asked, [])
        return search.found.count == 1 && search.budget > 0 ? search.found[0] : nil
    }

    /// Whether the data of an identifier are text that ends with the next identifier or with the answer.
    private func isText(_ did: UInt32, from ecu: ECUAddress?) -> Bool {
        identification(did, from: ecu) != nil || Self.infoLength(did) != nil
    }

    /// The length of one of the texts of SAE J1979-2; nil for any other identifier.
    private static func infoLength(_ did: UInt32) -> Int? {
        switch did {
        // VIN, calibration identification, calibration verification number, name of the ECU.
        case 0xF802: VIN.length
        case 0xF804: 16
        case 0xF806: 4
        case 0xF80A: 20
        default: nil
        }
    }

    mutating func appendText(
        _ answer: Answer, _ did: UInt32, _ data: Range<Int>, _ out: inout [DiagnosticItem]
    ) {
        if let record = identification(did, from: answer.ecu) {
            decodeIdentification(answer, did, record, data, &out)
        } else if Self.infoLength(did) != nil {
            appendInfoType(
                answer, infoType: did & 0xFF, DataID(.readData, did), data, count: .maybe, &out)
        } else {
            decodeIdentifier(answer, did, data, &out)
        }
    }

    /// A search through the possible ends of each text.
    private struct TextSearch {
        typealias Items = [(did: UInt32, data: Range<Int>)]

        let decoder: ResponseDecoder
        let answer: Answer
        var found: [Items] = []
        /// The remaining steps; far more than an answer needs, so that the search ends for a forged one.
        var budget = 4096

        mutating func read(from place: Int, _ asked: [UInt32], _ items: Items) {
            let payload = answer.payload
            budget -= 1
            guard budget > 0, found.count < 2 else { return }
            if place == payload.count {
                found.append(items)
                return
            }
            guard place + 2 < payload.count else { return }
            let did = UInt32(payload[place]) << 8 | UInt32(payload[place + 1])
            guard let index = asked.firstIndex(of: did) else { return }
            var rest = asked
            rest.remove(at: index)
            let start = place + 2
            for length in lengths(of: did, from: start) where start + length <= payload.count {
                let item = (did: did, data: start..<start + length)
                read(from: start + length, rest, items + [item])
            }
        }

        /// The possible lengths of the data of `did` that begin at `start`.
        private func lengths(of did: UInt32, from start: Int) -> [Int] {
            let payload = answer.payload
            if did == ResponseDecoder.vin { return [VIN.length] }
            if let record = decoder.identification(did, from: answer.ecu) {
                let isText = record.signals.contains {
                    decoder.table[SignalIndex(rawValue: $0)].kind == .text
                }
                let most =
                    isText
                    ? payload[start...].prefix { $0 == 0 || (0x20..<0x7F).contains($0) }.count
                    : payload.count - start
                return record.length.filter { $0 <= most }
            }
            if let length = ResponseDecoder.infoLength(did) {
                let isList = did == 0xF804 || did == 0xF806
                return isList
                    ? Array(stride(from: length, through: payload.count - start, by: length))
                    : [length]
            }
            if let record = decoder.record(ofDataIdentifier: did, from: answer.ecu) {
                return Array(record.length)
            }
            if did == ResponseDecoder.readinessOnUDS {
                return [ResponseDecoder.readinessOnUDSLength]
            }
            return ResponseDecoder.isSupportMap(did) ? [4] : []
        }
    }
}
