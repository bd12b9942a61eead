import Accessory
import Adapters
import CSystem
import Diagnostics
import Foundation
import OBDCore
import ScanTool
import ScanToolTestSupport
import Synchronization
import SystemIO
import Testing

@testable import ScanSession

/// An adapter on a pty.
///
/// The adapter understands nothing unless the line has its rate.
///
/// The kernel stores the rate that the other side sets, although a pty has none.
private final class RatedAdapter: Sendable {
    let path: String
    private let descriptor: Int32
    private let questions = Mutex<[Int]>([])

    init(rate: Int) throws {
        var name = [CChar](repeating: 0, count: 128)
        descriptor = sys_open_pty(&name, name.count)
        try #require(descriptor >= 0)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let thread = try SystemThread { [descriptor, self] in
            var session = DescriptorSession(
                descriptor: dup(descriptor), kind: .stream, name: "adapter")
            var set = PollSet()
            set.add(session.descriptor)
            do {
                while true {
                    try set.wait(until: nil)
                    for byte in try session.receive() where byte == 0x0D {
                        // An adapter that was just plugged in echoes this.
                        let echo: [UInt8] = [0x7F, 0x7F, 0x0D]
                        let now = Int(sys_tty_rate(descriptor))
                        questions.withLock { $0.append(now) }
                        try session.write(now == rate ? echo + Array("?\r\r>".utf8) : [0xF8, 0x00])
                    }
                }
            } catch {
                // The other side has closed the pty.
            }
        }
        thread.detach()
    }

    /// The line rates of the commands that came.
    var asked: [Int] { questions.withLock { $0 } }
}

@Suite struct `The line rate` {
    private func runner(
        _ path: String, remembered: Int?
    ) throws -> Runner<ScriptDialect> {
        var configuration = SessionConfiguration(connector: .serial(path: path, rate: nil))
        configuration.memory = AdapterMemory(lineRate: remembered)
        return Runner(
            core: try SessionCore(memory: AdapterMemory()), configuration: configuration,
            dialect: ScriptDialect(),
            decoder: ResponseDecoder(table: PIDTable(), monitors: MonitorTables()), sinks: [],
            observers: [], ready: try Promise<Void>())
    }

    /// A session on `path` that behaves as if the pty were a serial line.
    private func line(_ path: String) throws -> DescriptorSession {
        let descriptor = sys_open_tty(path)
        try #require(descriptor >= 0)
        try #require(sys_tty_make_raw(descriptor) == 0)
        return DescriptorSession(descriptor: descriptor, kind: .serialLine, name: path)
    }

    @Test func `the rate is found by asking at one rate after another`() throws {
        let adapter = try RatedAdapter(rate: 9_600)
        var runner = try runner(adapter.path, remembered: nil)
        var session = try line(adapter.path)
        let isSettled = try runner.settleRate(of: &session)
        #expect(isSettled)
        let rate = session.lineRate
        #expect(rate == 9_600)
        // Each rate before the right one was tried twice, in the order of the plan.
        #expect(adapter.asked.starts(with: [38_400, 38_400, 115_200, 115_200, 9_600]))
    }

    @Test func `a remembered rate is used without a search`() throws {
        let adapter = try RatedAdapter(rate: 230_400)
        var runner = try runner(adapter.path, remembered: 230_400)
        var session = try line(adapter.path)
        let isSettled = try runner.settleRate(of: &session)
        #expect(isSettled)
        let rate = session.lineRate
        #expect(rate == 230_400)
        #expect(adapter.asked == [])
    }

    /// A different adapter has the same name, or the adapter was set to a different rate.
    @Test(arguments: [
        InitialisationFailure.silent, .notUnderstood(received: 3),
    ])
    func `a wrong remembered rate is searched for`(_ failure: InitialisationFailure) throws {
        let adapter = try RatedAdapter(rate: 9_600)
        var runner = try runner(adapter.path, remembered: 115_200)
        let report = ErrorReport(
            reason: .initialisation(failure), phase: .initializing, attempt: 1, next: .givenUp)
        var session = try line(adapter.path)
        let isTrusted = try runner.settleRate(of: &session)
        #expect(isTrusted)
        runner.carryOut(.report(report))
        let next = runner.followUps
        let goesOn = runner.driver.life.end == nil
        #expect(next == [.retry] && goesOn)
        let isSettled = try runner.settleRate(of: &session)
        #expect(isSettled)
        let rate = session.lineRate
        #expect(rate == 9_600)
        // If the set-up fails at a rate that was found, the search does not start again.
        runner.carryOut(.report(report))
        let isOver = runner.driver.life.end != nil
        #expect(isOver)
    }

    @Test func `any number can be a line rate`() throws {
        let adapter = try RatedAdapter(rate: 128_000)
        let session = try line(adapter.path)
        try session.setLineRate(128_000)
        let rate = session.lineRate
        #expect(rate == 128_000)
        #expect(adapter.asked == [])
    }

    @Test func `the search stops when the session is stopped`() throws {
        let adapter = try RatedAdapter(rate: 1)
        var runner = try runner(adapter.path, remembered: nil)
        runner.core.requestStop()
        var session = try line(adapter.path)
        let isSettled = try runner.settleRate(of: &session)
        #expect(!isSettled)
    }
}
