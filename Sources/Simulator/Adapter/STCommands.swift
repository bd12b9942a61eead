import OBDCore

/// A long request whose bytes are typed after `DATA>`.
struct STNRequest: Sendable {
    /// The other arguments of STPX.
    var special: SimulatedAdapter.RequestOptions
    /// The number of hexadecimal digits that are missing.
    var digitsLeft: Int
    /// Digits typed so far.
    var digits: [UInt8] = []
}

/// The ST commands of an OBDLink.
extension SimulatedAdapter {
    /// Runs the text after `ST`.
    mutating func runST(_ text: String, at now: Instant) {
        guard let link = personality.obdLink else {
            reply(["?"], at: now)
            return
        }
        switch text {
        case "I": reply([link.firmware], at: now)
        case "IX": reply([link.firmware + " [2023.06.14]"], at: now)
        case "DI": reply([link.device], at: now)
        case "MFR": reply([link.maker], at: now)
        case "SN": reply([link.serialNumber], at: now)
        case "VR": reply([voltageText(digits: 2, at: now)], at: now)
        case "PR": reply([presetNumber.map(String.init) ?? "0"], at: now)
        case "PC":
            connected = nil
            reply(["OK"], at: now)
        case "PO":
            if let ready = open(at: now) { reply(["OK"], at: ready) }
        case "FA", "FAC", "FCA", "FPC", "FCP":
            passFilters = []
            reply(["OK"], at: now)
        default: runST(valued: text, at: now)
        }
    }

    private mutating func runST(valued text: String, at now: Instant) {
        if text.hasPrefix("PX") {
            transmit(text.dropFirst(2), at: now)
        } else if let rate = Self.number(text, after: "BR") ?? Self.number(text, after: "SBR") {
            changeRate(rate, says: personality.obdLink?.firmware ?? "", now)
        } else if let frames = Self.number(text, after: "MA") ?? (text == "MA" ? 0 : nil) {
            startMonitoring(passing: nil, frames: frames == 0 ? nil : frames, at: now)
        } else if let frames = Self.number(text, after: "M") ?? (text == "M" ? 0 : nil) {
            startMonitoring(passing: passFilters, frames: frames == 0 ? nil : frames, at: now)
        } else if text.hasPrefix("FPA") || text.hasPrefix("FAP") {
            reply([addFilter(text.dropFirst(3)) ? "OK" : "?"], at: now)
        } else {
            reply([setST(text) ? "OK" : "?"], at: now)
        }
    }

    private mutating func setST(_ text: String) -> Bool {
        if let digits = Self.number(text, after: "CSEGR"), digits < 2 {
            settings.joinsFrames = digits == 1
        } else if let digits = Self.number(text, after: "CSEGT"), digits < 2 {
            settings.splitsRequests = digits == 1
        } else if let time = Self.number(text, after: "PTO"), time <= 65_535 {
            settings.requestTimeout = .milliseconds(time)
        } else if let preset = Self.number(text, after: "P") {
            guard let chosen = Self.presets[preset] else { return false }
            settings.chosen = chosen
            settings.automatic = false
            settings.header = nil
            connected = nil
        } else {
            // Accepted, but without effect on this vehicle.
            return ["CMM", "UIL", "IAT", "PTOT", "PTRQ", "CTOR", "CSTM", "BRT"].contains {
                Self.number(text, after: $0) != nil
            }
        }
        return true
    }

    private static let presets: [Int: VehicleProtocol] = [
        11: .j1850PWM, 12: .j1850VPW, 22: .iso9141, 24: .iso14230Slow, 25: .iso14230Fast,
        33: .can11At500, 34: .can29At500, 35: .can11At250, 36: .can29At250,
        42: .j1939,
    ]

    private var presetNumber: Int? {
        let current = connected ?? settings.chosen
        return Self.presets.first { $0.value == current }?.key
    }

    private mutating func addFilter(_ text: Substring) -> Bool {
        let parts = text.split(separator: ",").map { part in
            Hex.bytes(part.utf8.count.isMultiple(of: 2) ? String(part) : "0" + part)
        }
        guard parts.count == 2, let pattern = parts[0], let mask = parts[1],
            pattern.count == mask.count, pattern.count <= 5, passFilters.count < 32
        else { return false }
        passFilters.append((pattern, mask))
        return true
    }

    /// STPX: `H:7E0,D:010C,T:100,R:1`, or with `L:` and the bytes typed afterwards.
    private mutating func transmit(_ text: Substring, at now: Instant) {
        var special = RequestOptions(long: true, countsMessages: true)
        var data: [UInt8]?
        var length: Int?
        for item in text.split(separator: ",") {
            let halves = item.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                reply(["?"], at: now)
                return
            }
            let value = String(halves[1])
            switch halves[0] {
            case "H": special.header = UInt32(value, radix: 16)
            case "D": data = Hex.bytes(value)
            case "T": special.timeout = Int(value).map { .milliseconds(min(65_535, max(0, $0))) }
            case "R": special.answers = Int(value)
            case "L": length = Int(value)
            default: break
            }
        }
        if let data, !data.isEmpty, data.count <= 4095 {
            send(data, special, at: now)
        } else if let length, (1...4095).contains(length), data == nil {
            output.append(Array("DATA>".utf8), at: now + commandTime)
            activity = .takingData(STNRequest(special: special, digitsLeft: length * 2))
        } else {
            reply(["?"], at: now)
        }
    }

    /// Takes one character of the bytes after `DATA>`.
    mutating func take(_ byte: UInt8, of request: STNRequest, at now: Instant) {
        var request = request
        if Hex.value(byte) != nil {
            request.digits.append(byte)
            request.digitsLeft -= 1
        } else if byte != 0x20 && byte != 0x0D {
            reply(["?"], at: now)
            return
        }
        if settings.echo { output.append([byte], at: now) }
        guard request.digitsLeft == 0 else {
            activity = .takingData(request)
            return
        }
        if settings.echo { output.append(lineEnd, at: now) }
        let data = Hex.bytes(String(decoding: request.digits, as: UTF8.self)) ?? []
        send(data, request.special, at: now)
    }

    /// The decimal number after `name`; nil if `text` has anything else.
    private static func number(_ text: String, after name: String) -> Int? {
        guard text.hasPrefix(name) else { return nil }
        let digits = text.dropFirst(name.count)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(digits)
    }
}
