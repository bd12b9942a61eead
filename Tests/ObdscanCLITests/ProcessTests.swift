import Foundation
import Testing

/// Behaviour that needs a whole process: signals, pipes, devices, and files that the next command
/// reads.
@Suite(.serialized) struct `The program at work` {
    private static let vehicle = "sim:petrol?frozen=true&latency=1ms"

    // MARK: Configuration

    @Test(arguments: [
        ["read", "rpm", "-d", "sim:"], ["live", "rpm", "-d", "sim:", "--duration", "1s"], ["trips"],
        ["pids", "count"], [],
    ])
    func `a wrong line of the configuration stops every command except config`(
        _ arguments: [String]
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let folder = program.home.appendingPathComponent(".config/obdscan")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("units = \"imperal\"\n".utf8).write(
            to: folder.appendingPathComponent("config.toml"))
        let result = try program.run(arguments)
        #expect(result.status == 78, "\(result)")
        #expect(result.errors.contains("config.toml:1: "))
        #expect(try program.run(["config", "set", "units", "imperial"]).status == 0)
        #expect(try program.run(["pids", "count"]).status == 0)
    }

    // MARK: Trips

    @Test func `a trip is logged, listed, shown and exported`() throws {
        let program = try Program()
        defer { program.remove() }
        // Wait until both ECUs have answered, even on a slow machine.
        let log = try program.run(
            ["log", "rpm", "speed", "--format", "json", "-d", Self.vehicle], until: "\"RPM\"",
            count: 10)
        #expect(log.status == 0)
        let summary = try #require(log.objects.last)
        #expect(summary["kind"] as? String == "summary")
        #expect(summary["trip"] as? Int == 1)
        for key in [
            "seconds", "readings", "requests", "batched", "readingsPerSecond", "roundTrip",
            "timeouts", "errors", "reconnects",
        ] {
            #expect(summary[key] != nil, "\(key)")
        }
        let printed = log.objects.filter { $0["signal"] as? String == "RPM" }
        #expect(!printed.isEmpty)

        let list = try program.run(["trips", "--format", "json"])
        let trip = try #require(list.objects.first)
        #expect(trip["kind"] as? String == "trip")
        #expect(trip["id"] as? Int == 1)
        #expect(trip["open"] as? Bool == false)
        #expect(trip["vin"] as? String == "5XXBD1GA8LX000042")

        let show = try program.run(["trips", "show"])
        #expect(show.status == 0)
        #expect(show.output.contains("Engine speed"))

        let file = program.home.appendingPathComponent("trip.jsonl").path
        #expect(try program.run(["export", "1", "--to", file]).status == 0)
        let exported = try String(contentsOfFile: file, encoding: .utf8)
            .split(separator: "\n").filter { $0.contains("\"signal\":\"RPM\"") }
        #expect(exported.count == printed.count)
        // A reading is the same object in each output.
        let first = try #require(log.output.split(separator: "\n").first { $0.contains("\"RPM\"") })
        #expect(exported.first == first)

        let csv = try program.run(["export", "--format", "csv", "--signal", "RPM"])
        #expect(csv.output.hasPrefix("time,7E8 RPM (rpm),7E9 RPM (rpm)\r\n"))
        let byAlias = try program.run(["export", "--format", "csv", "--signal", "engine-speed"])
        #expect(byAlias.output == csv.output)
        let partly = try program.run(["export", "--signal", "RPM", "--signal", "nonsense"])
        #expect(partly.status == 64 && partly.errors.contains("no trip has the signal nonsense"))
        #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
        #expect(try program.run(["export", "9", "--to", file]).status == 64)
        #expect(try program.run(["export", "--to", "/nosuchfolder/x.csv"]).status == 73)
        #expect(try program.run(["export", "--to", "trip.xyz"]).status == 64)
    }

