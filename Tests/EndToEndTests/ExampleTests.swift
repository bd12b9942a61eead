import Foundation
import Testing

/// Runs every example of the documents as it is printed there.
///
/// Only names of hardware and networks are replaced: ``replaced``.
@Suite(.ownThreads) struct `Examples of the documents` {
    /// Examples that end with an exit code other than 0 here, and that code.
    private static let codes: [String: Int32] = [
        // The simulated car has codes, and `--exit-code` reports them.
        "obdscan dtc list --exit-code --quiet && echo clean": 1,
        "obdscan monitors --readiness --exit-code && echo ready": 1,
        // These commands ask for confirmation, and the test has no terminal.
        "obdscan dtc clear": 64,
        "obdscan trips delete 12 13": 64,
        // Ctrl-C ends these commands.
        "obdscan devices watch": 130,
        "obdscan devices watch --format json": 130,
        // The simulated car is not a Leaf.
        "obdscan read leaf-soc --pack nissan-leaf": 75,
        // All that the database knows is newer than this period.
        "obdscan dtc report --since 2026-11-01 --until 2026-11-21 --of van": 66,
        // obdscan has not cleared this car's codes.
        "obdscan dtc report --since clear --to repair.html": 66,
        // The simulated car has no traction battery.
        "obdscan read ev-soc --pids battery.csv": 75,
        "obdscan trips energy 12": 66,
        "obdscan trips energy --month 2026-11": 66,
        "obdscan trips energy --vehicle \"Van 1\" --to energy.xlsx": 66,
        // No sink is configured, and nothing was published.
        "obdscan publish --drain": 78,
        "obdscan publish fleet": 78,
        "obdscan publish retry fleet": 78,
        "obdscan publish status": 66,
        "obdscan publish status --format json": 66,
        "obdscan publish check fleet": 66,
        "obdscan publish forget fleet": 64,
        // Nothing was recorded then, and no vehicle has that VIN or name.
        "obdscan export --from yesterday --until today --to yesterday.csv": 66,
        "obdscan export --month 2026-11 --vehicle \"Van 1\" --to november.csv": 66,
        "obdscan dtc history P0301 --vehicle 1HGCM82633A004352": 66,
        "obdscan trips logbook --month 2026-11 --vehicle \"Van 1\" --to november.xlsx": 66,
        // No car was recorded.
        "obdscan check --json -d replay:car.txt": 66,
        "obdscan trips vehicle 1HGCM82633A004352 \"Van 1\"": 64,
        "obdscan trips list --vehicle 1HGCM82633A004352": 66,
        "obdscan trips drift": 66,
        "obdscan trips drift --vehicle \"Van 1\" --baseline 2026-06-01": 66,
    ]

