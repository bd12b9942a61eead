/// Compressible flow through an opening.
///
/// The flow function of an ideal gas with 1.4 is replaced by the ellipse of ISO 6358, which differs by less
/// than 1 % of the choked flow and needs no transcendental function.
enum Orifice {
    /// kPa·L/(g·K), of air.
    static let gasConstant = 0.28705
    /// Downstream pressure over upstream pressure below which the flow is choked.
    static let criticalRatio = 0.5283
    /// Above this ratio the flow is proportional to the difference, so that its slope stays finite.
    private static let linear = 0.985

    /// g/s per mm² of effective area; units: kPa, K.
    static func chokedFlow(pressure: Double, temperature: Double) -> Double {
        0.68473 * pressure / (1000 * gasConstant * temperature).squareRoot()
    }

    /// The share of the choked flow at a ratio of 0…1.
    static func share(_ ratio: Double) -> Double {
        if ratio <= criticalRatio { return 1 }
        if ratio >= linear { return elliptic(linear) * (1 - ratio) / (1 - linear) }
        return elliptic(ratio)
    }

    private static func elliptic(_ ratio: Double) -> Double {
        let place = (ratio - criticalRatio) / (1 - criticalRatio)
        return max(0, 1 - place * place).squareRoot()
    }

    /// An opening with gas of a known state on its upstream side.
    struct Port {
        /// The flow when it is choked; unit: g/s.
        var choked: Double
        /// kPa.
        var upstream: Double

        /// Units: mm² of effective area, kPa, K.
        init(area: Double, upstream: Double, temperature: Double) {
            choked = area * Orifice.chokedFlow(pressure: upstream, temperature: temperature)
            self.upstream = upstream
        }

        /// g/s into a place at `pressure`; negative when gas flows back.
        func flow(to pressure: Double) -> Double {
            choked
                * (pressure <= upstream
                    ? Orifice.share(pressure / upstream) : -Orifice.share(upstream / pressure))
        }
    }
}
