import Adapters
import OBDCore
import VehicleLink

/// Finds the most likely reading of a line of digits.
///
/// The candidates are all shapes that the digits allow. Each way to read a line is rated by the evidence in
/// the line (lengths, checksums, an answer to the request after the header) and by how well it agrees with
/// the settings and the previous line.
extension ReplyReader {
    /// The best reading; nil if the digits are not a frame in any shape.
    func bestReading() -> LineReading? {
        if let lastShape, let reading = reading(as: lastShape), isBeyondDoubt(reading),
            isPossible(reading)
        {
            return reading
        }
        var best: LineReading?
        var usual: LineReading?
        let family = knownFamily
        for shape in LineReading.Shape.allCases {
            guard let reading = reading(as: shape), isPossible(reading) else { continue }
            if reading.familiarity >= 2, shape.family == family,
                usual.map({ $0.score < reading.score }) ?? true
            {
                usual = reading
            }
            if let current = best, current.score >= reading.score { continue }
            best = reading
        }
        // If headers are on, a line that begins with a usual header has one, even if it is damaged. The text
        // is not a message that happens to begin with the same digits.
        let isBehindHeader = showsHeaders ?? (lastShape?.hasHeader ?? false)
        if best?.shape == .bare, isBehindHeader, let usual { return usual }
        return best
    }

    /// Whether a reading in the shape of the previous line is certain without a comparison.
    @inline(__always)
    private func isBeyondDoubt(_ reading: LineReading) -> Bool {
        if reading.shape == .bare { return reading.answer == .exact && showsHeaders != true }
        guard reading.proof >= .length, showsHeaders ?? true == reading.shape.hasHeader else {
            return false
        }
        if reading.answer == .exact { return true }
        // Three digits at the start can only be an identifier with 11 bits.
        return reading.shape == .can11 && digits.groups > 1
            || reading.familiarity >= 3 && reading.answer > .none
    }

    /// Reads the line in one shape; nil if the line does not have the shape.
    func reading(as shape: LineReading.Shape) -> LineReading? {
        var reading: LineReading?
        switch shape {
        case .can11, .joined11: reading = asCAN11(shape)
        case .can29, .joined29: reading = asCAN29(shape)
        case .fieldAlone: reading = asFieldAlone()
        case .j1939: reading = asJ1939()
        case .iso9141: reading = asISO9141()
        case .j1850: reading = asJ1850()
        case .iso14230: reading = asISO14230()
        case .bare: reading = asBare()
        }
        reading?.agreement = agreement(shape)
        return reading
    }

    /// How well a shape agrees with the known facts.
    private func agreement(_ shape: LineReading.Shape) -> Int {
        var sum = 0
        if let headers = showsHeaders {
            if headers == shape.hasHeader { sum += 6 }
        } else if let lastShape, lastShape.hasHeader == shape.hasHeader {
            sum += 4
        }
        switch shape {
        case .fieldAlone where settings.automaticFormatting == false: sum += 4
        case .bare where settings.automaticFormatting != false: sum += 1
        default: break
        }
        guard let family = shape.family else { return sum }
        if let known = settings.vehicleProtocol {
            sum += known.family == family ? 6 : Self.contradiction(known.family, family)
            if known.addressForm == shape.form { sum += 2 }
        } else if let inferredFamily {
            sum += inferredFamily == family ? 3 : Self.contradiction(inferredFamily, family)
        } else if let fallback {
            sum += fallback.family == family ? 3 : Self.contradiction(fallback.family, family)
            if fallback.addressForm == shape.form { sum += 1 }
        }
        return sum
    }

    /// The penalty for reading a line as another family than the vehicle's.
    ///
    /// Headers of protocols before CAN look alike, and only the check byte distinguishes the families. A
    /// check byte of eight bits is valid by chance in one of 256 damaged lines.
    private static func contradiction(
        _ known: VehicleProtocol.Family, _ family: VehicleProtocol.Family
    ) -> Int {
        known.isLegacy && family.isLegacy ? -16 : -4
    }

    // MARK: CAN

