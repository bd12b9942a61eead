/// Service 09 and the UDS services for identification, sessions and data.
extension SimulatedECU {
    /// Vehicle information: complete on CAN; before CAN in numbered parts of four bytes.
    func vehicleInformation(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard let type = data.first, data.count <= (request.isCAN ? 6 : 1) else {
            return .refusal(0x13)
        }
        if data.allSatisfy({ $0 & 0x1F == 0 }) {
            return infoTypeMaps(data, request)
        }
        guard data.count == 1 else { return .refusal(0x12) }
        if !request.isCAN, type & 1 == 1, type < 0x0A,
            let parts = information(type + 1).map({ legacyParts(type + 1, $0) })
        {
            return .messages([[0x49, type, UInt8(parts.count)]])
        }
        guard let items = information(type) else { return .refusal(0x12) }
        if request.isCAN {
            return .messages([[0x49, type, UInt8(items.count)] + items.flatMap { $0 }])
        }
        return .messages(legacyParts(type, items))
    }

    private func infoTypeMaps(_ bases: [UInt8], _ request: ECURequest) -> ECUAnswer {
        var types = infoTypes
        if !request.isCAN {
            types = types.filter { $0 != 0x0B }.flatMap { [$0 - 1, $0] }
            guard bases == [0], let map = map(types, above: 0) else { return .refusal(0x12) }
            return .messages([[0x49, 0x00, 0x01] + map])
        }
        let answer = bases.reduce(into: [0x49] as [UInt8]) { answer, base in
            if let map = map(types, above: base) { answer += [base] + map }
        }
        return answer.count > 1 ? .messages([answer]) : .refusal(0x12)
    }

    var infoTypes: [UInt8] {
        ([0x02, 0x04, 0x06, 0x08, 0x0A, 0x0B] as [UInt8]).filter { information($0) != nil }
    }

    /// The items of an info type, each with its fixed length; nil if it is not supported.
    func information(_ type: UInt8) -> [[UInt8]]? {
        switch type {
        case 0x02: model.vin.map { [Array($0.utf8)] }
        case 0x04: model.calibrations.map { Self.padded($0, to: 16) }
        case 0x06: model.verification.map { Self.bytes($0) }
        case 0x08:
            model.inUse.isEmpty || model.readiness.compression
                ? nil : model.inUse.map { Self.bytes($0) }
        case 0x0A:
            [Self.padded(model.acronym, to: 4) + [0x2D] + Self.padded(model.name, to: 15)]
        case 0x0B:
            model.inUse.isEmpty || !model.readiness.compression
                ? nil : model.inUse.map { Self.bytes($0) }
        default: nil
        }
    }

    /// Messages `49 type n` with four bytes each; a VIN is padded with zeros at the start.
    private func legacyParts(_ type: UInt8, _ items: [[UInt8]]) -> [[UInt8]] {
        var bytes = items.flatMap { $0 }
        if type == 0x02 { bytes = [0, 0, 0] + bytes }
        return stride(from: 0, to: bytes.count, by: 4).enumerated().map { number, start in
            [0x49, type, UInt8(truncatingIfNeeded: number + 1)]
                + (start..<(start + 4)).map { $0 < bytes.count ? bytes[$0] : 0 }
        }
    }

    /// UDS ReadDataByIdentifier: one or more data identifiers.
    func dataByIdentifier(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard !data.isEmpty, data.count.isMultiple(of: 2) else { return .refusal(0x13) }
        var answer: [UInt8] = [0x62]
        for start in stride(from: 0, to: data.count, by: 2) {
            let did = UInt32(data[start]) << 8 | UInt32(data[start + 1])
            guard let bytes = identified(did, request.state) else { continue }
            answer += [data[start], data[start + 1]] + bytes
        }
        return answer.count > 1 ? .messages([answer]) : .refusal(0x31)
    }

    private func identified(_ did: UInt32, _ state: VehicleState) -> [UInt8]? {
        switch did {
        case 0xF186: return [session]
        case 0xF190: return model.vin.map { Array($0.utf8) }
        case 0xF197: return Array((model.acronym + "-" + model.name).utf8)
        case 0xF194: return model.calibrations.first.map { Array($0.utf8) }
        default: return model.identifiers.first { $0.id == did }?.bytes(state)
        }
    }

    /// UDS DiagnosticSessionControl: default and extended session.
    mutating func sessionControl(_ data: [UInt8]) -> ECUAnswer {
        guard data.count == 1 else { return .refusal(0x13) }
        let type = data[0] & 0x7F
        guard type == 0x01 || type == 0x03 else { return .refusal(0x12) }
        session = type
        // P2 50 ms, P2* 5000 ms in steps of 10 ms.
        return data[0] & 0x80 == 0 ? .messages([[0x50, type, 0x00, 0x32, 0x01, 0xF4]]) : .silence
    }

    /// TesterPresent, which is answered unless the request suppresses the answer.
    func testerPresent(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        if !request.isCAN && data.isEmpty { return .messages([[0x7E]]) }
        guard data.count == 1 else { return .refusal(0x13) }
        guard data[0] & 0x7F == 0 else { return .refusal(0x12) }
        return data[0] & 0x80 == 0 ? .messages([[0x7E, 0x00]]) : .silence
    }

    /// ASCII text, cut to `count` bytes or padded with zeros at the end.
    private static func padded(_ text: String, to count: Int) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(count))
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }
}
