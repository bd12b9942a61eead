import Accessory

/// What is attached to this machine now.
enum AttachedAccessories {
    /// The only accessory that is likely to be an adapter.
    static func only() throws(Failure) -> AccessoryAddress {
        throw Failure(
            "no accessory is given",
            hint: "-d /dev/ttyUSB0 names one; -d sim: is a simulated vehicle", status: .unavailable)
    }
}
