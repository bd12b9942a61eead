import SystemIO
import Testing

@Suite struct `The log file` {
    @Test func `no log contains a token`() {
        #expect(
            loggable(["obdscan", "serve", "--token", "secret", "-v", "--token=secret"])
                == ["obdscan", "serve", "--token", "…", "-v", "--token=…"])
    }
}
