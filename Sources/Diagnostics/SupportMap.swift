public import OBDCore

/// A map of supported identifiers, whose most significant bit means the identifier after the map's own.
public enum SupportMap {
    /// Whether `id` is the identifier of a map: 00, 20, … E0 (F400, F420, … for DIDs).
    public static func isMap(_ id: UInt32) -> Bool { id & 0x1F == 0 }

    /// The identifiers that the map at `id` announces, ascending.
    public static func ids(announcedBy raw: UInt32, at id: UInt32) -> [UInt32] {
        (UInt32(0)..<32).compactMap { bit in
            raw & (0x8000_0000 >> bit) == 0 ? nil : id &+ 1 &+ bit
        }
    }
}

extension Reading {
    /// The identifiers that a support map announces, ascending; empty for any other value.
    public var announcedIDs: [DataID] {
        guard case .supportMap(let raw) = value, let dataID else { return [] }
        return SupportMap.ids(announcedBy: raw, at: dataID.id).map { DataID(dataID.service, $0) }
    }
}
