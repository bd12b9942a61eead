import Foundation
import SystemIO
import Testing

@Suite struct `Changing the configuration` {
    private let program: Program
    private var file: URL { program.home.appendingPathComponent(".config/obdscan/config.toml") }

    init() throws {
        program = try Program()
    }

    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `a change to a file with a wrong line names that line and writes nothing`() throws {
        defer { program.remove() }
        let text = "# mine\n\n[views]\na = 5.5\nb = true\n"
        try write(text)
        let result = try program.run(["config", "set", "device", "sim:"])
        #expect(result.status == 78)
        #expect(result.errors.contains("config.toml:5: views.b has to be a list"))
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        // `config set` can fix the wrong setting itself.
        try write("units = \"furlongs\"\n")
        #expect(try program.run(["config", "set", "units", "us"]).status == 0)
    }

    @Test func `a change leaves only the configuration behind`() throws {
        defer { program.remove() }
        #expect(try program.run(["config", "set", "units", "us"]).status == 0)
        let folder = file.deletingLastPathComponent()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.toml"])
    }

    /// Each lock removes its file, so that the next one has to find out that it waited for a removed file.
    @Test func `a lock keeps programs apart although its file is removed`() throws {
        defer { program.remove() }
        let path = program.home.appendingPathComponent("counter").path
        try Data("0".utf8).write(to: URL(fileURLWithPath: path))
        let (threads, rounds) = (8, 50)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds {
                guard let lock = try? FileLock(beside: path) else { continue }
                let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                try? "\((Int(text) ?? 0) + 1)".write(
                    toFile: path, atomically: false, encoding: .utf8)
                withExtendedLifetime(lock) {}
            }
        }
        let count = try String(contentsOfFile: path, encoding: .utf8)
        #expect(count == "\(threads * rounds)")
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
    }

    @Test func `a user's setting may lift a limit in the file for all users`() throws {
        defer { program.remove() }
        try write("")
        for (name, value) in [("keep", "off"), ("keep-free", "off"), ("signals", "all")] {
            let set = try program.run(["config", "set", name, value])
            #expect(set.status == 0, "\(set.errors)")
            #expect(try program.run(["config", "get", name]).output == value + "\n")
        }
    }

    @Test func `removing the user's value reports a value that another source sets`() throws {
        defer { program.remove() }
        try write("units = \"us\"\n")
        let shared = program.home.appendingPathComponent("shared.toml")
        try Data("units = \"uk\"\nkeep = \"30d\"\n".utf8).write(to: shared)
        var variables = ["OBDSCAN_SYSTEM_CONFIG": shared.path]
        func run(_ words: [String]) throws -> Program.Result {
            try program.run(["config"] + words, environment: variables)
        }
        let removed = try run(["unset", "units"])
        #expect(removed.status == 0)
        #expect(removed.errors == "units is still set by \(shared.path)\n")
        #expect(try run(["get", "units"]).output == "uk\n")
        #expect(try run(["unset", "codes"]).errors == "")
        variables["OBDSCAN_UNITS"] = "imperial"
        #expect(try run(["get", "units"]).output == "imperial\n")
        #expect(try run(["unset", "units"]).errors == "units is still set by OBDSCAN_UNITS\n")
    }

    @Test func `a logo in the settings has to exist`() throws {
        defer { program.remove() }
        try write("")
        let missing = program.home.appendingPathComponent("logo.svg")
        let result = try program.run(["config", "set", "logo", missing.path])
        #expect(result.status == 66 && result.errors.contains(missing.path), "\(result.errors)")
        try Data("<svg/>".utf8).write(to: missing)
        #expect(try program.run(["config", "set", "logo", missing.path]).status == 0)
    }

    @Test func `a wrong setting is ignored if the command line has its option`() throws {
        defer { program.remove() }
        try write("device = \"tpc:192.168.0.10:35000\"\n")
        let wrong = try program.run(["read", "rpm"])
        #expect(wrong.status == 78 && wrong.errors.contains("config.toml:1: device"))
        for words in [["-d", "sim:"], ["--device", "sim:"], ["--device=sim:"], ["-qd", "sim:"]] {
            #expect(try program.run(["read", "rpm"] + words).status == 0, "\(words)")
        }
        #expect(try program.run(["trips"]).status == 78)
        let check = try program.run(["config", "check"])
        #expect(check.status == 78 && check.errors.contains("config.toml:1: device"))
        // Other wrong settings still stop the command, and correct ones still apply.
        try write("device = \"x:\"\nadapter = \"elf\"\n")
        let other = try program.run(["read", "rpm", "-d", "sim:"])
        #expect(other.status == 78 && other.errors.contains("config.toml:2: adapter"))
        try write("device = \"x:\"\nunits = \"us\"\n")
        let read = try program.run(["read", "ECT", "-d", "sim:"])
        #expect(read.status == 0 && read.output.contains("°F"))
    }

    @Test func `a view with an unknown signal is named, with its file`() throws {
        defer { program.remove() }
        try write("[views]\nx = [\"rpm\", \"bogus\"]\n")
        for command in [
            ["live", "-d", "sim:"], ["serve", "--listen", "127.0.0.1:0", "-d", "sim:"],
        ] {
            let result = try program.run(command + ["--view", "x"])
            #expect(result.status == 64)
            #expect(
                result.errors.contains(
                    "no signal is called \"bogus\"; the view x of \(file.path) names it"),
                "\(result.errors)")
        }
    }

    @Test(
        arguments: [
            (["rpm,speed"], 64), (["rpm", "bogus"], 64), (["rpm@often"], 64),
            (["rpm@2s", "ect"], 0),
            // A signal of a pack.
            (["rpm", "I3_SOC"], 0),
        ] as [([String], Int32)])
    func `a view is stored only if its signals are known`(signals: [String], status: Int32) throws {
        defer { program.remove() }
        try write("units = \"us\"\n")
        let result = try program.run(["config", "set", "views.mine"] + signals)
        #expect(result.status == status, "\(result.errors)")
        let stored = try String(contentsOf: file, encoding: .utf8)
        #expect(stored.contains("mine") == (status == 0))
        #expect(status == 0 || result.errors.contains("hint: "))
    }

    @Test func `a file that is not text is left unchanged`() throws {
        defer { program.remove() }
        try write("")
        try Data([0x23, 0xFF, 0x0A]).write(to: file)
        #expect(try program.run(["config", "set", "device", "sim:"]).status == 78)
        #expect(try Data(contentsOf: file) == Data([0x23, 0xFF, 0x0A]))
    }

    @Test func `an alias can be a device, and removing a used alias is reported`() throws {
        defer { program.remove() }
        #expect(try program.run(["config", "set", "device", "van"]).status == 64)
        #expect(try program.run(["config", "set", "aliases.van", "sim:"]).status == 0)
        #expect(try program.run(["config", "set", "device", "van"]).status == 0)
        let gone = try program.run(["config", "unset", "aliases.van"])
        #expect(gone.status == 0 && gone.errors.hasPrefix("device is still van;"))
        let lost = try program.run(["read", "rpm"])
        #expect(lost.status == 64 && lost.errors.contains("the configuration file names it"))
    }

    @Test func `the error for a setting that only an editor can remove names the editor`() throws {
        defer { program.remove() }
        let text = "aliases = { van = \"sim:\" }\n"
        try write(text)
        let unset = try program.run(["config", "unset", "aliases.van"])
        #expect(unset.status == 78 && unset.errors.contains("only an editor"))
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func `a sink is removed with all of its settings`() throws {
        defer { program.remove() }
        try write(
            """
            # mine
            [publish.home]
            to = "mqtt://ha"
            tags = { place = "north" }

            [publish.work]
            to = "influx+http://db:8428"

            """)
        let asked = try program.run(["config", "get", "publish.home"])
        #expect(asked.status == 64 && asked.errors.contains("such as publish.home.to"))
        #expect(try program.run(["config", "unset", "publish.home"]).status == 0)
        #expect(
            try String(contentsOf: file, encoding: .utf8)
                == "# mine\n\n[publish.work]\nto = \"influx+http://db:8428\"\n")
        let gone = try program.run(["config", "unset", "publish.home"])
        #expect(gone.status == 64 && gone.errors.contains("\"publish.home\" is not a setting"))
    }

    @Test func `a name of one adapter is never moved to another adapter`() throws {
        defer { program.remove() }
        #expect(
            try program.run(["config", "set", "aliases.van", "tcp:10.0.0.1:35000"]).status == 0)
        let setup = try program.run(["setup", "-d", "sim:?latency=0", "--name", "van"])
        #expect(setup.status == 64)
        #expect(setup.errors.contains("van is the name of tcp:10.0.0.1:35000 already"))
        #expect(
            try program.run(["config", "get", "aliases.van"]).output == "tcp:10.0.0.1:35000\n")
        let free = try program.run(["setup", "-d", "sim:?latency=0", "--name", "bus"])
        #expect(free.status == 0, "\(free.errors)")
    }

    @Test
    func `the user's file precedes the file for all users, and the list shows the source`()
        throws
    {
        defer { program.remove() }
        let shared = try program.file(
            "all.toml", "units = \"uk\"\nkeep = \"365d\"\nkeep-free = \"5\"\n")
        let variables = ["OBDSCAN_SYSTEM_CONFIG": shared, "OBDSCAN_DEVICE": "sim:"]
        func run(_ words: [String]) throws -> Program.Result {
            try program.run(words, environment: variables)
        }
        // Root's fault is named with its file, and an option or the user's own file overrides it.
        let wrong = try run(["trips"])
        #expect(wrong.status == 78)
        #expect(
            wrong.errors.contains(
                "\(shared):3: keep-free: \"5\" is neither off nor a size such as 500MB or 2GB, of 1 MB or more"
            )
        )
        #expect(!wrong.errors.contains("config edit"))
        #expect(try run(["log", "--duration", "100ms", "--keep-free", "off", "-q"]).status == 0)
        try write("units = \"us\"\nkeep-free = \"2GB\"\n")
        let list = try run(["config"])
        #expect(list.status == 0, "\(list.errors)")
        #expect(
            list.output == """
                device = sim:  # OBDSCAN_DEVICE
                units = us
                keep = 365d  # \(shared)
                keep-free = 2GB

                """)
        let rows = try run(["config", "--format", "json"]).objects
        let keep = try #require(rows.first { $0["name"] as? String == "keep" })
        #expect(keep["source"] as? String == shared && keep["commands"] as? [String] == ["log"])
        #expect((keep["meaning"] as? String)?.contains("deletes drives") == true)
    }

    @Test func `log follows the configuration, and its options override it`() throws {
        defer { program.remove() }
        try write("signals = [\"rpm\"]\ncodes = false\ncommit-every = \"50ms\"\n")
        func log(_ words: [String]) throws -> Program.Result {
            try program.run(
                ["log", "-d", "sim:?latency=0", "--duration", "1s", "--format", "json"] + words)
        }
        func signals(_ result: Program.Result) -> Set<String> {
            Set(result.objects.compactMap { $0["signal"] as? String })
        }
        func codes() throws -> Int {
            let lists = try program.run(["dtc", "history", "--format", "json"])
            return lists.objects.count
        }
        let configured = try log([])
        #expect(configured.status == 0, "\(configured.errors)")
        #expect(signals(configured).isSuperset(of: ["RPM"]) && !signals(configured).contains("VSS"))
        #expect(try codes() == 0)
        #expect(signals(try log(["speed"])).isDisjoint(with: ["RPM", "ECT"]))
        let all = try log(["all", "--codes"])
        #expect(signals(all).count > 10)
        #expect(try codes() > 0)
        try write("signals = [\"rpm\", \"bogus\"]\n")
        let unknown = try log([])
        #expect(unknown.status == 64)
        #expect(
            unknown.errors.contains("called \"bogus\"; signals of \(file.path) names it"),
            "\(unknown.errors)")
        // A list that does not name known signals is not stored.
        #expect(try program.run(["config", "set", "signals", "rpm", "bogsu"]).status == 64)
        #expect(try program.run(["config", "set", "signals", "rpm@10Hz", "ect"]).status == 0)
    }

    @Test func `tables of the configuration are added, and one with a fault is left out`() throws {
        defer { program.remove() }
        let table = Program.folder.appendingPathComponent("own.pids").path
        let list = ["pids", "show", "OWN_TEMP"]
        #expect(try program.run(list).status != 0)
        try write("pids = [\"\(table)\"]\n")
        let known = try program.run(list)
        #expect(known.status == 0, "\(known.errors)")
        try write("pids = [\"\(table)\", \"/nowhere.pids\"]\n")
        let missing = try program.run(list)
        #expect(missing.status == 0, "\(missing.errors)")
        #expect(missing.errors.contains("/nowhere.pids: "), "\(missing.errors)")
        #expect(missing.errors.contains("the whole file is left out"))
    }
}
