/// Which ECUs have claimed the source addresses of a bus (SAE J1939-81).
///
/// An ECU claims an address with its NAME. If another ECU claims the address, the smaller NAME wins: the loser goes
/// away, and a winner that had the address defends it with another claim. An ECU that claims the address of one
/// with a smaller NAME must wait for that before it sends anything else.
struct AddressOwners: Sendable {
    /// The ECU of a frame.
    struct Owner: Equatable {
        /// The number of the ECU among those that have claimed the address, from 1.
        var number: Int
        /// Whether the address has just changed hands.
        var isNew: Bool
    }

    private struct Place {
        /// The NAMEs in the order of their first claims.
        var names: [UInt64]
        /// The place of the owner in ``names``.
        var owner = 0
        /// The ECU that has the address from this time on unless the owner defends it.
        var next: (owner: Int, from: Int64)?
    }

    /// How long an ECU waits for the defence of an address; unit: microseconds.
    private static let defence: Int64 = 250_000
    /// The address of ECUs that have none.
    private static let null: UInt8 = 0xFE
    /// The numbers that fit behind an address.
    private static let most = 255

    private var places: [UInt8: Place] = [:]

    /// Takes the claim of `source` by `name`, and returns the ECU with this NAME.
    ///
    /// - Parameter time: in microseconds; nil if it is not known.
    mutating func claim(_ source: UInt8, _ name: UInt64, at time: Int64?) -> Owner {
        guard source != Self.null else { return Owner(number: 1, isNew: false) }
        guard var place = places[source] else {
            places[source] = Place(names: [name])
            return Owner(number: 1, isNew: false)
        }
        settle(&place, at: time)
        defer { places[source] = place }
        if place.names.firstIndex(of: name) == nil, place.names.count < Self.most {
            place.names.append(name)
        }
        let claimant = place.names.firstIndex(of: name) ?? place.names.count - 1
        guard claimant != place.owner else {
            place.next = nil
            return Owner(number: claimant + 1, isNew: false)
        }
        if let time, name > place.names[place.owner] {
            place.next = (claimant, time &+ Self.defence)
            return Owner(number: claimant + 1, isNew: false)
        }
        place.owner = claimant
        place.next = nil
        return Owner(number: claimant + 1, isNew: true)
    }

    /// The ECU that has an address.
    mutating func owner(of source: UInt8, at time: Int64?) -> Owner {
        guard var place = places[source] else { return Owner(number: 1, isNew: false) }
        guard place.next != nil else { return Owner(number: place.owner + 1, isNew: false) }
        let before = place.owner
        settle(&place, at: time)
        places[source] = place
        return Owner(number: place.owner + 1, isNew: place.owner != before)
    }

    private func settle(_ place: inout Place, at time: Int64?) {
        guard let next = place.next else { return }
        // The clock may have been set back.
        if let time, (0..<Self.defence).contains(time &- (next.from &- Self.defence)) { return }
        place.owner = next.owner
        place.next = nil
    }
}
