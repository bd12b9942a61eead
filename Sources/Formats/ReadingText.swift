import Diagnostics
import OBDCore

/// Texts for readings that need more than the reading's own fields.
public enum ReadingText {
    /// The identifiers in a support map: `01 03 0C`; empty for none.
    ///
    /// The most significant bit of `raw` is the identifier after `base`.
    public static func supportMap(_ raw: UInt32, base: UInt32) -> String {
        var text: [UInt8] = []
        for place in UInt32(0)..<32 where raw & (0x8000_0000 >> place) != 0 {
            if !text.isEmpty { text.append(0x20) }
            Hex.append(UInt8(truncatingIfNeeded: base &+ place &+ 1), to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The label of an enumeration's code; nil if the table has none.
    public static func label(_ code: UInt64, of signal: Signal) -> String? {
        signal.labels.first { $0.code == code }?.label
    }

    /// The service that `payload` answers; nil if it is not an answer.
    ///
    /// For a refusal (7F), the result is the refused service.
    public static func service(ofAnswer payload: some Collection<UInt8>) -> Service? {
        guard let first = payload.first else { return nil }
        if first == Service.negativeResponse.rawValue {
            return payload.dropFirst().first.map { Service($0) }
        }
        return first & 0x40 == 0 ? nil : Service(first & ~0x40)
    }
}
