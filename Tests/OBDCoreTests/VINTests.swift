import OBDCore
import Testing

@Suite struct `Vehicle identification numbers` {
    // 1M8GDM9AXKP042788 is the calculated example of 49 CFR 565, 11111111111111111 the classic one.
    @Test(arguments: ["1M8GDM9AXKP042788", "11111111111111111", "1HGCM82633A004352"])
    func `a correct check digit is accepted`(text: String) throws {
        #expect(try #require(VIN(text)).hasValidCheckDigit)
    }

    @Test(arguments: ["1M8GDM9AXKP042789", "WVWZZZ1KZAW000001"])
    func `a wrong check digit is noticed`(text: String) throws {
        #expect(try #require(VIN(text)).hasValidCheckDigit == false)
    }

    @Test(arguments: [
        "", "1M8GDM9AXKP04278", "1M8GDM9AXKP0427880", "IM8GDM9AXKP042788", "1m8gdm9axkp042788",
    ])
    func `the length and the characters of a VIN are checked`(text: String) {
        #expect(VIN(text) == nil)
    }
}
