/// The addresses to which requests may be sent without consent, because they only carry diagnostics.
///
/// Below 700, the same 11-bit identifier is a diagnostic address in one make and normal traffic in another:
/// 6B4 is the request address of a battery in a Stellantis car and carries the VIN in a Volkswagen. ECUs
/// would mistake a frame with such an identifier for data from another ECU.
public struct DiagnosticAddressRule: Hashable, Sendable {
    /// The identifiers in the form for people: `700–7E7`.
    public var identifiers: String
    /// The purpose of the identifiers, with its source.
    public var reason: String
    /// The form of the identifiers.
    public var form: ECUAddress.Form
    private var ranges: [ClosedRange<UInt32>]
    /// The bits of an identifier that are not compared, because they are the ECU's address.
    private var ignored: UInt32

    private init(
        _ identifiers: String, _ form: ECUAddress.Form, _ ranges: [ClosedRange<UInt32>],
        ignored: UInt32 = 0, _ reason: String
    ) {
        self.identifiers = identifiers
        self.form = form
        self.ranges = ranges
        self.ignored = ignored
        self.reason = reason
    }

    /// The rules for CAN.
    ///
    /// Before CAN, every frame with a tester's header is diagnostics. On DoIP, every message of that type is.
    public static let all: [DiagnosticAddressRule] = [
        DiagnosticAddressRule(
            "700–7E7, 7F0–7FF", .can11, [0x700...0x7E7, 0x7F0...0x7FF],
            "ISO 15765-4 asks at 7DF and 7E0 to 7E7, makers at the others; 7E8 to 7EF are answers"),
        DiagnosticAddressRule(
            "6F1", .can11, [0x6F1...0x6F1],
            "BMW's tester, with the ECU's address in the first data byte"),
        DiagnosticAddressRule(
            "18DAxxF1, 18DAxxF9", .can29, [0x18DA_00F1...0x18DA_00F1, 0x18DA_00F9...0x18DA_00F9],
            ignored: 0xFF00, "ISO 15765-2 and -4: one ECU, from a tester (F1; F9 on SAE J1939)"),
        DiagnosticAddressRule(
            "18DBxxF1, 18DBxxF9", .can29, [0x18DB_00F1...0x18DB_00F1, 0x18DB_00F9...0x18DB_00F9],
            ignored: 0xFF00, "the same for groups of ECUs; 18DB33F1 is OBD"),
        DiagnosticAddressRule(
            "14DAxxF1", .can29, [0x14DA_00F1...0x14DA_00F1], ignored: 0xFF00,
            "General Motors since about 2020: one ECU, from a tester; 142AF1xx answers"),
        DiagnosticAddressRule(
            "17FC00xx", .can29, [0x17FC_0000...0x17FC_00FF],
            "Volkswagen; SAE J1939-21 leaves identifiers with both page bits set to ISO 15765-3"),
        DiagnosticAddressRule(
            "1DD0xxxx", .can29, [0x1DD0_0000...0x1DD0_0000], ignored: 0xFFFF,
            "Volvo and Zeekr (platform SPA), from a tester; 1ECxxxxx and 1EExxxxx answer"),
    ]

    fileprivate func contains(_ value: UInt32) -> Bool {
        let compared = value & ~ignored
        return ranges.contains { $0.contains(compared) }
    }
}

extension ECUAddress {
    /// Whether this is an address for diagnostic requests; see ``DiagnosticAddressRule``.
    public var isDiagnosticRequest: Bool {
        switch form {
        case .byte: return true
        case .logical: return isLogicalECU || isLogicalGroup
        // The rules contain these, too, and nearly every request is for one of them.
        case .can11, .can29: if isUsualRequest { return true }
        }
        return DiagnosticAddressRule.all.contains { $0.form == form && $0.contains(value) }
    }

    /// Whether the request address of an ECU that answers from this one only carries diagnostics.
    public var isAskedForDiagnostics: Bool { physicalRequest.isDiagnosticRequest }

