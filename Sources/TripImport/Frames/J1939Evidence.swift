import Diagnostics
import OBDCore
import VehicleLink

/// Collects what the identifiers on a bus show about its protocol.
///
/// One frame hardly shows that a bus speaks SAE J1939, because makers use 29-bit identifiers of their own. Frames
/// of two parameter groups that a table knows do. The frames before the second one have the same protocol, so they
/// wait for it.
package struct J1939Evidence: Sendable {
    /// The parameter groups that tables know.
    private let known: Set<UInt32>
    /// The known groups that were seen.
    private var groups: Set<UInt32> = []
    /// Whether a frame was seen that need not be of SAE J1939.
    private var hasOthers = false
    /// Whether the bus speaks SAE J1939.
    package private(set) var isShown = false

    /// Groups that other protocols with the identifiers of SAE J1939 use, too: requests, acknowledgements,
    /// addresses and long messages.
    private static let shared: Set<UInt32> = [
        0xEA00, 0xE800, J1939.addressClaimed, 0xFED8, J1939.connectionManagement,
        J1939.dataTransfer,
    ]
    /// The first group of the second page, most of which belongs to NMEA 2000.
    private static let secondPage: UInt32 = 0x1_0000

    /// Evidence for groups of `table`.
    package init(_ table: PIDTable) {
        known = Set(
            table.records.lazy.map(\.dataID).filter { $0.service == DataID.parameterGroups }
                .map(\.id).filter { $0 < Self.secondPage }
        ).subtracting(Self.shared)
    }

    /// Takes a frame into account; returns whether the frame has a group that a table knows.
    package mutating func note(_ frame: LoggedFrame) -> Bool {
        guard frame.isExtended, frame.data.count == 8, frame.id >> 24 & 0x3 == 0 else {
            hasOthers = hasOthers || !isShared(frame)
            return false
        }
        let id = J1939.Identifier(frame.id)
        guard known.contains(id.parameterGroup), [2, 3, 6, 7].contains(id.priority) else {
            hasOthers = hasOthers || !isShared(frame)
            return false
        }
        groups.insert(id.parameterGroup)
        if groups.count > 1 { isShown = true }
        return true
    }

    /// Whether the whole log shows the protocol: it has no other frames than those of a known group.
    package mutating func finish() {
        if groups.count == 1, !hasOthers { isShown = true }
    }

    /// Whether a frame has the form of an address claim, which shows no protocol: NMEA 2000 has the same.
    static func isClaim(_ frame: LoggedFrame) -> Bool {
        frame.isExtended && frame.data.count == 8 && frame.id & 0x1FFF_FF00 == 0x18EE_FF00
    }

    private func isShared(_ frame: LoggedFrame) -> Bool {
        frame.isExtended && frame.id >> 24 & 0x3 == 0
            && Self.shared.contains(J1939.Identifier(frame.id).parameterGroup)
    }
}
