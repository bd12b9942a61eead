import OBDCore
import VehicleLink

/// What a live link lets pass as an answer, once the vehicle has shown how its lines look.
///
/// A recording may change its ways at any line. A link that was set up does not: a line of another
/// shape, or from an address that the adapter's filter keeps out, is damage, whatever it spells.
struct Admission: Hashable, Sendable {
    /// How the vehicle's lines are built.
    var shape: LineReading.Shape
    /// An identifier passes that equals ``pattern`` in the bits of ``mask``.
    var pattern: UInt32 = 0
    /// The bits that are compared; 0 = any identifier passes.
    var mask: UInt32 = 0

    /// Whether a line may be read as `reading`.
    func admits(_ reading: LineReading) -> Bool {
        guard reading.shape == shape || isJoined(reading.shape) else { return false }
        return (reading.id ^ pattern) & mask == 0
    }

    /// Whether a line of whole messages comes from the same bus.
    private func isJoined(_ other: LineReading.Shape) -> Bool {
        switch other {
        case .joined11: shape == .can11
        case .joined29: shape == .can29
        case .can11, .can29, .fieldAlone, .j1939, .iso9141, .j1850, .iso14230, .bare: false
        }
    }

    /// Lets pass what the adapter's receive filter does.
    ///
    /// By itself it takes 7E8 to 7EF, or 18DAF1xx (F1 = `tester`); before CAN it goes by bytes of
    /// the header that no identifier has.
    mutating func expect(_ responders: VehicleRequest.Responders, tester: UInt8) {
        pattern = 0
        mask = 0
        switch responders {
        case .usual:
            switch shape {
            case .can11: (pattern, mask) = (0x7E8, 0x7F8)
            case .can29: (pattern, mask) = (0x18DA_0000 | UInt32(tester) << 8, 0x1FFF_FF00)
            case .joined11, .joined29, .fieldAlone, .j1939, .iso9141, .j1850, .iso14230, .bare:
                break
            }
        case .one(let ecu) where shape.form == ecu.form && shape.form != .byte:
            (pattern, mask) = (ecu.value, 0x1FFF_FFFF)
        case .matching(let address, let bits)
        where shape.form == address.form && shape.form != .byte:
            (pattern, mask) = (address.value, bits)
        case .one, .matching: break
        }
    }
}

extension ReplyReader {
    /// Whether the protocol in use can bring a line like this.
    ///
    /// A setting may be wrong, and what is known may be a guess: a line of another kind passes where
    /// it speaks for itself, which a line does that answers behind the header that OBD gives to
    /// answers.
    func isPossible(_ reading: LineReading) -> Bool {
        if let admission { return admission.admits(reading) }
        guard let form = reading.shape.form, form != .byte, reading.shape != .j1939 else {
            return true
        }
        let isContradicted: Bool
        switch knownProtocol {
        case .can11At500, .can11At250, .can29At500, .can29At250, .iso9141, .iso14230Slow,
            .iso14230Fast, .j1850PWM, .j1850VPW:
            isContradicted = knownProtocol?.addressForm != form
        // What these carry is up to the adapter's own parameters.
        case .userCAN1, .userCAN2, .j1939: isContradicted = false
        case nil:
            isContradicted = lastShape?.form.map { $0 != form } ?? false
        }
        guard isContradicted else { return true }
        return isUsualAnswerer(reading) && reading.proof >= .length && reading.answer > .none
    }

    /// Whether a line comes from where OBD answers come from.
    private func isUsualAnswerer(_ reading: LineReading) -> Bool {
        switch reading.shape {
        case .can11, .joined11: reading.id & 0x7F8 == 0x7E8
        case .can29, .joined29:
            reading.id & 0x1FFF_FF00 == 0x18DA_0000 | UInt32(settings.testerAddress) << 8
        case .fieldAlone, .j1939, .iso9141, .j1850, .iso14230, .bare: false
        }
    }
}
