import Testing

@testable import ObdscanCLI

/// The words that shells get.
///
/// `scripts/completions` tests that the shells show them.
@Suite struct `Completing a command line` {
    private func words(_ line: String) -> [String] {
        Completion(line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
            .offers.map(\.word)
    }

    @Test(arguments: [
        ("li", ["live"]), ("help tr", ["trips"]), ("help trips sh", ["show", "shift"]),
        ("trips sh", ["show", "shift"]), ("nothing ", []), ("nothing -", ["--help", "--version"]),
        ("live --dur", ["--duration"]), ("live --duration 5s --dur", []),
        ("live --alarm ECT>1 --alarm", ["--alarm", "--alarm-command"]),
        ("live --alarm=ECT>1 --why --wh", []), ("live -- --dur", []), ("live --duration --dur", []),
        ("live --view en", ["engine"]), ("live --view=en", ["--view=engine"]),
        ("live rpm --format=j", ["--format=json"]), ("trips --format j", ["json"]),
        ("dtc --exit", ["--exit-code"]), ("pids show rpm rp", ["rpm"]),
        ("simulate --personality clone-1", ["clone-1.5"]), ("read --protocol iso9", ["iso9141-2"]),
        ("read RP", ["RPM"]), ("live coolant-t", ["coolant-temp"]),
        ("live -d sim:die", ["sim:diesel"]),
        ("live -d", []), ("export --layout ", ["wide", "long"]),
    ])
    func `completions fit their position and begin with the typed text`(
        line: String, expected: [String]
    ) {
        #expect(words(line) == expected)
    }

    @Test func `every command that runs offers its own options, each once`() {
        for path in `Help`.paths {
            let offered = words((path + ["--"]).joined(separator: " "))
            #expect(offered.contains("--help"), "\(path)")
            #expect(Set(offered).count == offered.count, "\(path)")
        }
        #expect(words("live --").contains("--log"))
        #expect(!words("trips --").contains("--duration"))
    }

    @Test func `signals of packs are suggested only after the begin of a name`() {
        let all = words("live ")
        #expect(all.contains("rpm") && all.contains("coolant-temp"))
        #expect(all.count > 50 && all.count < 500)
        #expect(words("live s").allSatisfy { $0.hasPrefix("s") })
        #expect(words("live --pack nissan-leaf le").count > words("live le").count)
    }

    @Test func `shells get words with descriptions and whether files fit`() {
        #expect(Completion(["simulate", "die"]).text.hasPrefix("diesel\t"))
        #expect(Completion(["decode", "tri"]).text == ":files\n")
        #expect(Completion(["live", "--db", ""]).text == ":files\n")
        #expect(Completion(["live", "--db=x"]).text.isEmpty)
        #expect(Completion(["live", "-d", "./tri"]).text == ":files\n")
        #expect(!Completion(["live", "-d", ""]).takesFile)
        #expect(Completion([]).text.contains("live\t"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell's script asks the program and is printed on request`(shell: String) {
        let script = ObdscanCommand.completion(for: ["--generate-completion-script", shell])
        #expect(script?.contains("---complete") == true)
        #expect(ObdscanCommand.completion(for: ["--generate-completion-script", "tcsh"]) == nil)
        #expect(ObdscanCommand.completion(for: ["live"]) == nil)
    }
}
