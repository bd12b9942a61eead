import Foundation
import SystemIO
import Testing

@testable import ObdscanCLI

@Suite struct `The voice of a test` {
    /// Speaks by a program that notes what it begins and ends, and needs five seconds for "slow".
    private func spoken(_ body: (SpokenVoice, _ log: () -> [String]) -> Void) throws -> (
        log: [String], seconds: Double
    ) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (script, file) = (folder.path + "/say", folder.path + "/log")
        try """
        echo "begin $1" >> \(file)
        [ "$1" = slow ] && sleep 5
        echo "end $1" >> \(file)
        exit 0
        """.write(toFile: script, atomically: true, encoding: .utf8)
        let log = {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
        let voice = try SpokenVoice("sh \(script)") { Issue.record("\($0)") }
        let thread = try voice.start()
        let start = Date()
        body(voice, log)
        thread.join()
        return (log(), Date().timeIntervalSince(start))
    }

    @Test func `whoever stops the test does not wait for what is left to say`() throws {
        let (log, seconds) = try spoken { voice, log in
            voice.say("slow", isUrgent: false)
            voice.say("later", isUrgent: false)
            while log().isEmpty { usleep(10_000) }
            voice.end(atOnce: true)
        }
        #expect(log == ["begin slow"] && seconds < 4)
    }

    @Test func `the last sentences are spoken`() throws {
        let log = try spoken { voice, _ in
            voice.say("one", isUrgent: false)
            voice.say("two", isUrgent: false)
            voice.end(atOnce: false)
        }.log
        #expect(log == ["begin one", "end one", "begin two", "end two"])
    }

    @Test func `an urgent sentence cuts the one before it off`() throws {
        let (log, seconds) = try spoken { voice, log in
            voice.say("slow", isUrgent: false)
            while log().isEmpty { usleep(10_000) }
            voice.say("now", isUrgent: true)
            voice.end(atOnce: false)
        }
        #expect(log == ["begin slow", "begin now", "end now"] && seconds < 4)
    }

    @Test func `an urgent sentence does not cut itself off`() throws {
        for _ in 0..<30 {
            let log = try spoken { voice, _ in
                voice.say("now", isUrgent: true)
                voice.end(atOnce: false)
            }.log
            #expect(log == ["begin now", "end now"])
        }
    }
}
