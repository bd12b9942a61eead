public import Diagnostics
public import OBDCore

/// Which identifiers of a service each ECU announces, by its support maps.
public struct SupportedIDs: Sendable {
    /// One ECU's announcement; the ECU is nil where headers are off.
    public private(set) var byECU: [(ecu: ECUAddress?, ids: [UInt8])] = []
    /// The questions, and what became of them.
    public private(set) var asked: [QueryResult] = []
    /// The ECUs that refused to announce anything, and how.
    public private(set) var refusals: [(ecu: ECUAddress?, refusal: NegativeResponse)] = []

    /// Nothing announced yet.
    public init() {}

    /// Every identifier that any ECU announces, ascending; the maps themselves do not count.
    public var all: [UInt8] {
        Set(byECU.flatMap(\.ids)).filter { $0 & 0x1F != 0 }.sorted()
    }

    /// What `ecu` announces.
    public func ids(of ecu: ECUAddress?) -> [UInt8] {
        byECU.first { $0.ecu == ecu }?.ids ?? []
    }

    /// Takes the maps of an answer over; returns whether an ECU has more maps after this one.
    public mutating func take(_ asked: QueryResult) -> Bool {
        self.asked.append(asked)
        return take(asked.answer.items)
    }

    /// Takes the maps among `items` over; returns whether an ECU has more maps after this one.
    public mutating func take(_ items: [DiagnosticItem]) -> Bool {
        var hasMore = false
        for case .negativeResponse(let refusal, let ecu, _) in items {
            refusals.append((ecu, refusal))
        }
        for case .reading(let reading) in items {
            guard case .supportMap(let raw) = reading.value else { continue }
            let ids = reading.announcedIDs.map { UInt8(truncatingIfNeeded: $0.id) }
            if let place = byECU.firstIndex(where: { $0.ecu == reading.ecu }) {
                // A doubled answer, or two ECUs without headers, add nothing twice.
                byECU[place].ids = Set(byECU[place].ids + ids).sorted()
            } else {
                byECU.append((reading.ecu, ids))
            }
            if raw & 1 != 0 { hasMore = true }
        }
        return hasMore
    }
}