    private func asCAN11(_ shape: LineReading.Shape) -> LineReading? {
        guard digits.groups > 0, digits.number(0, 3) < 0x800 else { return nil }
        if digits.groups > 1 {
            guard digits.length(0) == 3, digits.oddAfterTwo == 0 else { return nil }
            if digits.length(1) == 1 { return can(shape, idDigits: 3, showsLength: true) }
            return digits.length(1) & 1 == 0 ? can(shape, idDigits: 3, showsLength: false) : nil
        }
        // Without blanks three digits of identifier make the number of digits odd.
        let showsLength = digits.count & 1 == 0
        guard digits.count > 3, let reading = can(shape, idDigits: 3, showsLength: showsLength)
        else {
            return nil
        }
        if showsLength, settings.showsLength != true {
            if gainedDigit { return nil }
            let fits = reading.announced == (digits.count - reading.start) / 2
            return fits && reading.familiarity > 3 && reading.proof >= .length ? reading : nil
        }
        // If the length digit that was set is missing, the identifier may have lost a digit.
        if !showsLength, settings.showsLength == true {
            return reading.familiarity > 0 && reading.proof >= .length ? reading : nil
        }
        let isLegacy = settings.vehicleProtocol?.family.isLegacy ?? false
        let isExpected = showsHeaders == true && !isLegacy || lastShape == shape
        let speaksForItself = reading.answer > .none
        return isExpected || reading.familiarity > 0 || speaksForItself && reading.proof >= .length
            ? reading : nil
    }

    private func asCAN29(_ shape: LineReading.Shape) -> LineReading? {
        guard digits.count >= 8, digits.number(0, 8) < 0x2000_0000 else { return nil }
        let showsLength: Bool
        if digits.groups == 1 {
            showsLength = digits.count & 1 != 0
        } else if digits.length(0) == 8 {
            showsLength = digits.length(1) == 1
            guard showsLength || digits.length(1) & 1 == 0, digits.oddAfterTwo == 0 else {
                return nil
            }
        } else if digits.isWholeBytes {
            showsLength = false
        } else {
            let isFourBytes = (0..<4).allSatisfy { digits.length($0) == 2 }
            guard isFourBytes, digits.length(4) == 1, digits.oddAfterFive == 0 else { return nil }
            showsLength = true
        }
        guard let reading = can(shape, idDigits: 8, showsLength: showsLength) else { return nil }
        // If a length digit contradicts the settings, or is missing against them, a digit was more likely
        // lost or gained. Then the identifier itself has to prove the reading.
        if showsLength != (settings.showsLength ?? showsLength) {
            if showsLength ? gainedDigit : shownLength == true { return nil }
            let fits = !showsLength || reading.announced == (digits.count - reading.start) / 2
            let familiarity = reading.familiarity - (showsLength ? 3 : 0)
            return fits && familiarity >= 3 && reading.proof >= .length ? reading : nil
        }
        let isExpected = showsHeaders == true && knownForm == .can29 || lastShape == shape
        if isExpected || reading.familiarity > 0 || reading.answer >= .service { return reading }
        // Any other identifier counts if an answer with a valid length follows and only ISO 15765 uses it.
        guard showsHeaders != false, reading.proof >= .length, reading.answer > .none else {
            return nil
        }
        return knownForm == .can29 || !J1939.mayBeIdentifier(reading.id) ? reading : nil
    }

    /// Whether an extra digit was doubled by the link and is not a length digit.
    ///
    /// This is true if no length digit was set and no earlier line had one.
    private var gainedDigit: Bool {
        settings.showsLength == false && shownLength == false
    }

    private var knownForm: ECUAddress.Form? {
        knownProtocol?.addressForm
    }

