/// Pseudo-random numbers that are the same for the same seed, channel and time.
struct Noise: Hashable, Sendable {
    /// Different seeds result in different drives.
    var seed: UInt64

    /// A smoothly changing value of -1…1; each quantity uses its own channel.
    ///
    /// Unit of `time` and `period`: seconds.
    func value(channel: UInt64, at time: Double, period: Double = 0.25) -> Double {
        let position = max(0, time) / period
        let cell = position.rounded(.down)
        let index = UInt64(min(cell, 1e15))
        let fraction = position - cell
        return corner(channel, index) * (1 - fraction) + corner(channel, index &+ 1) * fraction
    }

    /// A value of 0..<1 for the `index`-th event of a channel.
    func fraction(channel: UInt64, index: UInt64) -> Double {
        Double(Self.mix(Self.mix(seed ^ channel &* 0x9E37_79B9_7F4A_7C15) &+ index) >> 11) * 0x1p-53
    }

    private func corner(_ channel: UInt64, _ index: UInt64) -> Double {
        fraction(channel: channel, index: index) * 2 - 1
    }

    /// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit.
    private static func mix(_ input: UInt64) -> UInt64 {
        var bits = input &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
