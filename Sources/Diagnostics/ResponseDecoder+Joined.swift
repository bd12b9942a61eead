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
        guard message.ecu == nil, message.frames <= 1, payload.count > 3,
            payload[2...].contains(payload[0]), let kind = DecodedAnswer(rawValue: payload[0]),
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
            .codesByStatus, .codeInformation, .identification, .localData, .dataIdentifiers:
            return nil
        }
        guard starts.count > 1 else { return nil }
        let ends = starts.dropFirst() + [payload.count]
        return zip(starts, ends).map { start, end in
            var one = message
            one.payload = Array(payload[start..<end])
            return one
        }
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
