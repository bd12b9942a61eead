public import OBDCore

// Splits answers of several ECUs, or to several requests, that are in one line without headers.
extension ResponseDecoder {
    /// The answers in `message`; nil if it is a single answer.
    ///
    /// A frame has seven bytes, so PID 41 with its four data bytes does not fit after another record, and a
    /// list of codes ends after its count. If the service's answer byte is at such a position, it begins the
    /// next answer, whose line end was lost.
    public func joinedAnswers(_ message: ECUMessage, _ exchange: Exchange) -> [ECUMessage]? {
        let payload = message.payload
        guard message.ecu == nil, message.frames <= 1, message.parameterGroup == nil,
            payload.count > 3
        else { return nil }
        // Two values have six bytes and more, and beside a refusal of three bytes no value fits.
        if payload.count < 6, payload[0] == 0x41 { return nil }
        if let starts = startsBesideRefusals(payload, exchange) { return split(message, starts) }
        guard payload[2...].contains(payload[0]), let kind = DecodedAnswer(rawValue: payload[0]),
            // A requested identifier may be at any position.
            !(exchange.request?.dropFirst().contains(payload[0]) ?? false)
        else { return nil }
        let starts: [Int]
        switch kind {
        case .currentData, .freezeFrame:
            let header = ServiceShape.answering(with: payload[0])?.selectorStep ?? 1
            starts = startsOfRecords(payload, headerLength: header)
        case .monitorTests: starts = startsOfTests(payload)
        case .storedCodes, .pendingCodes, .permanentCodes: starts = startsOfLists(payload)
        case .codesCleared, .informationCleared, .oxygenSensorTests, .vehicleInformation,
            .codesByStatus, .codesByGroup, .statusOfCodes, .codeInformation, .identification,
            .localData, .dataIdentifiers:
            return nil
        }
        return starts.count > 1 ? split(message, starts) : nil
    }

    private func split(_ message: ECUMessage, _ starts: [Int]) -> [ECUMessage] {
        let payload = message.payload
        let ends = starts.dropFirst() + [payload.count]
        return zip(starts, ends).map { start, end in
            var one = message
            one.payload = Array(payload[start..<end])
            return one
        }
    }

    /// The starts of answers of which at least one is a refusal: `43 01 01 33 7F 03 11`; nil if there is none.
    ///
    /// A refusal has three bytes: 7F, the service and a code. The bytes before and after a refusal
    /// have to be whole answers of the same service.
    private func startsBesideRefusals(_ payload: [UInt8], _ exchange: Exchange) -> [Int]? {
        let refusal = Service.negativeResponse.rawValue
        guard payload.contains(refusal) else { return nil }
        let service = payload[0] == refusal ? payload[1] : payload[0] & ~0x40
        func isRefusal(at place: Int) -> Bool {
            place + 2 < payload.count && payload[place] == refusal
                && payload[place + 1] == service && NRC(payload[place + 2]).name != "unknown"
        }
        var starts: [Int] = []
        var place = 0
        while place < payload.count {
            starts.append(place)
            if isRefusal(at: place) {
                place += 3
                continue
            }
            guard payload[place] == service | 0x40 else { return nil }
            let ends = (place + 1...payload.count).filter { end in
                (end == payload.count || isRefusal(at: end))
                    && isWhole(Array(payload[place..<end]), exchange)
            }
            // The rest after a refusal need no proof, because it begins with its own service.
            guard let end = ends.last ?? (place > 0 ? payload.count : nil) else { return nil }
            place = end
        }
        return starts.count > 1 ? starts : nil
    }

    /// Whether `payload` is a whole positive answer by the structure of its service.
    private func isWhole(_ payload: [UInt8], _ exchange: Exchange) -> Bool {
        guard payload.count > 1 else { return [0x44, 0x54].contains(payload.first) }
        switch DecodedAnswer(rawValue: payload[0]) {
        case .currentData, .freezeFrame, .dataIdentifiers:
            return lengthsFill(payload)
        case .storedCodes, .pendingCodes, .permanentCodes:
            let isCounted = payload.count == 2 + 2 * Int(payload[1])
            guard let family = exchange.family ?? evidence.family else {
                // Three codes of which the last two look like a refusal are not a refusal.
                return isCounted || payload.count == 7 && payload[4] != 0x7F
                    || startsOfLists(payload).count > 1
            }
            if family.isLegacy { return payload.count == 7 }
            return isCounted || startsOfLists(payload).count > 1
        case .codesByStatus, .statusOfCodes: return payload.count == 2 + 3 * Int(payload[1])
        case .codesByGroup: return payload.count == 2 + 2 * Int(payload[1])
        case .codeInformation: return isWholeReport(payload)
        case .monitorTests: return payload.count == 7 || payload.count % 9 == 1
        case .oxygenSensorTests, .vehicleInformation, .codesCleared, .informationCleared,
            .identification, .localData, nil:
            return false
        }
    }

    /// Whether records of known lengths fill an answer.
    private func lengthsFill(_ payload: [UInt8]) -> Bool {
        let isUDS = payload[0] == 0x62
        let frame = payload[0] == 0x42 ? 1 : 0
        var place = 1
        while place < payload.count {
            guard !isUDS || place + 1 < payload.count else { return false }
            let id =
                isUDS
                ? DataID(.readData, UInt32(payload[place]) << 8 | UInt32(payload[place + 1]))
                : DataID(.currentData, UInt32(payload[place]))
            guard let record = table.recordPlace(id, from: nil) else { return false }
            let length = table.records[record].length
            guard length.lowerBound == length.upperBound else { return false }
            place += (isUDS ? 2 : 1) + frame + length.lowerBound
        }
        return place == payload.count
    }

    /// The starts of answers with records of known lengths.
    private func startsOfRecords(_ payload: [UInt8], headerLength: Int) -> [Int] {
        var starts = [0]
        var place = 1
        while place < payload.count {
            if payload[place] == payload[0], place > (starts.last ?? 0) + 1 {
                starts.append(place)
                place += 1
                continue
            }
            let id = DataID(.currentData, UInt32(payload[place]))
            guard let record = table.recordPlace(id, from: nil) else { break }
            let length = table.records[record].length
            guard length.lowerBound == length.upperBound else { break }
            place += headerLength + length.lowerBound
        }
        return starts
    }

    /// The starts of answers of service 06.
    ///
    /// On CAN a test has nine bytes. Before CAN each answer has seven, and all are for the requested test.
    private func startsOfTests(_ payload: [UInt8]) -> [Int] {
        let legacy = Array(stride(from: 0, to: payload.count, by: 7))
        if payload.count.isMultiple(of: 7),
            legacy.allSatisfy({ payload[$0..<$0 + 2] == payload[..<2] })
        {
            return legacy
        }
        var starts = [0]
        var place = 1
        while place + 9 <= payload.count {
            place += 9
            guard place < payload.count, payload[place] == payload[0] else { continue }
            starts.append(place)
            place += 1
        }
        return place == payload.count ? starts : [0]
    }

    /// The starts of lists of codes that include their count: `43 00 43 01 01 33`.
    private func startsOfLists(_ payload: [UInt8]) -> [Int] {
        var starts: [Int] = []
        var place = 0
        while place + 1 < payload.count, payload[place] == payload[0] {
            starts.append(place)
            place += 2 + 2 * Int(payload[place + 1])
        }
        return place == payload.count ? starts : [0]
    }
}