    /// Reads an identifier with this many digits and the data after it.
    private func can(
        _ shape: LineReading.Shape, idDigits: Int, showsLength: Bool
    ) -> LineReading? {
        let id = digits.number(0, idDigits)
        let start = idDigits + (showsLength ? 1 : 0)
        guard digits.count > start || showsHeaders == true else { return nil }
        var reading: LineReading?
        let address = ECUAddress(id, idDigits == 3 ? .can11 : .can29)
        switch shape {
        case .joined11, .joined29: reading = joined(shape, start: start)
        case .can11, .can29, .fieldAlone, .j1939, .iso9141, .j1850, .iso14230, .bare:
            reading = field(shape, address: address, start: start)
        }
        reading?.id = id
        if showsLength {
            reading?.announced = ISO15765.length(ofCode: Int(digits.digit(idDigits)))
        }
        switch idDigits {
        case 3: reading?.familiarity = (0x7E8...0x7EF).contains(id) ? 3 : 0
        default:
            if id & 0x1FFF_FF00 == 0x18DA_0000 | UInt32(settings.testerAddress) << 8 {
                reading?.familiarity = 3
            } else if id & 0x1FFE_0000 == 0x18DA_0000
                || id & 0x00FF_FF00 == 0x00DA_0000 | UInt32(settings.testerAddress) << 8
            {
                reading?.familiarity = 2
            }
        }
        // A valid length code counts as much as another part of the header.
        if let announced = reading?.announced, announced == (digits.count - start) / 2 {
            reading?.familiarity += 3
            reading?.lengthCodeFits = true
        }
        return reading
    }

    /// Reads a data field with a protocol control byte that begins at the digit `start`.
    ///
    /// F1 is not a control byte. If the tester's own address is in its place, followed by a valid control
    /// byte and an answer, the addressing is extended even without the setting.
    private func field(
        _ shape: LineReading.Shape, address: ECUAddress?, start: Int
    ) -> LineReading {
        if settings.extendedAddressing {
            return field(shape, address: address, start: start, shift: 1)
        }
        let reading = field(shape, address: address, start: start, shift: 0)
        guard reading.proof == .refuted, shape == .can11, address?.value ?? 0 < 0x700,
            digits.count > start + 4, digits.byte(start) == settings.testerAddress,
            settings.testerAddress >= 0x40
        else { return reading }
        var extended = field(shape, address: address, start: start, shift: 1)
        guard extended.proof >= .length, extended.answer > .none else { return reading }
        extended.isExtended = true
        return extended
    }

    private func field(
        _ shape: LineReading.Shape, address: ECUAddress?, start: Int, shift: Int
    ) -> LineReading {
        let count = (digits.count - start) / 2
        let control = start + shift * 2
        var reading = LineReading(shape: shape, start: start, answer: .none, proof: .refuted)
        let isFD = ISO15765.isLengthOfFD(count)
        guard count > shift, count <= ISO15765.frameLength || isFD else { return reading }
        let byte = digits.byte(control)
        let available = count - shift - 1
        switch byte >> 4 {
        case 0 where isFD:
            let length = Int(digits.byte(control + 2))
            reading.answer = answer(at: control + 4, count: min(length, available - 1))
            if byte == 0, length >= ISO15765.frameLength - shift,
                ISO15765.isFrameOfFD(count, holding: shift + 2 + length)
            {
                reading.proof = .length
            }
        case 0:
            let length = Int(byte & 0xF)
            reading.answer = answer(at: control + 2, count: min(length, available))
            // Padded to eight bytes, or not at all.
            let isWhole = length == available || count == ISO15765.frameLength
            if length > 0, length <= available, isWhole { reading.proof = .length }
        case 1:
            let total = Int(byte & 0xF) << 8 | Int(digits.byte(control + 2))
            reading.answer = answer(at: control + 4, count: available - 1)
            if count == ISO15765.frameLength && total >= ISO15765.frameLength - shift
                || isFD && total >= count - shift - 1
            {
                reading.proof = .length
            }
        case 2:
            var address = address
            if shift > 0 { address?.extended = digits.byte(start) }
            let isUnderWay = can.isUnderWay(address)
            if isUnderWay { reading.answer = .exact }
            reading.proof = isUnderWay || !isFD ? .length : .refuted
        case 3: reading.proof = available >= 2 ? .length : .none
        default: break
        }
        return reading
    }

