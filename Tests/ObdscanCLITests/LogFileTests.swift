import SystemIO
import Testing

@Suite struct `The log file` {
    @Test func `a token is in no log`() {
        #expect(
            loggable(["obdscan", "serve", "--token", "secret", "-v", "--token=secret"])
                == ["obdscan", "serve", "--token", "…", "-v", "--token=…"])
    }
}
