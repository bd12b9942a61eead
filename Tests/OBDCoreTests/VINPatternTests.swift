import OBDCore
import Testing

@Suite struct VINPatternTests {
    @Test(arguments: [
        ("1HG*", "1HGCM82633A004352", true), ("1hg*", "1HGCM82633A004352", true),
        ("1HGCM82633A004352", "1HGCM82633A004352", true),
        ("1HGCM82633A004353", "1HGCM82633A004352", false),
        ("???CM*", "1HGCM82633A004352", true), ("???CN*", "1HGCM82633A004352", false),
        ("?????????????????", "1HGCM82633A004352", true), ("WVW*", "1HGCM82633A004352", false),
    ])
    func `a VIN pattern matches character by character`(text: String, vin: String, fits: Bool)
        throws
    {
        let pattern = try #require(VINPattern(text))
        #expect(pattern.matches(try #require(VIN(vin))) == fits)
    }

    @Test(arguments: [
        "", "*", "1HG", "1HG*2", "1HO*", "1H G*", "1HGCM82633A0043521*", "1HGCM82633A004352**",
    ])
    func `a pattern that fits no VIN is refused`(text: String) {
        #expect(VINPattern(text) == nil)
    }
}
