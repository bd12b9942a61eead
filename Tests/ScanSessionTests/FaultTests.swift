import Accessory
import Adapters
import Diagnostics
import Foundation
import OBDCore
import ScanSession
import ScanTool
import ScanToolTestSupport
import Synchronization
import Testing

private let read = ScriptDialect.read
private let clear = ScriptDialect.clear
private let rpm = PollPlan.Want(DataID(.currentData, 0x0C), length: 2)

@Suite struct `A scan session with failures` {
    /// The failure of a request; nil if it was answered.
    private func failure(
        of request: AdapterRequest, _ session: ScanSession
    ) -> Failure? {
        do throws(ScanError) {
            _ = try session.ask(request)
        } catch {
            if case .requestFailed(let failure, _) = error { return failure }
        }
        return nil
    }

    @Test func `a session reports that no answer arrives`() {
        let peer = Peer(.byte) { _, _ in .nothing }
        #expect(throws: ScanError.initialisation(.silent)) {
            _ = try ScanSession.scripted(peer, patience: .milliseconds(10))
        }
        // Only one set-up: the dialect has tried all its first commands by then.
        #expect(peer.heard == ["I"])
    }

    @Test func `a session reports a missing adapter`() {
        let configuration = SessionConfiguration(
            connector: .serial(path: "/dev/obdscan-none", rate: nil))
        #expect(throws: ScanError.accessory(.serial(.notFound(path: "/dev/obdscan-none")))) {
            _ = try ScanSession.start(
                configuration, dialect: ScriptDialect(),
                decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()))
        }
    }

    @Test(arguments: [SessionConfiguration.Reconnect.never, .always])
    func `a session that starts reports a missing adapter at once, even if it may reconnect`(
        _ reconnect: SessionConfiguration.Reconnect
    ) {
        let peer = Peer(.byte) { _, _ in .hangUp }
        #expect(throws: ScanError.linkLost(.lost(address: "peer", errno: 0))) {
            _ = try ScanSession.scripted(peer, reconnect: reconnect)
        }
    }

    @Test func `a session survives noise before and around all answers`() throws {
        let noise = [UInt8](repeating: 0, count: 300) + (128...255).map { UInt8($0) }
        let peer = Peer(.byte) { heard, _ in
            switch heard {
            case "I": .bytes(noise + Array("r".utf8) + noise)
            case "R": .bytes(noise + Array("m".utf8) + noise + Array(">".utf8))
            default: .nothing
            }
        }
        let session = try ScanSession.scripted(peer)
        for _ in 0..<5 {
            #expect(try session.ask(read).reply.messages == [ScriptDialect.answer])
        }
        session.stop()
    }

    @Test func `a session interrupts an adapter that sends without end, and continues`() throws {
        let peer = Peer(.byte) { heard, _ in
            switch heard {
            case "I": .say("r")
            case "R": .talkOn("mmmm")
            case "W": .say(">")
            case "!": .say(">")
            default: .nothing
            }
        }
        let session = try ScanSession.scripted(peer, replyLimit: .milliseconds(50))
        #expect(failure(of: read, session) == .timedOut)
        #expect(try session.ask(clear).reply.messages.isEmpty)
        #expect(session.statistics.timeouts == 1)
        session.stop()
    }

    @Test
    func `a session sets the adapter up again if no prompt follows the interruption`() throws {
        let setUps = Mutex(0)
        let peer = Peer(.byte) { heard, _ in
            switch heard {
            case "I":
                setUps.withLock { $0 += 1 }
                return .say("r")
            case "R": return .nothing
            case "W": return .say("m>")
            default: return .nothing
            }
        }
        let session = try ScanSession.scripted(
            peer, patience: .seconds(20), interruptLimit: .milliseconds(10),
            replyLimit: .milliseconds(10))
        #expect(failure(of: read, session) == .timedOut)
        #expect(try session.ask(clear).reply.messages.count == 1)
        #expect(setUps.withLock { $0 } == 2)
        session.stop()
    }

    @Test
    func `a pulled cable fails a question, and ends the session if reconnecting is not allowed`()
        throws
    {
        let peer = Peer(.byte) { heard, _ in heard == "I" ? .say("r") : .hangUp }
        let session = try ScanSession.scripted(peer)
        #expect(failure(of: clear, session) == .linkLost)
        let lost = ScanError.linkLost(.lost(address: "peer", errno: 0))
        #expect(try session.await { $0 == .sessionDidEnd(lost) })
        #expect(throws: lost) { _ = try session.ask(read) }
    }

    @Test func `a session notices a pulled cable while no request is sent`() throws {
        // The test hangs up right after the set-up.
        let peer = Peer(.byte) { heard, _ in heard == "I" ? .say("r") : .nothing }
        let ends = Mutex<[Int32]>([])
        let configuration = SessionConfiguration(
            connector: .descriptor(name: "peer") { () throws(AccessoryError) in
                let descriptor = try peer.connect()
                ends.withLock { $0.append(dup(descriptor)) }
                return descriptor
            })
        let session = try ScanSession.start(
            configuration, dialect: ScriptDialect(),
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()))
        for end in ends.withLock({ $0 }) { shutdown(end, Int32(SHUT_RDWR)) }
        #expect(try session.await { $0.name == "sessionDidEnd" })
        session.stop()
        for end in ends.withLock({ $0 }) { close(end) }
    }

    @Test func `a session reconnects, continues the poll, and repeats no writing request`() throws {
        let peer = Peer(.byte) { heard, connection in
            switch heard {
            case "I": .say("r")
            // The first connection ends during a clear of codes.
            case "W": connection == 1 ? .hangUp : .say("m>")
            case "R": .say("m>")
            default: .nothing
            }
        }
        let store = try Store()
        let session = try ScanSession.scripted(peer, reconnect: .always, sinks: [store])
        session.poll(PollPlan(wants: [rpm]))
        #expect(failure(of: clear, session) == .linkLost)
        #expect(try session.await { $0.name == "toolDidInitialize" })
        // A request waits for the new session.
        #expect(try session.ask(read).reply.messages.count == 1)
        session.stop()
        #expect(session.statistics.reconnects == 1)
        #expect(peer.heard.filter { $0 == "W" } == ["W"])
        #expect(peer.heard.filter { $0 == "I" } == ["I", "I"])
    }

    @Test func `a session repeats a reading request after reconnecting`() throws {
        let peer = Peer(.byte) { heard, connection in
            switch heard {
            case "I": .say("r")
            case "R": connection == 1 ? .hangUp : .say("m>")
            default: .nothing
            }
        }
        let session = try ScanSession.scripted(peer, reconnect: .always)
        #expect(try session.ask(read).reply.messages.count == 1)
        session.stop()
        #expect(peer.heard == ["I", "R", "I", "R"])
    }

    @Test func `a session gives up after the set number of attempts`() throws {
        let opened = Mutex(0)
        let peer = Peer(.byte) { heard, _ in heard == "I" ? .say("r") : .hangUp }
        var configuration = SessionConfiguration(
            connector: .descriptor(name: "peer") { () throws(AccessoryError) in
                let count = opened.withLock { count in
                    count += 1
                    return count
                }
                guard count == 1 else { throw .serial(.notFound(path: "peer")) }
                return try peer.connect()
            })
        configuration.reconnect = .always
        configuration.reconnectTries = 4
        configuration.policy.firstPause = .milliseconds(1)
        let session = try ScanSession.start(
            configuration, dialect: ScriptDialect(),
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()))
        #expect(failure(of: clear, session) == .linkLost)
        let end = ScanError.linkLost(.serial(.notFound(path: "peer")))
        #expect(try session.await { $0 == .sessionDidEnd(end) })
        session.stop()
        // One attempt at the start, and four after failures.
        #expect(opened.withLock { $0 } == 5)
    }

    /// A weak power supply fails at each request.
    ///
    /// The caller gets the failure after the second one.
    @Test
    func `a session sends a request at most twice to an adapter that restarts each time`() throws {
        let peer = Peer(.byte) { heard, _ in
            switch heard {
            case "I": .say("r")
            case "R": .say("z")
            default: .nothing
            }
        }
        let session = try ScanSession.scripted(peer)
        #expect(failure(of: read, session) == .adapterRestarted)
        session.stop()
        #expect(peer.heard.count { $0 == "R" } == 2)
    }

    @Test
    func `a session sets up a restarted adapter and repeats only requests that read`() throws {
        let count = Peer.Counter()
        let peer = Peer(.byte) { heard, _ in
            switch heard {
            case "I": return .say("r")
            case "R", "W":
                return .say([1, 3].contains(count.next()) ? "z" : "m>")
            default: return .nothing
            }
        }
        let session = try ScanSession.scripted(peer)
        #expect(try session.ask(read).reply.messages.count == 1)
        #expect(failure(of: clear, session) == .adapterRestarted)
        session.stop()
        // Another set-up may have begun before the end.
        #expect(peer.heard.starts(with: ["I", "R", "I", "R", "W"]))
        #expect(peer.heard.dropFirst(5).allSatisfy { $0 == "I" })
    }

    @Test func `a session survives an adapter that hangs up at any point`() throws {
        // The peer hangs up at the n-th word that it gets. The session must end, at any point.
        for point in 1...12 {
            let words = Mutex(0)
            let peer = Peer(.byte) { heard, _ in
                let count = words.withLock { count in
                    count += 1
                    return count
                }
                if count == point { return .hangUp }
                switch heard {
                case "I": return .say("r")
                case "R", "W": return .say("m>")
                default: return .nothing
                }
            }
            do throws(ScanError) {
                let session = try ScanSession.scripted(peer)
                session.poll(PollPlan(wants: [rpm]))
                let ended = try? session.await { $0.name == "sessionDidEnd" }
                #expect(ended == true)
                session.stop()
            } catch {
                #expect(error == .linkLost(.lost(address: "peer", errno: 0)))
                #expect(point == 1)
            }
        }
    }
}