    /// Examples that cannot run here, with the reason.
    private static let leftOut: [String: String] = [
        "obdscan setup": "would talk to what is attached to this machine",
        "obdscan setup -d bluetooth:OBDII": "would search the air; PairingTests has a device",
        "obdscan devices --scan": "would search the air; PairingTests has a device",
        "obdscan devices list --scan": "would search the air; PairingTests has a device",
        "obdscan dtc report --to car.pdf --customer \"A. Driver\" --order 4711":
            "needs a browser; PrintedPageTests has one",
        "obdscan trips report --to trip.pdf": "needs a browser; PrintedPageTests has one",
        "obdscan devices show /dev/ttyUSB0": "needs that adapter; Tests/System has one",
        "obdscan info -d rfcomm:AA:BB:CC:DD:EE:FF": "needs that adapter; Tests/System has one",
        "obdscan info -d ble:AA:BB:CC:DD:EE:FF": "needs that adapter; Tests/System has one",
        "obdscan live -d can:can0 --listen --table car.dbc":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan live -d can:can0 --table car.dbc rpm speed Dash.Odometer":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan log -d can:can0 --listen --table car.dbc":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan log -d can:can0 --table car.dbc rpm speed Dash.Odometer":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0": "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0 --changes": "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0 --rates --duration 5s":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0 --table car.dbc":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0 --table car.dbc Speed Motor.Torque":
            "needs a bus; BusValuesTests chooses signals",
        "obdscan monitor -d can:can0 --to bus.log": "needs a bus; RawCANTests has simulated ones",
        "obdscan monitor -d can:can0 --time d --id 1A0":
            "needs a bus; RawCANTests has simulated ones",
        "obdscan simulate --can vcan0": "needs a bus; RawCANTests has simulated ones",
        "obdscan simulate --ble": "needs a Bluetooth controller; Tests/System has one",
        "obdscan publish --to influx+http://localhost:8428":
            "needs a server; PublishTests has one",
        "obdscan publish --to influx+http://localhost:8428 --drain":
            "needs a server; PublishTests has one",
        "obdscan setup --publish mqtt://homeassistant.local":
            "needs a broker; PublishTests has one",
        "obdscan find speed --in candump.log --known obd.csv": "needs a drive; FindTests has one",
        "obdscan find speed --in candump.log --known trip:12:speed > speed.pids":
            "needs a drive; FindTests has one",
        "obdscan find rpm --in a.log --known a.csv --check b.log --check-known b.csv":
            "needs a drive; FindTests has one",
        "obdscan decode --table speed.pids candump.log": "needs a drive; FindTests has one",
        "obdscan read ev-soc": "needs an electric car; ChosenPacksTests has one",
        "obdscan diagnose -d /dev/ttyUSB0": "takes minutes; DiagnoseTests breaks one off",
        "obdscan diagnose --parked --say 'spd-say -w'":
            "takes minutes; SimulatedTestTests has the engine model",
        "obdscan diagnose --battery": "takes a minute; SimulatedTestTests has the engine model",
    ]

    /// Commands that run until they are interrupted.
    private static let endless = ["live", "log", "devices watch", "simulate", "serve"]

    @Test func `the documents have many examples, and each listed exception is an example`() {
        let lines = Set(Example.all.map(\.line))
        #expect(lines.count > 120)
        for line in Array(Self.codes.keys) + Array(Self.leftOut.keys) {
            #expect(lines.contains(line), "\(line) stands nowhere any more")
        }
    }

    @Test func `every example runs as printed`() async throws {
        let shelf = try await ExampleShelf()
        var seen: Set<String> = []
        let lines = Example.all.filter {
            seen.insert($0.line).inserted && Self.leftOut[$0.line] == nil
        }
        // An adapter serves one program at a time, and only one `serve` can have its port. The
        // other examples mostly wait, so they run at the same time.
        let isAlone = { (example: Example) in
            shelf.replaced(example.line) != example.line || example.line.contains(" serve")
        }
        let (alone, together) = (
            lines.filter(isAlone), lines.filter { !isAlone($0) }
        )
        var groups = [alone, [], [], []]
        for (place, example) in together.enumerated() { groups[1 + place % 3].append(example) }
        await withTaskGroup { tasks in
            for group in groups {
                tasks.addTask { for example in group { await Self.run(example, shelf) } }
            }
        }
        try await shelf.close()
    }

    private static func run(_ example: Example, _ shelf: ExampleShelf) async {
        do {
            let workplace = try shelf.copy()
            let outcome = try await workplace.shell(
                """
                cd '\(workplace.folder.path)' && PATH=$PWD/bin:$PATH
                export OBDSCAN_DEVICE='sim:?latency=5ms'
                \(bounded(shelf.replaced(example.line)))
                """, within: 120)
            #expect(
                outcome.status == codes[example.line] ?? 0,
                "\(example.testDescription)\n\(outcome.description.suffix(600))")
        } catch {
            Issue.record("\(example.testDescription)\n\("\(error)".suffix(600))")
        }
    }

    private static let untilAtWork = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("until_at_work.py").path

    /// The command as it is run.
    ///
    /// If it would not end, Ctrl-C ends it as soon as it is at work.
    private static func bounded(_ line: String) -> String {
        let words = line.split(separator: " ").dropFirst()
        let endsItself = ["head", "--list", "--show"].contains { words.contains($0) }
        let command = words.joined(separator: " ")
        guard !endsItself, endless.contains(where: { command.hasPrefix($0) }) else { return line }
        return "python3 '\(untilAtWork)' \(line)"
    }
}

