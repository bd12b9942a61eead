public import OBDCore

extension ResponseDecoder {
    /// Whether a message answers the requested service with other data than requested, or is not an answer of
    /// any service.
    ///
    /// No ECU sends such an answer: the request or the answer was damaged, or the answer belongs to another
    /// request. Answers of other services and SAE J1939 are not checked.
    public func isUnasked(_ message: ECUMessage, in exchange: Exchange) -> Bool {
        let payload = message.payload
        guard message.parameterGroup == nil, let request = exchange.request,
            let asked = request.first, asked != 0, let first = payload.first
        else { return false }
        // Every answer has bit 6 set (ISO 14229-1: the service plus 40, or 7F), and there is no service 00.
        if first & 0x40 == 0 || first == 0x40 { return true }
        guard request.count > 1, payload.count > 1, Service(asked).positiveResponse == first else {
            return false
        }
        switch payload[0] {
        case 0x41: return holdsUnasked(message, request, .pid, .currentData)
        case 0x42: return holdsUnasked(message, request, .pidAndFrame, .currentData)
        case 0x62: return holdsUnasked(message, request, .dataIdentifier, .readData)
        case 0x46: return !request.dropFirst().contains(payload[1])
        case 0x59: return request[1] & 0x7F != payload[1]
        case 0x45, 0x49, 0x5A, 0x61: return request[1] != payload[1]
        default: return false
        }
    }

    private func holdsUnasked(
        _ message: ECUMessage, _ request: [UInt8], _ layout: RecordSplitter.Layout,
        _ service: Service
    ) -> Bool {
        var splitter = RecordSplitter(message.payload, layout: layout, request: request)
        while true {
            let step = splitter.next { id in
                let record =
                    service == .readData
                    ? self.record(ofDataIdentifier: id, from: message.ecu)
                    : table.record(DataID(service, id), from: message.ecu)
                return record?.length
            }
            switch step {
            case .foreign: return true
            case .unknown(_, let wasAsked): return !wasAsked
            case .record: continue
            case .tooShort, .leftOver, .end: return false
            }
        }
    }
}
