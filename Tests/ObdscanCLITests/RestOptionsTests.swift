import Testing

@testable import ObdscanCLI

@Suite struct `Leaving a parked vehicle alone` {
    @Test func `two flags override the configuration about parked vehicles`() throws {
        #expect(try RestOptions.parse(["--no-battery-safe"]).limits == nil)
        #expect(try RestOptions.parse(["--battery-safe"]).limits != nil)
    }
}