/// The files, trips, pty and TCP port with simulated adapters that the examples use.
private final class ExampleShelf: Sendable {
    private let original: Workplace
    private let servers: [RunningProgram]
    private let pty: String
    private let tcp: String
    private let slcan: String
    private let doip: String

    init() async throws {
        original = try Workplace()
        let serial = try original.start(["simulate", "petrol?engine=off", "--latency", "0"])
        pty = try #require(await serial.lines(with: "/dev/pts/").first)
        let network = try original.start(["simulate", "--latency", "0", "--tcp", "0"])
        tcp = try #require(await network.lines(with: "tcp:").first)
        let bus = try original.start(["simulate", "--personality", "slcan", "--latency", "0"])
        slcan = try #require(await bus.lines(with: "/dev/pts/").first)
        let gateway = try original.start(["simulate", "--doip", "127.0.0.1:0"])
        doip = try #require(await gateway.lines(with: "doip:").first)
        servers = [serial, network, bus, gateway]
        try await fill()
    }

    func close() async throws {
        for server in servers { server.send(SIGTERM) }
        for server in servers { _ = try await server.finish() }
    }

    /// The line with simulated devices in place of the hardware and networks that it names.
    func replaced(_ line: String) -> String {
        line.replacing("/dev/ttyUSB0", with: pty)
            .replacing("tcp:192.168.0.10:35000", with: tcp)
            .replacing("slcan:/dev/ttyACM0", with: slcan)
            .replacing("doip:192.168.0.20", with: doip)
            .replacing("--tcp 35000", with: "--tcp 0")
            .replacing("/media/stick/", with: "stick/")
            .replacing("curl --data-binary @- URL", with: "cat >/dev/null")
    }

