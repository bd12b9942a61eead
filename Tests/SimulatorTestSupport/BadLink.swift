public import Simulator

/// The vehicle, adapter and faults for a seed.
public struct BadLink: Sendable {
    /// The vehicle, as after `sim:`; several seeds share one.
    public let vehicle: String
    /// Vehicle and adapter, as after `sim:`.
    public let address: String
    /// The faults between adapter and scan tool.
    public let faults: LinkFaults

    /// Each kind of fault alone, then all kinds together at a lower rate.
    public init(seed: UInt64) {
        let (vehicle, hasChecks) = Self.vehicles[Int(seed % UInt64(Self.vehicles.count))]
        self.vehicle = vehicle
        address = Self.address(vehicle, seed)
        faults = Self.faults(seed / UInt64(Self.vehicles.count), digitsMayChange: hasChecks)
    }

    /// An adapter that restarts from time to time.
    public init(restartingSeed seed: UInt64) {
        vehicle = Self.vehicles[Int(seed % UInt64(Self.vehicles.count))].address
        address = Self.address(vehicle, seed)
        let isRare = seed / UInt64(Self.vehicles.count) % 2 == 0
        faults = LinkFaults([.reset: isRare ? 0.01 : 0.05])
    }

    /// Requests for several records, as fast as the adapter answers.
    public init(batchSeed seed: UInt64) {
        let vehicles = ["petrol", "diesel?protocol=7", "petrol?protocol=8", "hybrid?ecus=3"]
        vehicle = vehicles[Int(seed % 4)]
        address = Self.address(vehicle, seed, latency: "5ms")
        faults = Self.faults(seed / 4, digitsMayChange: false)
    }

    /// The vehicles, and whether their protocol has a checksum in the adapter's text.
    ///
    /// On CAN it has none, so a digit that became another digit is a valid value for every scan
    /// tool. Bits are therefore flipped only before CAN.
    private static let vehicles: [(address: String, hasChecks: Bool)] = [
        ("petrol", false), ("diesel", false), ("petrol?protocol=8", false),
        ("petrol?protocol=5", true), ("petrol?protocol=3", true), ("petrol?protocol=1", true),
        ("petrol?protocol=2", true),
    ]
    private static let personalities = ["elm327", "elm327-1.4b", "stn", "clone-1.5"]

    private static func address(
        _ vehicle: String, _ seed: UInt64, latency: String = "20ms"
    ) -> String {
        let personality = personalities[Int(seed / 7 % 4)]
        let mark = vehicle.contains("?") ? "&" : "?"
        return vehicle + mark + "latency=\(latency)&seed=\(seed)&personality=\(personality)"
    }

    private static func faults(_ number: UInt64, digitsMayChange: Bool) -> LinkFaults {
        // Resets have separate runs, so that existing seeds keep their meaning.
        let kinds = LinkFault.allCases.filter { $0 != .reset && (digitsMayChange || $0 != .flip) }
        let choice = Int(number % UInt64(kinds.count + 1))
        guard choice == kinds.count else {
            let kind = kinds[choice]
            let rare: Set<LinkFault> = [.close, .halfClose, .stall]
            let rate = kind.isForBytes ? 0.002 : rare.contains(kind) ? 0.01 : 0.02
            return LinkFaults([kind: rate])
        }
        return LinkFaults(
            Dictionary(uniqueKeysWithValues: kinds.map { ($0, $0.isForBytes ? 0.0005 : 0.003) }))
    }
}
