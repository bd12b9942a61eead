import Foundation
import Testing

/// An alarm starts a program without a shell.
@Suite(.ownThreads) struct `A program started by an alarm` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Characters that a shell would interpret arrive as they were typed.
    @Test
    func `the command gets its arguments unchanged and the alarm in its environment`() async throws
    {
        let heard = workplace.path("heard")
        let program = try workplace.file(
            "tell",
            """
            { printf '<%s>\\n' "$@"; env | grep ^OBDSCAN_ | grep -v ^OBDSCAN_DB | sort; } >'\(heard).new'
            mv '\(heard).new' '\(heard)'
            """)
        let trap = workplace.path("trap")
        // The coolant of the simulated car is warm, so the alarm starts.
        let outcome = try await workplace.shell(
            """
            "$OBDSCAN" log ect -d 'sim:?frozen=true' --duration 1s --alarm 'ECT>10' \
                --alarm-command '/bin/sh \(program) a;b $(touch \(trap)) `touch \(trap)` *' || exit
            until test -e '\(heard)'; do sleep 0.05; done
            """)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = try String(contentsOfFile: heard, encoding: .utf8)
            .split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(6) == [
                "<a;b>", "<$(touch>", "<\(trap))>", "<`touch>", "<\(trap)`>", "<*>",
            ])
        #expect(lines.dropFirst(6).first?.hasPrefix("<ECT>10: 7E8 ") == true, "\(lines)")
        #expect(lines.contains("OBDSCAN_ALARM=ECT>10"))
        #expect(lines.contains("OBDSCAN_SIGNAL=ECT"))
        #expect(lines.contains("OBDSCAN_UNIT=°C"))
        #expect(!FileManager.default.fileExists(atPath: trap))
    }

    @Test func `a missing command is reported, and the recording continues`() async throws {
        let outcome = try await workplace.run([
            "log", "ect", "-d", "sim:?frozen=true", "--duration", "1s", "--alarm", "ECT>10",
            "--alarm-command", "/nowhere/tell",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("/nowhere/tell: No such file or directory"), "\(outcome)")
        #expect(try await workplace.run(["trips", "--format", "json"]).objects().count == 1)
    }
}
