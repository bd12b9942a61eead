import Accessory

/// The devices that are attached to this machine.
enum AttachedAccessories {
    /// The hint if there is none.
    static let advice =
        "plug an adapter in, or name one: -d /dev/ttyUSB0, -d rfcomm:ADDRESS, -d tcp:HOST:PORT; "
        + "-d sim: is a simulated vehicle"

    /// The only device that is likely to be an adapter.
    static func only(_ manager: AccessoryManager = AccessoryManager()) throws(Failure)
        -> AccessoryAddress
    {
        try only(of: manager.attached())
    }

    /// The only one of `attached` that is likely to be an adapter.
    static func only(of attached: [Accessory]) throws(Failure) -> AccessoryAddress {
        let likely = attached.filter(\.isLikelyAdapter)
        guard let first = likely.first else {
            throw Failure("no adapter is attached", hint: advice, status: .unavailable)
        }
        guard likely.count == 1 else {
            let names = likely.map { "\($0.address)" }.joined(separator: ", ")
            throw Failure(
                "several adapters are attached: \(names)", hint: "name one with -d",
                status: .usage)
        }
        return first.address
    }
}
