import Testing

@Suite struct `Moving the times of a trip` {
    @Test func `a trip that ends in the future is named`() throws {
        let program = try Program()
        defer { program.remove() }
        let log = try program.run(["log", "rpm", "-d", "sim:?latency=0", "--duration", "1s"])
        #expect(log.status == 0, "\(log.errors)")
        let future = try program.run(["trips", "shift", "1", "--by", "+2d"])
        #expect(future.status == 0)
        #expect(future.errors.contains("1 trip ends in the future now: 1; \"obdscan trips undo\""))
        let past = try program.run(["trips", "shift", "1", "--by", "-4d"])
        #expect(past.status == 0 && !past.errors.contains("future"), "\(past.errors)")
    }
}
