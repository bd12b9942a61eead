public import OBDCore

extension VIN {
    /// The model year of a vehicle for North America; nil if the VIN does not determine it.
    ///
    /// Position 10 repeats every thirty years. For light vehicles, position 7 is a digit up to 2009 and a
    /// letter from 2010 on (49 CFR 565.15). In other regions manufacturers use position 10 freely.
    public var northAmericanModelYear: Int? {
        let characters = Array(text.utf8)
        guard characters.count == 17,
            (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(characters[0])
        else { return nil }
        let codes = Array("ABCDEFGHJKLMNPRSTVWXY123456789".utf8)
        guard let position = codes.firstIndex(of: characters[9]) else { return nil }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[6])
        return (isDigit ? 1980 : 2010) + position
    }
}
