public import OBDCore

extension DataID {
    /// The request for this record only: service and identifier.
    ///
    /// The identifier has one byte for OBD and two for data identifiers; service 02 adds frame 00. J1939 has
    /// no services: the request is the group's number, most significant byte first. There is no request for
    /// frames that ECUs send by themselves.
    public var requestPayload: [UInt8] {
        if service == Self.frames { return [] }
        if service == Self.parameterGroups {
            return [UInt8(id >> 16 & 0xFF), UInt8(id >> 8 & 0xFF), UInt8(id & 0xFF)]
        }
        var payload = [service.rawValue]
        if digits > 2 { payload.append(UInt8(truncatingIfNeeded: id >> 8)) }
        payload.append(UInt8(truncatingIfNeeded: id))
        if let shape = ServiceShape.of(service.rawValue) {
            payload += repeatElement(0, count: shape.selectorStep - shape.selectorWidth)
        }
        // Reports of numbers of codes need a status mask, which selects all codes.
        if service == .readCodeInformation, id != 0x03 { payload.append(0xFF) }
        return payload
    }

    /// Whether an ECU may be asked for the record; other records are only heard.
    public var isRequestable: Bool {
        let vehicleProtocol: VehicleProtocol? = service == Self.parameterGroups ? .j1939 : nil
        return VehicleRequest.isReadOnly(requestPayload, to: nil, on: vehicleProtocol)
    }

    /// Whether ECUs send the record by themselves: frames, and parameter groups of SAE J1939 except those whose
    /// request clears codes (DM3, DM11).
    public var isHeard: Bool {
        service == Self.frames
            || service == Self.parameterGroups && id <= 0x3_FFFF && id != 0xFECC && id != 0xFED3
    }

    /// Whether `message` is a positive answer to ``requestPayload`` and carries data.
    public func isAnswered(by message: ECUMessage) -> Bool {
        if service == Self.parameterGroups { return message.parameterGroup == id }
        if service == Self.frames { return false }
        if digits <= 2, service != .freezeFrame, service != .readCodeInformation {
            // The common case, which allocates no memory.
            return message.payload.count > 2 && message.payload[0] == service.positiveResponse
                && message.payload[1] == UInt8(truncatingIfNeeded: id)
        }
        let expected = requestPayload
        return message.payload.count > expected.count
            && message.payload[0] == service.positiveResponse
            && message.payload.dropFirst().starts(with: expected.dropFirst())
    }
}