    /// Where ECUs that expect the other form of addressing look for the protocol control byte; nil if there
    /// are none.
    ///
    /// At 6F1 every ECU expects its address in the first data byte. At 750 some makes' ECUs do. At any other
    /// identifier they do only if this request does.
    private var otherControlByte: Int? {
        switch (form, extended) {
        case (.byte, _), (.logical, _): nil
        case (_, nil): value == 0x6F1 || value == 0x750 ? 1 : nil
        case (_, _?): value == 0x6F1 ? nil : 0
        }
    }

    /// Whether requests should fit into one frame, because ECUs may read the next frames in another way.
    public var hasTwoReadings: Bool { otherControlByte != nil }

    /// Whether a request that only reads at the usual address only reads at this address, too, for every ECU
    /// that receives the request.
    ///
    /// A frame has different meanings with and without an address byte: `[01] 04 22 F1 90 00` is a request of
    /// four bytes to ECU 01, or a request of a single byte, 04, which clears codes. The second frame of
    /// `22 F1 90 F1 91 F1 01 04 00` is `21 01 04 00`: 04 for ECU 21. Each frame of the request, and the flow
    /// control for its answer, has to read in both forms.
    public func takes(_ payload: [UInt8]) -> Bool {
        guard isDiagnosticRequest else { return false }
        guard form != .byte, form != .logical else { return extended == nil }
        guard let place = otherControlByte else { return true }
        // Without the address byte, flow control would be a request with the service 30.
        if let extended, extended >> 4 == 0 { return false }
        let frames = Self.frames(of: payload, extended)
        return frames.allSatisfy {
            Self.reads($0.dropFirst(place), isAlone: frames.count == 1)
        }
    }

    /// Whether ECUs only read when they receive a frame with this address and these data, in any form of
    /// addressing.
    public func takes(frame data: [UInt8]) -> Bool {
        guard isDiagnosticRequest else { return false }
        let own = data.dropFirst(extended == nil ? 0 : 1)
        guard value != 0x6F1 || extended != nil || form != .can11 else {
            return Self.reads(data.dropFirst(1), isAlone: false)
        }
        guard Self.reads(own, isAlone: false) else { return false }
        guard let place = otherControlByte else { return true }
        return Self.reads(data.dropFirst(place), isAlone: (own.first ?? 0) >> 4 == 0)
    }

    /// The data of the frames of a request (ISO 15765-2), without padding.
    private static func frames(of payload: [UInt8], _ extended: UInt8?) -> [[UInt8]] {
        let address = extended.map { [$0] } ?? []
        let room = 7 - address.count
        if payload.count <= room { return [address + [UInt8(payload.count)] + payload] }
        let length = [0x10 | UInt8(payload.count >> 8 & 0x0F), UInt8(payload.count & 0xFF)]
        var frames = [address + length + Array(payload.prefix(room - 1))]
        for (number, place) in stride(from: room - 1, to: payload.count, by: room).enumerated() {
            let control = 0x20 | UInt8((number + 1) & 0x0F)
            frames.append(address + [control] + payload[place..<min(payload.count, place + room)])
        }
        return frames
    }

    /// Whether an ECU only reads that finds the protocol control byte at the beginning of `data`.
    ///
    /// A frame that `isAlone` in its own form cannot begin a long request in the other form: no request that
    /// reads would continue it.
    private static func reads(_ data: ArraySlice<UInt8>, isAlone: Bool) -> Bool {
        guard let control = data.first else { return true }
        let rest = data.dropFirst()
        switch control >> 4 {
        case 0:
            let length = Int(control & 0x0F)
            // Padding may have any value.
            return length == 0 || VehicleRequest.isReadOnly(Array(rest.prefix(length)))
        case 1:
            return isAlone
                || rest.dropFirst().first.flatMap(ServiceShape.of)?.reading == .always
        default: return true
        }
    }
}
