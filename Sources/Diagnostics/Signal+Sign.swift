extension Signal {
    /// Whether a current or power of a battery is positive while the battery gives it off; nil if the name of the
    /// signal does not say it.
    public var isPositiveOut: Bool? {
        let name = name.lowercased()
        if ["driving", "discharging"].contains(where: { name.contains("positive while \($0)") }) {
            return true
        }
        return name.contains("positive while charging") ? false : nil
    }
}