    /// A copy of the folder, which an example may change.
    func copy() throws -> Workplace {
        let workplace = try Workplace()
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: original.folder.path) {
            try files.copyItem(atPath: original.path(name), toPath: workplace.path(name))
        }
        return workplace
    }

    private func fill() async throws {
        _ = try original.file("fleet.txt", "sim:petrol?latency=0 Golf\nsim:diesel?latency=0 Van\n")
        _ = try original.file("cars.txt", "sim:petrol?latency=0 Golf\n")
        let programs = original.path("bin")
        try FileManager.default.createDirectory(
            atPath: programs, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(programs)/obdscan", withDestinationPath: Workplace.program)
        _ = try original.file("capture.txt", "7E8 04 41 0C 1A F8\n")
        _ = try original.file("conversation.txt", ">010C\r7E8 04 41 0C 1A F8\r\r>")
        try FileManager.default.copyItem(
            at: Self.tests.appendingPathComponent("Transcripts/can11-audi-a4-8k-mode09.txt"),
            to: original.folder.appendingPathComponent("FILE"))
        _ = try original.file("trip.jsonl", Self.trip(on: 20, at: "10:00:00"))
        _ = try original.file("trackLog.csv", Self.track(on: 19))
        try FileManager.default.copyItem(
            at: Self.tests.appendingPathComponent("TripImportTests/Logs/candump.log"),
            to: original.folder.appendingPathComponent("candump.log"))
        let message = "BO_ 291 MOTOR: 8 ECU\n"
        let speed = " SG_ Speed : 0|16@1+ (0.25,0) [0|16383] \"rpm\" Vector__XXX\n"
        _ = try original.file("car.dbc", message + speed)
        _ = try original.file("drive.csv", Self.drive)
        let table = try String(
            contentsOf: Self.tests.appendingPathComponent("CommandLine/own.pids"), encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: original.path(".local/share/obdscan/pids"), withIntermediateDirectories: true)
        for name in [
            "mine.pids", "own.pids", ".local/share/obdscan/pids/own.pids", "a.pids", "b.pids",
        ] {
            _ = try original.file(name, table)
        }
        _ = try original.file("battery.csv", Self.battery)
        for name in ["profile.json", "default.json"] {
            let outcome = try await original.run([
                "pids", "export", original.path("mine.pids"), "--as", "obdb",
            ])
            #expect(outcome.status == 0, "\(outcome)")
            _ = try original.file(name, outcome.output)
        }
        try FileManager.default.createDirectory(
            atPath: original.path("tests/test_cases"), withIntermediateDirectories: true)
        let vehicle = try await original.run(["simulate", "--show", "petrol"])
        _ = try original.file("my.vehicle", vehicle.output)

        // Trips 1 to 13, each 40 minutes long. Trip 12 has positions, too.
        for number in 1...13 {
            let file =
                number == 12
                ? try original.file("track.csv", Self.track())
                : try original.file(
                    "import.jsonl",
                    Self.trip(on: 8 + number, at: number == 13 ? "09:00:00" : "08:15:00"))
            let outcome = try await original.run(["import", file])
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(try await original.run(["trips", "delete", "3", "--yes"]).status == 0)
        let codes = try await original.run(["dtc", "-d", "sim:petrol?latency=0"])
        #expect(codes.status == 0, "\(codes)")
        let stick = original.path("stick")
        try FileManager.default.createDirectory(
            atPath: stick, withIntermediateDirectories: false)
        for name in ["laptop.db", "copy.db", "damaged.db", "stick/a.db", "stick/b.db"] {
            try FileManager.default.copyItem(
                atPath: original.database, toPath: original.path(name))
        }
        try FileManager.default.removeItem(atPath: original.path("import.jsonl"))
    }

    private static let tests = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The clock times of forty minutes from `start`, one per second.
    private static func seconds(from start: String) -> [(clock: String, isMoving: Bool)] {
        let parts = start.split(separator: ":").compactMap { Int($0) }
        let first = (parts[0] * 60 + parts[1]) * 60 + parts[2]
        return (0..<2400).map { second in
            let time = first + second
            let clock = [time / 3600, time / 60 % 60, time % 60].map {
                $0 < 10 ? "0\($0)" : "\($0)"
            }
            return (clock.joined(separator: ":"), !(600..<1500).contains(second))
        }
    }

    /// A drive as JSON Lines.
    private static func trip(on day: Int, at start: String) -> String {
        func head(_ clock: String, _ service: String, _ pid: String) -> String {
            #"{"time":"2026-11-\#(day < 10 ? "0" : "")\#(day)T\#(clock)Z","ecu":"7E8","#
                + #""service":"\#(service)","pid":"\#(pid)","#
        }
        var text = head(start, "09", "02") + #""signal":"VIN","value":"1HGCM82633A004352","#
        text += #""unit":null,"raw":"314847434D383236333341303034333532"}"# + "\n"
        for (clock, isMoving) in seconds(from: start) {
            text += head(clock, "01", "0C") + #""signal":"RPM","unit":"rpm","#
            text += (isMoving ? #""value":1726,"raw":"1AF8"}"# : #""value":0,"raw":"0000"}"#) + "\n"
            text += head(clock, "01", "10") + #""signal":"MAF","unit":"g/s","#
            text += (isMoving ? #""value":12.5,"raw":"04E2"}"# : #""value":0,"raw":"0000"}"#) + "\n"
            text += head(clock, "01", "0D") + #""signal":"VSS","unit":"km/h","#
            text += (isMoving ? #""value":50,"raw":"32"}"# : #""value":0,"raw":"00"}"#) + "\n"
        }
        return text
    }

    /// A signal as Torque writes it.
    private static let battery = """
        Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header
        State of charge,EV_SOC,221234,A/2,0,100,%,

        """

    /// A drive in the format of Car Scanner, which has no date.
    private static let drive = """
        "SECONDS";"PID";"VALUE";"UNITS"
        "36000.5";"Engine RPM";"1726";"rpm"
        "36001.5";"Engine RPM";"1730";"rpm"

        """

    /// A drive as Torque writes it.
    private static func track(on day: Int = 21) -> String {
        var text = "Device Time, Longitude, Latitude,Engine RPM(rpm),Speed (OBD)(km/h),"
        text += "Engine Coolant Temperature(°C),Mass Air Flow Rate(g/s)\n"
        for (place, second) in seconds(from: "08:15:00").enumerated() {
            text += "\(day)-Nov-2026 \(second.clock).000,\(7 + Double(place) * 0.0001),50.7,"
            text += second.isMoving ? "1726,50,90,12.5\n" : "0,0,88,0\n"
        }
        return text
    }
}