    @Test func `files with a VIN are readable only by their owner`() throws {
        let program = try Program()
        defer { program.remove() }
        let recording = program.home.appendingPathComponent("talk.transcript").path
        let journal = program.home.appendingPathComponent("obdscan.log").path
        let log = try program.run([
            "log", "rpm", "--duration", "100ms", "-d", Self.vehicle, "--record", recording,
            "--log-file", journal,
        ])
        #expect(log.status == 0)
        #expect(try program.run(["config", "set", "units", "us"]).status == 0)
        let configuration = program.home.appendingPathComponent(".config/obdscan/config.toml").path
        for path in [program.database.path, recording, journal, configuration] {
            #expect(try Self.mode(path) == 0o600, "\(path)")
        }
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a file that the user names obeys the umask and later keeps its permissions`()
        throws
    {
        let program = try Program()
        defer { program.remove() }
        #expect(
            try program.run(["log", "rpm", "--duration", "100ms", "-d", Self.vehicle]).status == 0)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        let mask = try #require(Int(line.split(separator: "\t").last ?? "", radix: 8))
        for (name, command) in [
            ("trip.csv", ["export"]), ("trip.html", ["trips", "report"]),
            ("codes.csv", ["dtc", "-d", Self.vehicle]),
            ("car.html", ["dtc", "report", "-d", Self.vehicle]),
        ] {
            let path = program.home.appendingPathComponent(name).path
            #expect(try program.run(command + ["--to", path]).status == 0, "\(command)")
            #expect(try Self.mode(path) == 0o666 & ~mask, "\(name)")
        }
        let path = program.home.appendingPathComponent("trip.csv").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try program.run(["export", "--to", path]).status == 0)
        #expect(try Self.mode(path) == 0o640)
    }

    @Test func `a database that a newer obdscan wrote is not changed`() throws {
        let program = try Program()
        defer { program.remove() }
        #expect(
            try program.run(["log", "rpm", "--duration", "100ms", "-d", Self.vehicle]).status == 0)
        // SQLite stores the user version at offset 60 of the header, most significant byte first.
        let file = try FileHandle(forUpdating: program.database)
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 0x7F, 0xFF]))
        try file.close()
        for arguments in [["trips"], ["log", "rpm", "-d", Self.vehicle], ["export"]] {
            let result = try program.run(arguments)
            #expect(result.status == 65, "\(arguments)")
            #expect(result.errors.contains("newer obdscan"), "\(result.errors)")
            #expect(result.errors.contains("hint: "))
        }
        // Commands that need no database still work.
        #expect(try program.run(["read", "rpm", "-d", Self.vehicle]).status == 0)
    }

    @Test func `a configuration that is a symbolic link stays a link`() throws {
        let program = try Program()
        defer { program.remove() }
        let own = program.home.appendingPathComponent("dotfiles.toml")
        let folder = program.home.appendingPathComponent(".config/obdscan")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("# mine\n".utf8).write(to: own)
        let link = folder.appendingPathComponent("config.toml")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own)
        #expect(try program.run(["config", "set", "units", "us"]).status == 0)
        let text = try String(contentsOf: own, encoding: .utf8)
        #expect(text.hasPrefix("# mine\n") && text.contains("us"))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == own.path)
    }

    @Test func `a recovery that fails leaves no file`() throws {
        let program = try Program()
        defer { program.remove() }
        let damaged = program.home.appendingPathComponent("damaged.db").path
        let saved = program.home.appendingPathComponent("saved.db").path
        try Data().write(to: URL(fileURLWithPath: damaged))
        for _ in 0..<2 {
            let result = try program.run(["db", "recover", "--db", damaged, "--to", saved])
            #expect(result.status == 66, "\(result)")
            #expect(!FileManager.default.fileExists(atPath: saved))
        }
    }

    /// Speed and engine speed come from service 01, from service 22, or from parameter groups.
    @Test(arguments: [
        "sim:?engine=off&latency=0", "sim:onuds?engine=off&latency=0",
        "sim:truck?engine=off&latency=0",
    ])
    func `a vehicle that stands ends its trip`(_ vehicle: String) throws {
        let program = try Program()
        defer { program.remove() }
        let log = try program.run([
            "log", "ECT", "--until-off", "--standstill", "1s", "--duration", "20s", "-d", vehicle,
        ])
        #expect(log.errors.contains("speed and engine speed have been 0"), "\(log.errors)")
        let trip = try program.run(["trips", "--format", "json"]).objects.first
        #expect(trip?["distanceKm"] as? Double == 0, "\(trip ?? [:])")
    }

    @Test func `clearing saves a snapshot of the lost data`() throws {
        let program = try Program()
        defer { program.remove() }
        let clear = ["dtc", "clear", "--yes", "-d", Self.vehicle + "&engine=off"]
        #expect(try program.run(clear).status == 0)
        // For a simulated vehicle, a snapshot is stored only if a database is given.
        #expect(!FileManager.default.fileExists(atPath: program.database.path))
        let database = ["--db", program.database.path]
        let cleared = try program.run(clear + database)
        #expect(cleared.status == 0, "\(cleared.errors)")
        #expect(try program.run(["trips", "--format", "json"]).objects.isEmpty)
        #expect(try program.run(["trips", "list", "--all", "--format", "json"]).objects.count == 1)
        let history = try program.run(["dtc", "history", "--format", "json"] + database).objects
            .filter { $0["kind"] as? String == "codeHistory" }
        #expect(
            history.map { $0["code"] as? String }.sorted { $0 ?? "" < $1 ?? "" }
                == ["P0171", "P0301", "P0420"])
        for code in history {
            #expect(code["vin"] as? String == "5XXBD1GA8LX000042")
            // The codes were read again after the clearing: none is stored any more.
            #expect((code["present"] as? [String])?.contains("stored") == false, "\(code)")
        }
    }

    // MARK: Pipes and signals

    @Test(arguments: [["live", "rpm"], ["live", "rpm", "--format", "json"]])
    func `a live readout ends quietly if its reader leaves`(_ arguments: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        #expect(try Self.status(of: program, arguments) == 0)
    }

    /// The exit status of a command whose reader closes the pipe after the first output.
    private static func status(of program: Program, _ arguments: [String]) throws -> Int32 {
        let process = program.process(arguments + ["-d", vehicle])
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        try output.fileHandleForReading.close()
        // The pipe breaks only if the test closes its own copy of the writing end, too.
        try output.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.status
    }

    @Test(arguments: [["log"], ["live", "--log"]])
    func `a recording ends in order if its reader leaves`(_ command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        #expect(try Self.status(of: program, command + ["rpm", "--format", "json"]) == 0)
        let trip = try program.run(["trips", "--format", "json"]).objects.first
        #expect(trip?["endReason"] as? String == "stopped", "\(trip ?? [:])")
    }

    @Test(arguments: [["log"], ["live", "--log"]])
    func `a recording prints, counts and stores the same readings`(_ command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(
            command + ["rpm", "--duration", "1s", "--format", "json", "-d", Self.vehicle])
        let readings = result.objects.filter { $0["signal"] != nil }
        #expect(readings.contains { $0["signal"] as? String == "VIN" })
        #expect(result.objects.last?["readings"] as? Int == readings.count)
        let trip = try program.run(["trips", "--format", "json"]).objects.first
        #expect(trip?["readings"] as? Int == readings.count)
    }

    @Test func `the voltage alone is read at its interval until the time is over`() throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run([
            "live", "ADAPTER_VOLTAGE@10Hz", "--duration", "1s", "--format", "json", "-d",
            Self.vehicle,
        ])
        #expect(result.status == 0)
        #expect(result.objects.count { $0["signal"] as? String == "ADAPTER_VOLTAGE" } > 4)
    }

    /// The reader has paused, as a pager does.
    @Test(arguments: [
        (["log"], SIGINT), (["live"], SIGTERM), (["live", "--log"], SIGINT),
        (["log", "-d", "sim:diesel"], SIGTERM),
    ])
    func `a signal ends a command whose output no program reads`(
        _ command: [String], _ signal: Int32
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let process = program.process(command + ["--format", "json", "-d", "sim:?latency=0"])
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // Programs of other tests must not inherit these ends.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.standardOutput = input
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        var room = pollfd(fd: ends[1], events: Int16(POLLOUT), revents: 0)
        while poll(&room, 1, 0) > 0, process.isRunning { usleep(20_000) }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.status == 0)
        let words = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(words.contains("lines were not printed"), "\(words)")
        // The last line that was printed is complete.
        try input.close()
        #expect(output.readDataToEndOfFile().last == 0x0A)
        guard command.contains("log") || command.contains("--log") else { return }
        for trip in try program.run(["trips", "--format", "json"]).objects {
            #expect(trip["endReason"] as? String == "stopped", "\(trip)")
        }
    }

    @Test func `CSV of a trip and of a report has the numbers of the JSON`() throws {
        let program = try Program()
        defer { program.remove() }
        // Loads and throttle positions are multiples of 100/255 %.
        let log = ["log", "rpm", "LOAD_PCT", "TP", "VSS", "--duration", "1s", "-d", Self.vehicle]
        #expect(try program.run(log).status == 0)
        let show = ["trips", "show", "latest", "--format"]
        let signals = try program.run(show + ["json"]).objects.filter {
            $0["kind"] as? String == "tripSignal"
        }
        let rows = try program.run(show + ["csv"]).output.split(separator: "\r\n")
        #expect(
            signals.contains {
                ($0["max"] as? Double ?? 0) * 10 != (($0["max"] as? Double ?? 0) * 10).rounded()
            })
        for signal in signals {
            guard let max = signal["max"] as? Double, let id = signal["signal"] as? String else {
                continue
            }
            let ecu = signal["ecu"] as? String ?? ""
            let row = rows.first {
                $0.hasPrefix("tripSignal,") && $0.contains(",\(ecu),") && $0.contains(",\(id),")
            }
            let numbers = row?.split(separator: ",").compactMap { Double($0) } ?? []
            #expect(numbers.contains { abs($0 - max) < 1e-9 }, "\(id) \(max) \(row ?? "")")
        }

        let report = ["dtc", "report", "-d", Self.vehicle, "--format"]
        let objects = try program.run(report + ["json"]).objects
        let lines = try program.run(report + ["csv"]).output.split(separator: "\r\n")
        #expect(
            lines[0].hasPrefix(
                "kind,vin,make,odometerKm,time,since,device,protocol,customer,verdict,ecu,name,light,codes,"
            ))
        let head = try #require(objects.first { $0["kind"] as? String == "vehicleReport" })
        let accessory = try #require(head["device"] as? String)
        let vehicleProtocol = try #require(head["protocol"] as? String)
        #expect(lines[1].contains(accessory) && lines[1].contains(vehicleProtocol))
        let frozen = objects.filter { $0["frame"] is Int }
        #expect(!frozen.isEmpty)
        for frame in frozen {
            let text = { (key: String) in frame[key] as? String ?? "" }
            #expect(
                lines.contains {
                    $0.contains(",\(text("service")),\(text("pid")),0,")
                        && $0.contains(",\(text("signal")),") && $0.contains(",\(text("raw")),")
                }, "\(frame)")
        }
    }

    /// A user who presses Tab must not wait for another program.
    @Test func `completion suggests nothing from a locked database`() throws {
        let program = try Program()
        defer { program.remove() }
        #expect(
            try program.run([
                "log", "rpm", "--duration", "300ms", "--name", "Rome", "-d", Self.vehicle,
            ])
            .status == 0)
        let question = ["---complete", "trips", "show", "R"]
        #expect(try program.run(question).output.contains("Rome"))
        // Lock the database as SQLite does: its lock bytes begin at 1 GiB.
        let file = open(program.database.path, O_RDWR)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (0x4000_0000, 512)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        let begun = Date()
        #expect(try program.run(question).output.isEmpty)
        #expect(Date().timeIntervalSince(begun) < 2)
    }

    @Test(arguments: [["dtc", "explain", "P0301"], ["decode", "7E8 04 41 0C 1A F8"]])
    func `output to a full disk is an error`(_ arguments: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        let process = program.process(arguments)
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.status == 73)
        #expect(text.contains("hint: make room"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal is the normal end of log and closes its trip`(_ signal: Int32) throws {
        let program = try Program()
        defer { program.remove() }
        let process = program.process(
            ["log", "rpm", "--format", "json", "-d", Self.vehicle])
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = Data()
        while !text.contains(0x0A) { text += output.fileHandleForReading.availableData }
        kill(process.processIdentifier, signal)
        text += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.status == 0)
        let last = String(decoding: text, as: UTF8.self).split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("{\"kind\":\"summary\",\"trip\":1"))
        let trip = try program.run(["trips", "--format", "json"]).objects.first
        #expect(trip?["open"] as? Bool == false)
    }

    @Test func `a one-shot command dies of the signal that interrupts it`() throws {
        let program = try Program()
        defer { program.remove() }
        // Each adapter command takes longer than the test waits.
        let process = program.process(["read", "rpm", "-v", "-d", "sim:petrol?at=60s"])
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        #expect(!errors.fileHandleForReading.availableData.isEmpty)
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.status == -SIGINT)
    }

    // MARK: Devices

    @Test func `the error for a device in use names the program that has it`() throws {
        let program = try Program()
        defer { program.remove() }
        let served = try Served(program, ["--pty", "--link", program.home.path + "/adapter"])
        defer { served.stop() }
        let first = program.process(["live", "rpm", "--format", "json", "-d", served.address])
        let output = Pipe()
        first.standardOutput = output
        first.standardError = FileHandle.nullDevice
        try first.run()
        defer { first.terminate() }
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        let second = try program.run(["read", "rpm", "-d", served.address])
        #expect(second.status == 69)
        #expect(second.errors.contains("in use"), "\(second.errors)")
        #expect(second.errors.contains("hint: "))
    }

    @Test func `a transcript of a session gives the same answers again`() throws {
        let program = try Program()
        defer { program.remove() }
        let transcript = program.home.appendingPathComponent("t.transcript").path
        let live = try program.run(
            ["dtc", "--record", transcript, "-d", Self.vehicle, "--format", "text"])
        let again = try program.run(["dtc", "-d", "replay:" + transcript])
        #expect(live.status == 0)
        #expect(again.output == live.output)
        #expect(again.status == 0)
    }

    @Test func `TCP and pty give the answers of the socket pair`() throws {
        let program = try Program()
        defer { program.remove() }
        let expected = try program.run(["dtc", "-d", Self.vehicle]).output
        #expect(expected.contains("P0301"))
        for place in [["--tcp", "0"], ["--pty", "--link", program.home.path + "/adapter"]] {
            let served = try Served(program, place)
            defer { served.stop() }
            let result = try program.run(["dtc", "-d", served.address])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == expected)
        }
    }

    @Test func `one adapter fills one table with many cars`() throws {
        let program = try Program()
        defer { program.remove() }
        let table = program.home.appendingPathComponent("codes.csv").path
        for (vehicle, label) in [("petrol", "first"), ("hybrid", "second")] {
            let result = try program.run([
                "dtc", "--to", table, "--append", "--label", label, "-d",
                "sim:\(vehicle)?latency=0&frozen=true",
            ])
            #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        }
        let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\r\n")
        // Petrol: five code rows and an ECU without codes. Hybrid: two ECUs without codes.
        #expect(rows.count == 9 && rows[0].hasPrefix("time,device,label,vin,odometerKm,ecu,"))
        #expect(rows.count { $0.contains(",first,5XXBD1GA8LX000042,") } == 6)
        #expect(rows.count { $0.contains(",second,JXXBD3HA2NX000123,") } == 2)
        let again = try program.run(["dtc", "--to", table] + Self.deviceArguments)
        #expect(again.errors.contains("in place of what it held"), "\(again.errors)")
        let typed = try program.run(["dtc", "clear", "--yse"])
        #expect(typed.status == 64 && !typed.errors.contains("--yes'"), "\(typed.errors)")
        for ending in ["csv", "jsonl"] {
            let mixed = program.home.appendingPathComponent("mixed.\(ending)").path
            let append = ["dtc", "--to", mixed, "--append"] + Self.deviceArguments
            #expect(try program.run(append + ["--local-time"]).status == 0)
            let before = try String(contentsOfFile: mixed, encoding: .utf8)
            let refused = try program.run(append)
            #expect(
                refused.status == 64 && refused.errors.contains("has local times"),
                "\(refused.errors)")
            #expect(try String(contentsOfFile: mixed, encoding: .utf8) == before)
        }
        try "something else\n".write(toFile: table, atomically: true, encoding: .utf8)
        let other = try program.run(["dtc", "--to", table, "--append"] + Self.deviceArguments)
        #expect(other.status == 65 && other.errors.contains("has other columns"), "\(other.errors)")
        #expect(try String(contentsOfFile: table, encoding: .utf8) == "something else\n")
        let wrong = program.home.appendingPathComponent("codes.ods").path
        #expect(try program.run(["dtc", "--to", wrong] + Self.deviceArguments).status == 64)
        let page = program.home.appendingPathComponent("car.docx").path
        #expect(
            try program.run(["dtc", "report", "--to", page] + Self.deviceArguments).status == 64)
    }

    /// There is no device at this path, so every request ends with 69.
    @Test(arguments: [
        ("codes.xlsx", 64, "rows cannot be added to a sheet"), ("other.csv", 65, "other columns"),
        ("missing/codes.csv", 73, "does not exist"), ("new.csv", 69, "no such device"),
    ])
    func `a table that cannot be extended is refused before the vehicle is asked`(
        name: String, status: Int32, words: String
    ) throws {
        let program = try Program()
        defer { program.remove() }
        _ = try program.file("codes.xlsx", "a sheet")
        _ = try program.file("other.csv", "something else\n")
        let table = program.home.appendingPathComponent(name).path
        let result = try program.run(["dtc", "--to", table, "--append", "-d", "/dev/nosuchline"])
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        let isThere = FileManager.default.fileExists(atPath: table)
        #expect(isThere == ["codes.xlsx", "other.csv"].contains(name))
    }

    @Test func `one adapter for many cars extends an existing table, with a message`() throws {
        let program = try Program()
        defer { program.remove() }
        let table = program.home.appendingPathComponent("yard.csv").path
        let next = ["dtc", "--next", "--to", table] + Self.deviceArguments
        let first = try program.run(next, input: "monday\nq\n")
        #expect(first.status == 0 && !first.errors.contains("its rows stay"), "\(first.errors)")
        let second = try program.run(next, input: "tuesday\nq\n")
        #expect(
            second.errors.hasPrefix("\(table) exists: its rows stay, and new ones are added.\n"))
        let text = try String(contentsOfFile: table, encoding: .utf8)
        #expect(text.contains(",monday,") && text.contains(",tuesday,"), "\(text)")
    }

    private static let deviceArguments = ["-d", "sim:?latency=0&frozen=true"]

    @Test(arguments: [["dtc"], ["monitors"]])
    func `quiet prints only errors`(command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(command + ["--quiet"] + Self.deviceArguments)
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    }

    @Test func `a batch continues after an adapter that fails`() throws {
        let program = try Program()
        defer { program.remove() }
        let list = program.home.appendingPathComponent("list.txt")
        try "/dev/nosuchline gone\n\(Self.vehicle) here\n".write(
            to: list, atomically: true, encoding: .utf8)
        let table = program.home.appendingPathComponent("codes.csv")
        let result = try program.run(
            ["dtc", "list", "--batch", list.path, "--to", table.path])
        #expect(result.status == 69)
        let rows = try String(contentsOf: table, encoding: .utf8)
            .components(separatedBy: "\r\n")
        #expect(
            rows[0]
                == "time,device,label,vin,odometerKm,ecu,ecuName,light,status,code,failureType,"
                + "statusByte,description,driveOn,error"
        )
        #expect(
            rows[1].hasSuffix(
                ",/dev/nosuchline,gone,,,,,,,,,,,,/dev/nosuchline: there is no such device"))
        #expect(rows.count { $0.contains(",here,5XXBD1GA8LX000042,48214") } == 6)
        #expect(rows.count { $0.hasSuffix(",7E9,Gearbox,false,,,,,,,") } == 1)
    }
}

/// Runs `obdscan simulate` as a process.
private final class Served {
    let address: String
    private let process: Process

    init(_ program: Program, _ place: [String]) throws {
        process = program.process(["simulate"] + place + ["petrol?frozen=true&latency=1ms"])
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != 0x0A {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            line += bytes
        }
        address = String(decoding: line.dropLast(), as: UTF8.self)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
