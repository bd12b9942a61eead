import Foundation
import SystemIO
import Testing

/// Databases and files that cannot be used as they are: the message, and the data that survive.
@Suite(.ownThreads) struct `Files and disks that prevent a command` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test func `a database that a newer obdscan wrote is not changed`() async throws {
        try await logOneSecond()
        // The test changes the version in the file's header. A copy in the write-ahead log would
        // override it.
        #expect(try await workplace.run(["db", "compact"]).status == 0)
        let before = try await workplace.run(["trips", "--format", "json"])
        // https://sqlite.org/fileformat.html: the user version is at offset 60, big endian.
        let old = try setUserVersion([0, 0, 0, 99])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: workplace.database))
        for command in [
            ["trips"], ["trips", "show", "1"], ["trips", "delete", "1", "--yes"], ["export"],
            ["log", "rpm", "--duration", "1s", "-d", "sim:"],
        ] {
            let outcome = try await workplace.run(command)
            #expect(outcome.status == 65, "\(command): \(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors.contains(
                    "\(workplace.database) was made by a newer obdscan: version 99"))
            #expect(outcome.errors.contains("hint: update obdscan"))
        }
        // Commands that need no database still work.
        #expect(try await workplace.run(["read", "rpm", "-d", "sim:"]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: workplace.database)) == bytes)
        _ = try setUserVersion(old)
        let after = try await workplace.run(["trips", "--format", "json"])
        #expect(after.output == before.output)
    }

    @Test func `a damaged database is reported and not repaired silently`() async throws {
        try await logOneSecond()
        let file = try FileHandle(
            forUpdating: URL(fileURLWithPath: workplace.database))
        // Overwrite everything after the first page.
        let length = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: Int(length) - 4096))
        try file.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: workplace.database))
        let outcome = try await workplace.run(["trips"])
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("\(workplace.database) is damaged"), "\(outcome)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: workplace.database)) == bytes)
    }

    @Test func `a fault in one of the user's tables does not stop a command`() async throws {
        let outcome = try await workplace.shell(
            """
            mkdir -p obdscan/pids && cd obdscan/pids
            printf 'record 22:F40C 2 : Good\n  signal GOOD A..B : Good\n' > good.pids
            printf 'record 22:F40D 1 : Bad\n  signal BAD A scale x : Bad\n' > bad.pids
            "$OBDSCAN" read rpm -d 'sim:?frozen=true&latency=0' && "$OBDSCAN" pids show GOOD
            """)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("Engine speed"), "\(outcome)")
        let message = "obdscan/pids/bad.pids:2: "
        #expect(outcome.errors.components(separatedBy: message).count == 3, "\(outcome)")
        #expect(outcome.errors.contains("the whole file is left out"), "\(outcome)")
        let check = try await workplace.run(["pids", "lint", workplace.path("obdscan/pids")])
        #expect(check.status == 65, "\(check)")
    }

    @Test func `for an unknown vehicle the error suggests a known name`() async throws {
        try await logOneSecond()
        let vin = try #require(
            try await workplace.run(["trips", "--format", "json"]).objects().first?["vin"]
                as? String)
        let named = try await workplace.run(["trips", "vehicle", vin, "Van 1"])
        #expect(named.status == 0, "\(named)")
        let outcome = try await workplace.run(["trips", "list", "--vehicle", "van1"])
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.errors.contains("did you mean \"Van 1\"?"), "\(outcome)")
        let tagged = try await workplace.run(["trips", "tag", "1", "2,3"])
        #expect(tagged.status == 64, "\(tagged)")
    }

    @Test func `a file that is read is not overwritten`() async throws {
        try await logOneSecond()
        let replayed = try await workplace.shell(
            "\"$OBDSCAN\" dtc -d sim: --record talk > /dev/null && cp talk kept"
                + " && printf 'sim: a\\n' > list && cp list before")
        #expect(replayed.status == 0, "\(replayed)")
        for command in [
            "export --to '\(workplace.database)'",
            "trips report --to '\(workplace.database)'", "dtc -d replay:talk --record talk",
            "dtc --batch list --to list --format csv", "report -d replay:talk --to talk",
            "dtc report -d replay:talk --to talk",
        ] {
            let outcome = try await workplace.shell("\"$OBDSCAN\" \(command)")
            #expect(outcome.status == 73, "\(command): \(outcome)")
            #expect(outcome.errors.contains("is a file that is being read"))
        }
        #expect(try await workplace.run(["trips", "--format", "json"]).objects().count == 1)
        #expect(try await workplace.shell("cmp talk kept && cmp list before").status == 0)
    }

    @Test func `a file that is not a database cannot be recovered`() async throws {
        let outcome = try await workplace.shell(
            "head -c 50000 /dev/urandom > garbage; \"$OBDSCAN\" db recover --db garbage --to saved.db"
        )
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("garbage holds nothing that could be saved"))
        #expect(try await workplace.shell("ls garbage; rm garbage; ls saved.db").status != 0)
    }

    @Test func `settings that several processes set at the same time are all kept`() async throws {
        let outcome = try await workplace.shell(
            """
            for number in 1 2 3 4 5 6 7 8; do
                "$OBDSCAN" config set aliases.car$number tcp:192.0.2.$number:35000 &
            done
            wait
            "$OBDSCAN" config list --format json | grep -c 'aliases[.]car'
            """)
        #expect(outcome.output == "8\n", "\(outcome)")
    }

    /// Neither an adapter that is missing nor one that answers touches a capture that exists.
    @Test func `a capture of a bus is not overwritten`() async throws {
        let outcome = try await workplace.shell(
            """
            echo precious > bus.log
            "$OBDSCAN" monitor --to bus.log -d tcp:127.0.0.1:1; echo "status $?"
            "$OBDSCAN" monitor --to bus.log --duration 1 -d sim:; echo "status $?"
            cat bus.log
            "$OBDSCAN" monitor --to new.log -d tcp:127.0.0.1:1 2> /dev/null; ls new.log
            """)
        #expect(outcome.output == "status 73\nstatus 73\nprecious\n", "\(outcome)")
        #expect(outcome.errors.contains("bus.log exists already"), "\(outcome)")
    }

    /// A folder, a device that never ends, and a pipe: a message, and no signal.
    @Test func `a device or a folder cannot be recovered`() async throws {
        let outcome = try await workplace.shell(
            """
            mkdir folder; mkfifo pipe
            for place in folder /dev/zero pipe; do
                timeout 60 "$OBDSCAN" db recover --db $place --to saved.db; echo "status $?"
            done
            """)
        #expect(outcome.output == String(repeating: "status 66\n", count: 3), "\(outcome)")
        #expect(outcome.errors.contains("folder is not a file"), "\(outcome)")
    }

    /// Each command that reads a file, with its path in place of FILE.
    @Test(arguments: [
        "decode FILE", "decode < FILE", "import FILE", "import FILE --map FILE", "pids lint FILE",
        "pids import FILE --to made.pids", "pids show RPM --pids FILE", "dtc -d replay:FILE",
        "dtc -d 'sim:FILE'", "dtc --batch FILE --format csv --to out.csv", "trips --db FILE",
        "db check --db FILE", "db merge FILE --db own.db",
        "publish --to influx://localhost:1/b --once --db FILE",
    ])
    func `a file without an end is refused`(command: String) async throws {
        let outcome = try await workplace.shell(
            "ulimit -v 4000000; timeout 60 \"$OBDSCAN\" "
                + command.replacingOccurrences(of: "FILE", with: "/dev/zero"))
        #expect([64, 65, 66, 73, 77].contains(outcome.status), "\(outcome)")
        #expect(!outcome.errors.isEmpty && outcome.errors.utf8.count < 2_000, "\(outcome)")
    }

    @Test func `no file gets the number of a closed standard stream`() async throws {
        // The remark about missing answers must not get into the recording.
        let outcome = try await workplace.shell(
            "\"$OBDSCAN\" read 01:5B -d 'sim:?latency=0' --record talk 2>&- >&-; cat talk")
        #expect(outcome.output.contains("015B"), "\(outcome)")
        #expect(!outcome.output.contains("01 5B: "))
        let unwritable = try await workplace.shell("\"$OBDSCAN\" pids list >&-")
        #expect(unwritable.status == 73, "\(unwritable)")
        #expect(unwritable.errors.contains("standard output: Bad file descriptor"))
    }

    @Test func `standard output on a full disk is an error`() async throws {
        for command in [
            "live rpm --duration 5s -d sim:", "read rpm -d sim:", "info -d sim:", "pids list",
        ] {
            let outcome = try await workplace.shell("exec \"$OBDSCAN\" \(command) > /dev/full")
            #expect(outcome.status == 73, "\(command): \(outcome)")
            #expect(outcome.errors.contains("standard output: No space left on device"))
        }
    }

    @Test func `a recording on a full disk is reported as incomplete, and reading continues`()
        async throws
    {
        let outcome = try await workplace.run([
            "read", "rpm", "--record", "/dev/full", "-d", "sim:petrol?frozen=true",
        ])
        #expect(outcome.output.contains("RPM"), "\(outcome)")
        #expect(outcome.status == 73, "\(outcome)")
        #expect(
            outcome.errors.contains("/dev/full: the recording broke off: No space left on device"))
        #expect(outcome.errors.contains("hint: make room"))
    }

    @Test func `a recording on a full disk does not hide another error`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text)
                ? .say("NO DATA\r\r>") : .say(PlainAdapter.answer(line.text))
        }
        let outcome = try await workplace.run([
            "read", "rpm", "--record", "/dev/full", "-d", adapter.address,
        ])
        #expect(outcome.status == 75, "\(outcome)")
        #expect(outcome.errors.contains("NO DATA"))
        #expect(outcome.errors.contains("the recording broke off"), "\(outcome)")
    }

    /// The killed process cannot write the end of the trip.
    ///
    /// The next reader sees that the process is gone.
    @Test func `a killed log leaves a trip that broke off`() async throws {
        let program = try workplace.start(["log", "rpm", "--format", "json", "-d", "sim:"])
        try await program.lines(with: "\"RPM\"", count: 100)
        program.send(SIGKILL)
        #expect(try await program.finish().status == -SIGKILL)
        let before = try Data(contentsOf: URL(fileURLWithPath: workplace.database))
        let objects = try await workplace.run(["trips", "--format", "json"])
        #expect(try #require(try objects.objects().first)["open"] as? Bool == false, "\(objects)")
        #expect(try await workplace.run(["trips"]).output.contains("broke off"))
        let after = try Data(contentsOf: URL(fileURLWithPath: workplace.database))
        #expect(before == after)
    }

    @Test func `a simulated vehicle is not remembered as an adapter`() async throws {
        for vehicle in ["sim:?latency=10ms", "sim:diesel?latency=11ms"] {
            let outcome = try await workplace.run(["log", "--duration", "1s", "-d", vehicle])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try await workplace.run(["info", "-d", vehicle]).status == 0)
        }
        let devices = try await workplace.run(["devices", "--format", "json"])
        #expect(!devices.output.contains("sim:"), "\(devices)")
    }

    @Test func `an export holds everything of a trip, not only its readings`() async throws {
        // Wait until readiness was read; a slow machine needs more time for it.
        let log = try workplace.start([
            "log", "--format", "json", "-d", "sim:petrol?latency=5ms",
        ])
        try await log.lines(with: "\"kind\":\"monitor\"", within: 60)
        try await log.lines(with: "\"7E9\"", within: 60)
        log.send(SIGTERM)
        #expect(try await log.finish().status == 0)
        let whole = try await workplace.run(["export", "--format", "json"])
        let kinds = Set(try whole.objects().compactMap { $0["kind"] as? String })
        #expect(kinds.contains("monitor"), "\(kinds)")
        let trip = try #require(
            try await workplace.run(["trips", "--format", "json"]).objects().first)
        let readings = try whole.objects().filter { $0["signal"] != nil }
        #expect(readings.count == trip["readings"] as? Int)
        let one = try await workplace.run(["export", "--format", "json", "--ecu", "7E9"])
        #expect(try one.objects().allSatisfy { $0["ecu"] as? String == "7E9" })
        #expect(!one.output.isEmpty)
        let signal = try #require(readings.first?["signal"] as? String)
        let few = try await workplace.run(["export", "--format", "json", "--signal", signal])
        #expect(try few.objects().allSatisfy { $0["signal"] as? String == signal })
        #expect(!few.output.isEmpty)
    }

    @Test(.enabled(if: TinyDisk.isPossible, "no file system can be mounted here"))
    func `a full disk prevents the database with an error`() async throws {
        let disk = TinyDisk(workplace, kilobytes: 60)
        let outcome = try await disk.run(
            "\"$OBDSCAN\" log rpm --duration 1s -d sim: --db \(disk.path)/trips.db")
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.errors.contains("trips.db: the disk is full"))
        #expect(outcome.errors.contains("hint: make room"))
    }

    /// The disk may be full at any step of creating the database.
    ///
    /// The next command still recognizes the incomplete database and suggests the next step.
    @Test(
        .enabled(if: TinyDisk.isPossible, "no file system can be mounted here"),
        arguments: [4, 8, 24, 32, 48, 60])
    func `a database works after the full disk has space again`(kilobytes: Int) async throws {
        let disk = TinyDisk(workplace, kilobytes: kilobytes)
        let outcome = try await disk.run(
            """
            log() { "$OBDSCAN" log rpm --duration 1s -d sim: --db \(disk.path)/trips.db; }
            log; echo "first $?" >&2
            "$OBDSCAN" trips --db \(disk.path)/trips.db; echo "second $?" >&2
            mount -o remount,size=20m \(disk.path)
            "$OBDSCAN" trips --db \(disk.path)/trips.db; echo "third $?" >&2
            log; echo "fourth $?" >&2
            """)
        #expect(outcome.errors.contains("first 73"), "\(outcome)")
        #expect(outcome.errors.contains("trips.db: the disk is full"))
        #expect(!outcome.errors.contains("is not an obdscan database"), "\(outcome)")
        #expect(!outcome.errors.contains("SQLite"), "\(outcome)")
        #expect(outcome.errors.contains("third 66"), "\(outcome)")
        #expect(outcome.errors.contains("trips.db: the database is empty"), "\(outcome)")
        #expect(outcome.errors.contains("fourth 0"), "\(outcome)")
    }

    @Test(.enabled(if: TinyDisk.isPossible, "no file system can be mounted here"))
    func `if the disk fills up while logging, stored readings stay`() async throws {
        let disk = TinyDisk(workplace, kilobytes: 900)
        let program = try disk.start(
            """
            \(Self.log(to: disk))
            "$OBDSCAN" trips --db \(disk.path)/trips.db --format json
            "$OBDSCAN" export --db \(disk.path)/trips.db --format json
            mount -o remount,size=60m \(disk.path)
            "$OBDSCAN" trips --db \(disk.path)/trips.db --format json
            exit $status
            """)
        try await program.lines(with: "held in memory", on: .errors, within: 60)
        program.send(SIGTERM)
        let outcome = try await program.finish()
        #expect(outcome.status == 73, "\(outcome.errors)")
        let kept = try #require(
            outcome.errors.firstMatch(of: /obdscan: (\d+) entries wait in memory/))
        #expect(Int(kept.1) ?? 0 > 0)
        let objects = try outcome.objects()
        let trip = try #require(objects.first)
        #expect(trip["kind"] as? String == "trip")
        #expect((trip["readings"] as? Int ?? 0) > 100)
        #expect(trip["readings"] as? Int == objects.count { $0["signal"] != nil })
        // With room again, the next program stores what waits.
        let whole = try #require(objects.last)
        #expect(whole["kind"] as? String == "trip")
        #expect((whole["readings"] as? Int ?? 0) > (trip["readings"] as? Int ?? 0))
    }

    @Test(.enabled(if: TinyDisk.isPossible, "no file system can be mounted here"))
    func `if the disk has space again, nothing is lost`() async throws {
        // The disk must have room for all readings until the program ends.
        let disk = TinyDisk(workplace, kilobytes: 100_000)
        let program = try disk.start(
            """
            head -c 99500k /dev/zero > \(disk.path)/ballast
            \(Self.log(to: disk))
            tail -n 1 lines
            "$OBDSCAN" trips --db \(disk.path)/trips.db --format json
            # The summary names the signals that came too late.
            grep -v '"kind":"summary"' lines | grep -c '"signal"'
            exit $status
            """)
        try await program.lines(with: "held in memory", on: .errors, within: 60)
        // The path of the disk in the mount namespace of the process.
        try FileManager.default.removeItem(atPath: "/proc/\(program.pid)/root\(disk.path)/ballast")
        try await program.lines(with: "storing works again", on: .errors, within: 60)
        program.send(SIGTERM)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        let trip = try #require(try Outcome.objects(lines.dropLast().joined(separator: "\n")).last)
        #expect(trip["open"] as? Bool == false)
        #expect(trip["readings"] as? Int == lines.last.flatMap { Int($0) })
    }

    @Test(.enabled(if: TinyDisk.isPossible, "no file system can be mounted here"))
    func `an export appears complete or not at all`() async throws {
        try await logOneSecond("sim:petrol?latency=0")
        let disk = TinyDisk(workplace, kilobytes: 4)
        let outcome = try await disk.run(
            """
            head -c 4096 /dev/zero > \(disk.path)/ballast
            "$OBDSCAN" export --to \(disk.path)/trip.csv
            status=$?
            ls \(disk.path)
            exit $status
            """)
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.output == "ballast\n")
        #expect(outcome.errors.contains("trip.csv: No space left on device"), "\(outcome)")
    }

    /// A script that logs at full speed until it is terminated.
    ///
    /// The file `lines` gets the readings, `status` gets the exit code.
    private static func log(to disk: TinyDisk) -> String {
        """
        "$OBDSCAN" log -d 'sim:petrol?latency=0' --db \(disk.path)/trips.db --format json > lines &
        trap "kill $!" TERM
        wait $!
        # The first one ends with the signal.
        wait $!
        status=$?
        """
    }

    /// Readings wait for a commit as long as the user has set, in memory that outlives the program.
    @Test(arguments: [SIGKILL, SIGTERM])
    func `with one commit per hour no reading is lost by a kill or at a regular end`(signal: Int32)
        async throws
    {
        let adapter = try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        let program = try workplace.start([
            "log", "rpm", "--every", "20ms", "--commit-every", "1h", "--format", "json", "-d",
            adapter.address,
        ])
        try await program.lines(with: "1726", count: 150)
        program.send(signal)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == (signal == SIGKILL ? -SIGKILL : 0), "\(outcome.errors)")
        let trips = try await workplace.run(["trips", "--format", "json"]).objects()
        let readings = try #require(trips.first?["readings"] as? Int)
        // The last ones before a kill were not yet copied.
        #expect(trips.count == 1 && readings >= (signal == SIGKILL ? 75 : 150))
        #expect(try await workplace.run(["db", "check"]).status == 0)
    }

    private func logOneSecond(_ vehicle: String = "sim:") async throws {
        let outcome = try await workplace.run(["log", "--duration", "1s", "-d", vehicle])
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// Writes the user version into the database's header and returns the old one.
    private func setUserVersion(_ version: [UInt8]) throws -> [UInt8] {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: workplace.database))
        try file.seek(toOffset: 60)
        let old = try file.read(upToCount: 4) ?? Data()
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data(version))
        try file.close()
        return Array(old)
    }
}

/// A small file system in its own mount namespace.
///
/// The disk ends with the command that runs in it.
struct TinyDisk {
    /// Whether this machine lets us mount one.
    static let isPossible: Bool = {
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        trial.arguments = ["-rm", "mount", "-t", "tmpfs", "-o", "size=100k", "none", "/mnt"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    /// The mount point.
    let path: String
    private let workplace: Workplace
    private let kilobytes: Int

    init(_ workplace: Workplace, kilobytes: Int) {
        self.workplace = workplace
        self.kilobytes = kilobytes
        path = workplace.path("disk")
    }

    /// Starts a shell script in the mount namespace.
    func start(_ script: String, onTerminal: Bool = false) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/unshare",
            [
                "-rm", "sh", "-c",
                """
                cd \(workplace.folder.path) && mkdir -p \(path) &&
                mount -t tmpfs -o size=\(kilobytes)k none \(path) || exit 99
                \(script)
                """,
            ],
            environment: workplace.environment.merging(["OBDSCAN": Workplace.program]) { _, new in
                new
            }, onTerminal: onTerminal)
    }

    /// Runs a shell script in the mount namespace.
    func run(_ script: String) async throws -> Outcome { try await start(script).finish() }
}
