import OBDCore
import VehicleLink

/// Who fills CAN frames up to eight bytes (ISO 15765-4 asks everybody to): a shorter frame of theirs has
/// lost a byte, even where it is as long as its control byte says.
struct PaddingSenders: Hashable, Sendable {
    /// The one that was heard last.
    private var last: UInt32?
    private var others: Set<UInt32> = []

    /// Whether frames of `id` were padded.
    @inline(__always)
    func have(_ id: UInt32) -> Bool {
        last == id || !others.isEmpty && others.contains(id)
    }

    /// A frame of `id` was padded.
    @inline(__always)
    mutating func note(_ id: UInt32) {
        if last == id { return }
        if let last { others.insert(last) }
        last = id
    }

    /// Looks at one frame; `announced` is the length code that the adapter showed with it.
    mutating func check(
        _ frame: LinkFrame, isExtended: Bool, _ announced: Int?
    ) throws(LinkError) {
        let control = isExtended ? 1 : 0
        guard let id = frame.header?.value, frame.bytes.count > control else { return }
        if frame.bytes.count == ISO15765.frameLength {
            let length = Int(frame.bytes[control])
            if length > 0, length < ISO15765.frameLength - 1 - control { note(id) }
        } else if announced == nil, have(id) {
            throw LinkError(
                .tooShort(expected: ISO15765.frameLength, received: frame.bytes.count),
                ecu: frame.header, line: frame.line)
        }
    }
}
