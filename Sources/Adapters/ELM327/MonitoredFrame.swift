import OBDCore
import VehicleLink

/// One line of `AT MA` or `STM`: a frame of whatever bus is monitored.
package struct MonitoredFrame: Hashable, Sendable {
    /// The CAN identifier, or the source byte before CAN; nil if headers are off.
    package var id: ECUAddress?
    /// The data field, or before CAN the whole frame.
    package var data: [UInt8]

    private init(id: ECUAddress?, data: [UInt8]) {
        self.id = id
        self.data = data
    }

    /// Reads a line; nil if it is not a frame.
    ///
    /// `isLong` = the lines before had identifiers of 29 bits; a check byte may fit by chance.
    package init?(
        _ line: HexLine, settings: ELM327Settings, fallback: VehicleProtocol?, isLong: Bool = false
    ) {
        let known = settings.vehicleProtocol ?? fallback
        if known?.family == .j1939, settings.headers != false, line.groups == 1, line.count >= 8 {
            self.init(joined: line, settings: settings)
        } else if line.groups == 1, settings.showsLength == true, settings.headers != false,
            known.map({ $0.family == .can }) ?? true
        {
            // An identifier of three or eight digits, followed by one digit of length.
            let isShort = line.count & 1 == 0
            self.init(line, isShort ? .can11 : .can29, digits: isShort ? 3 : 8, showsLength: true)
        } else if line.groups > 1, line.length(0) == 3 {
            let showsLength = line.length(1) == 1
            guard line.oddAfterTwo == 0, showsLength || line.length(1) & 1 == 0 else { return nil }
            self.init(line, .can11, digits: 3, showsLength: showsLength)
        } else if line.groups == 1, line.count & 1 == 1, line.count >= 3,
            known?.addressForm != .can29 || settings.showsLength != true
        {
            self.init(line, .can11, digits: 3, showsLength: false)
        } else if line.groups > 4, line.length(4) == 1, line.oddAfterFive == 0 {
            self.init(line, .can29, digits: 8, showsLength: true)
        } else if line.length(0) == 1, line.length(1) == 5, line.length(2) == 2 {
            let showsLength = line.length(3) == 1
            guard line.oddAfterTwo == (showsLength ? 1 : 0) else { return nil }
            self.init(formatted: line, showsLength: showsLength)
        } else {
            guard line.isWholeBytes else { return nil }
            self.init(bytes: line, settings: settings, known: known, isLong: isLong)
        }
    }

    /// Reads a SAE J1939 frame without blanks; an odd number of digits means a length after the header.
    private init?(joined line: HexLine, settings: ELM327Settings) {
        let showsLength = line.count & 1 != 0
        if settings.formatsJ1939Headers ?? (line.digit(0) > 1) {
            self.init(formatted: line, showsLength: showsLength)
        } else {
            self.init(line, .can29, digits: 8, showsLength: showsLength)
        }
    }

    /// Reads a SAE J1939 frame in the form of priority, parameter group and source.
    private init?(formatted line: HexLine, showsLength: Bool) {
        let start = showsLength ? 9 : 8
        guard line.digit(0) <= 7, line.count >= start,
            (line.count - start) / 2 <= ISO15765.frameLength
        else { return nil }
        let value = UInt32(line.digit(0)) << 26 | line.number(1, 5) << 8 | UInt32(line.byte(6))
        self.init(
            id: ECUAddress(value & 0x1FFF_FFFF, .can29), data: line.array(from: start, length: 8))
        if showsLength, Int(line.digit(8)) != data.count { return nil }
    }

    /// Reads `7E8 RTR`, a remote frame, which requests another frame and has no data: an identifier, perhaps a
    /// data length code, and the word; `line` gets the digits.
    package init?(remote text: Span<UInt8>, _ line: inout HexLine) {
        guard let end = AdapterWords.position(of: "RTR", in: text), end > 0,
            AdapterWords.end(of: "RTR", in: text, at: end) == text.count,
            line.scan(text.extracting(..<end))
        else { return nil }
        let isShort = line.count == 3 || line.count == 4
        let digits = isShort ? 3 : 8
        guard line.segment == nil, line.count == digits || line.count == digits + 1 else {
            return nil
        }
        let value = line.number(0, digits)
        guard value < (isShort ? 0x800 : 0x2000_0000) else { return nil }
        self.init(id: ECUAddress(value, isShort ? .can11 : .can29), data: [])
    }

    /// Reads an identifier with this many digits, an optional data length code, and a data field.
    private init?(_ line: HexLine, _ form: ECUAddress.Form, digits: Int, showsLength: Bool) {
        let value = line.number(0, digits)
        let start = digits + (showsLength ? 1 : 0)
        guard line.count >= start, value < (form == .can11 ? 0x800 : 0x2000_0000),
            (line.count - start) / 2 <= ISO15765.frameLength
        else { return nil }
        self.init(
            id: ECUAddress(value, form),
            data: line.array(from: start, length: ISO15765.frameLength))
        if showsLength, Int(line.digit(digits)) != data.count { return nil }
    }

    /// Reads a line of whole bytes: a 29-bit identifier, a frame of a protocol before CAN, or data only.
    private init?(
        bytes line: HexLine, settings: ELM327Settings, known: VehicleProtocol?, isLong: Bool
    ) {
        let count = line.count / 2
        let bytes = line.bytes(from: 0)
        self.init(id: nil, data: Array(bytes))
        if settings.headers == false { return }
        let isLegacy: Bool
        if let known {
            isLegacy = known.family.isLegacy
        } else {
            isLegacy =
                count >= 5 && !isLong
                && (Checksum.sum(bytes.dropLast()) == bytes[count - 1]
                    || J1850.crcIndex(in: bytes, inFrameResponse: false) != nil)
        }
        if isLegacy {
            guard count >= 5 else { return }
            if let known, !Self.isSound(bytes, known) { return nil }
            let source =
                known?.family == .iso14230 ? ISO14230.Layout(bytes)?.source : bytes[2]
            id = source.map { ECUAddress(UInt32($0), .byte) }
        } else if (4...12).contains(count), line.number(0, 8) < 0x2000_0000 {
            id = ECUAddress(line.number(0, 8), .can29)
            data = line.array(from: 8, length: ISO15765.frameLength)
        }
    }

    private static func isSound(_ bytes: InlineBytes, _ known: VehicleProtocol) -> Bool {
        switch known.family {
        case .j1850: J1850.crcIndex(in: bytes, inFrameResponse: known == .j1850PWM) != nil
        case .iso9141, .iso14230: Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1]
        case .can, .j1939: true
        }
    }
}