    private func joined(_ shape: LineReading.Shape, start: Int) -> LineReading? {
        guard mayBeJoined || settings.joinsFrames else { return nil }
        let offset = start + (settings.extendedAddressing ? 2 : 0)
        // A protocol control byte is below 40; the first byte of an answer is above.
        guard digits.count >= offset + 2, digits.byte(offset) >= 0x40 else { return nil }
        let answer = answer(at: offset, count: (digits.count - offset) / 2)
        guard answer > .none || settings.joinsFrames else { return nil }
        return LineReading(shape: shape, start: start, answer: answer, proof: .length)
    }

    /// A data field whose identifier is hidden (`AT CAF0` with `AT H0`).
    private func asFieldAlone() -> LineReading? {
        guard digits.isWholeBytes, digits.count >= 2, digits.count <= 16 else { return nil }
        let reading = field(.fieldAlone, address: nil, start: 0)
        let isRaw = settings.automaticFormatting == false
        let isLegacy = settings.vehicleProtocol?.family.isLegacy ?? false
        if isRaw, !isLegacy, showsHeaders != true { return reading }
        let isWhole = digits.count == 16 || digits.count == 2 + 2 * Int(digits.byte(0) & 0xF)
        guard reading.proof >= .length, isWhole else { return nil }
        let isAsBefore = lastShape == .fieldAlone && digits.count == 16
        return isAsBefore || reading.answer >= .foreign ? reading : nil
    }

    // MARK: Answers

    /// How well the `count` bytes at the digit `offset` answer the request.
    func answer(at offset: Int, count: Int) -> LineReading.Answer {
        answer(at: offset, count: count, to: exchange.request)
    }

    /// The same for any request; nil if it is unknown.
    func answer(at offset: Int, count: Int, to request: [UInt8]?) -> LineReading.Answer {
        guard count > 0 else { return .none }
        let first = digits.byte(offset)
        guard let request, let service = request.first else {
            return ServiceShape.isAnswer(first) ? .foreign : .none
        }
        if first == Service.negativeResponse.rawValue {
            return count > 1 && digits.byte(offset + 2) == service ? .exact : .foreign
        }
        guard first == service &+ 0x40 else {
            return ServiceShape.isAnswer(first) ? .foreign : .none
        }
        guard let shape = ServiceShape.of(service) else { return .exact }
        switch shape.compare(
            request, count: count, second: digits.byte(offset + 2),
            third: digits.byte(offset + 4))
        {
        case .same, .notAsked: return .exact
        case .different: return .service
        case .tooShort: return count < shape.shortestAnswer ? .service : .exact
        }
    }
}

extension ReplyReader {
    /// Whether the current protocol can produce a line like this.
    ///
    /// A setting may be wrong, and the known protocol may be a guess. A line of another kind is therefore
    /// accepted if it proves itself, which an answer after a standard OBD answer header does.
    func isPossible(_ reading: LineReading) -> Bool {
        guard let form = reading.shape.form, form != .byte, reading.shape != .j1939 else {
            return true
        }
        let isContradicted: Bool
        switch knownProtocol {
        case .can11At500, .can11At250, .can29At500, .can29At250, .iso9141, .iso14230Slow,
            .iso14230Fast, .j1850PWM, .j1850VPW, .doip:
            isContradicted = knownProtocol?.addressForm != form
        // The content of these depends on the adapter's own parameters.
        case .userCAN1, .userCAN2, .j1939: isContradicted = false
        case nil:
            isContradicted = lastShape?.form.map { $0 != form } ?? false
        }
        guard isContradicted else { return true }
        return isUsualAnswerer(reading) && reading.proof >= .length && reading.answer > .none
    }

    /// Whether the sender of a line is a standard address for OBD answers.
    private func isUsualAnswerer(_ reading: LineReading) -> Bool {
        switch reading.shape {
        case .can11, .joined11: reading.id & 0x7F8 == 0x7E8
        case .can29, .joined29:
            reading.id & 0x1FFF_FF00 == 0x18DA_0000 | UInt32(settings.testerAddress) << 8
        case .fieldAlone, .j1939, .iso9141, .j1850, .iso14230, .bare: false
        }
    }
}
