public import Diagnostics
public import OBDCore

/// The identifiers of a service that each ECU announces in its support maps.
public struct SupportedIDs: Sendable {
    /// The announcements by ECU; the ECU is nil if headers are off.
    public private(set) var byECU: [(ecu: ECUAddress?, ids: [UInt8])] = []
    /// The requests and their outcomes.
    public private(set) var asked: [QueryResult] = []
    /// The ECUs that refused the request, with their refusals.
    public private(set) var refusals: [(ecu: ECUAddress?, refusal: NegativeResponse)] = []

    /// The first identifiers of the maps that each ECU sent: 0x00, 0x20.
    private var maps: [ECUAddress?: Set<UInt8>] = [:]

    /// No announcements.
    public init() {}

    /// Whether the maps show that no ECU supports `id`.
    ///
    /// False if no ECU sent its maps, or if the map that would list `id` is missing.
    public func rulesOut(_ id: UInt8) -> Bool {
        guard id != 0, !maps.isEmpty else { return false }
        let base = (id - 1) & 0xE0
        return maps.allSatisfy { ecu, maps in
            let announced = ids(of: ecu)
            if announced.contains(id) { return false }
            var map: UInt8 = 0
            while maps.contains(map), map < base {
                map += 0x20
                // The last identifier of a map announces the next map.
                if !announced.contains(map) { return true }
            }
            return maps.contains(map)
        }
    }

    /// All announced identifiers in ascending order, without those of the maps themselves.
    public var all: [UInt8] {
        Set(byECU.flatMap(\.ids)).filter { $0 & 0x1F != 0 }.sorted()
    }

    /// The identifiers that `ecu` announces.
    public func ids(of ecu: ECUAddress?) -> [UInt8] {
        byECU.first { $0.ecu == ecu }?.ids ?? []
    }

    /// Adds the maps in an answer; returns whether an ECU has further maps.
    public mutating func take(_ asked: QueryResult) -> Bool {
        self.asked.append(asked)
        return take(asked.answer.items)
    }

    /// Adds the maps in `items`; returns whether an ECU has further maps.
    public mutating func take(_ items: [DiagnosticItem]) -> Bool {
        var hasMore = false
        for case .negativeResponse(let refusal, let ecu, _) in items {
            refusals.append((ecu, refusal))
        }
        for case .reading(let reading) in items {
            guard case .supportMap(let raw) = reading.value else { continue }
            let ids = reading.announcedIDs.map { UInt8(truncatingIfNeeded: $0.id) }
            if let map = reading.dataID?.id {
                maps[reading.ecu, default: []].insert(UInt8(truncatingIfNeeded: map))
            }
            if let place = byECU.firstIndex(where: { $0.ecu == reading.ecu }) {
                // A repeated answer, or two ECUs without headers, must not add an identifier twice.
                byECU[place].ids = Set(byECU[place].ids + ids).sorted()
            } else {
                byECU.append((reading.ecu, ids))
            }
            if raw & 1 != 0 { hasMore = true }
        }
        return hasMore
    }
}
