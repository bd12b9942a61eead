import Accessory
import Glibc
import Paddle
import Testing

@testable import accessory_demo

@Suite struct `The demonstration` {
    private let attached: Attached

    init() throws { attached = try Attached([]) }

    private func demonstration(
        _ accessory: Accessory, since begin: ContinuousClock.Instant,
        _ report: @escaping (String) -> Void = { _ in }
    ) throws -> Demonstration {
        let connector = try #require(accessory.connector(for: PaddleFrame.protocolString))
        guard let session = try connector.open() else { throw SystemFault(call: "open", errno: 0) }
        return Demonstration(
            session, accessory.name, at: ContinuousClock.now - begin, report: report)
    }

    @Test func `talks to two accessories at once`() throws {
        let begin = ContinuousClock.now
        var lines: [String] = []
        let both = try attached.accessories.map { accessory in
            try demonstration(accessory, since: begin) { lines.append($0) }
        }
        try #require(both.count == 2)
        try run(both, since: begin, for: .seconds(3))
        for (demonstration, accessory) in zip(both, attached.simulated) {
            let summary = demonstration.summary
            // Twenty per second.
            #expect((25...65).contains(summary.positions) && summary.buttons > 0, "\(summary)")
            #expect(summary.damaged == 0 && summary.strayBytes == 0, "\(summary)")
            // Light on, light off, 10 KB, and off at the end.
            #expect(summary.bytesSent == 10_240 + 3 * 4)
            #expect(accessory.framesReceived >= Demonstration.bulkFrames + 2)
        }
        for line in ["light on", "light off", "sending 10240 bytes"] {
            #expect(lines.count { $0 == line } == 2, "\(line)")
        }
    }

    @Test func `an accessory is opened only for a protocol that it offers`() throws {
        let accessory = try #require(attached.accessories.first)
        #expect(accessory.connector(for: "com.goPoint.p1") == nil)
        #expect(accessory.connector(for: PaddleFrame.protocolString) != nil)
    }

    @Test func `a second session on the same accessory is an error`() throws {
        let begin = ContinuousClock.now
        let accessory = try #require(attached.accessories.first)
        let first = try demonstration(accessory, since: begin)
        #expect(throws: AccessoryError.self) { try demonstration(accessory, since: begin) }
        #expect(first.summary == Demonstration.Summary())
    }

    @Test func `an accessory that says nothing ends it after three seconds`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let silent = Demonstration(
            DescriptorSession(descriptor: ends[0], kind: .stream, name: "silent"), "silent",
            at: .zero
        ) { _ in }
        #expect(silent.deadline == .milliseconds(500))
        try silent.proceed(0, at: .milliseconds(2_999))
        #expect(throws: Demonstration.Fault.silent) { try silent.proceed(0, at: .seconds(3)) }
    }
}
