import Accessory
import Adapters
import Formats
import Glibc
import OBDCore
import Reports
import ScanSession
import ScanTool
import Settings
import Testing
import TripStore
import VehicleScan

@testable import ObdscanCLI

@Suite struct `Failures suggest a remedy` {
    @Test func `the error for a denied port names the group and the command that helps`() {
        let failure = Failure(
            AccessoryError.serial(.permissionDenied(path: "/dev/ttyUSB0", group: "dialout")))
        #expect(failure.status == .noPermission)
        #expect(failure.message.contains("dialout"))
        #expect(failure.hint == "sudo usermod -aG dialout $USER, then log in again")
        let own = Failure(AccessoryError.serial(.permissionDenied(path: "/dev/ttyS0", group: nil)))
        #expect(own.message == "/dev/ttyS0: permission denied; only its owner may open it")
        #expect(
            own.hint
                == "sudo usermod -aG dialout $USER && sudo chgrp dialout /dev/ttyS0"
                + " && sudo chmod 660 /dev/ttyS0, then log in again")
    }

    @Test func `the error for a port in use names the program that has it`() {
        let failure = Failure(
            AccessoryError.serial(
                .inUse(path: "/dev/ttyUSB0", holder: .init(pid: 4711, program: "screen"))))
        #expect(failure.message == "/dev/ttyUSB0 is in use by screen (process 4711)")
        #expect(failure.status == .unavailable)
    }

    @Test func `brltty is blamed only where it is installed`() {
        let hints = [true, false].map {
            Failure(AccessoryError.serial(.notFound(path: "/dev/ttyUSB0", hasBrltty: $0))).hint
        }
        #expect(hints[0]?.contains("brltty") == true && hints[1]?.contains("brltty") == false)
    }

    @Test func `every error of an adapter has a message, a remedy and an exit code of the table`() {
        let errors: [AccessoryError] = [
            .serial(.notFound(path: "p")), .serial(.notATerminal(path: "p")),
            .serial(.permissionDenied(path: "p", group: nil)),
            .serial(.inUse(path: "p", holder: nil)),
            .serial(.unsupportedLineRate(path: "p", rate: 1)),
            .serial(.noAnswerAtAnyRate(path: "p", rates: [38400])),
            .tcp(.nameNotResolved(host: "h", reason: "unknown")),
            .tcp(.unreachable(address: "a", errno: 111)), .tcp(.timedOut(address: "a")),
            .bluetooth(.unavailable(errno: 97)), .bluetooth(.unavailable(errno: ENODEV)),
            .bluetooth(.unavailable(errno: EHOSTUNREACH)), .bluetooth(address: "a", .silent),
            .bluetooth(address: "a", .refused(channel: 1)),
            .bluetooth(address: "a", .authenticationFailed), .bluetooth(address: "a", .keyLost),
            .bluetooth(address: "a", .busy), .bluetooth(address: "a", .lowEnergyOnly),
            .bluetooth(address: "a", .failed(errno: EIO)),
            .bluetooth(.unknownName("n")), .lost(address: "a", errno: 5),
            .system(call: "flock", address: "a", errno: 5),
        ]
        for error in errors {
            let failure = Failure(error)
            #expect(!failure.message.isEmpty)
            #expect(failure.hint != nil, "\(error)")
            #expect([.unavailable, .noPermission, .linkLost].contains(failure.status))
            #expect(!failure.message.hasSuffix("."))
        }
    }

    @Test func `a wrong pairing lists the steps and the usual numbers`() {
        let address = "00:1D:A5:68:98:8B"
        for fault in [BluetoothFault.Reason.authenticationFailed, .keyLost, .refused(channel: 1)] {
            let failure = Failure(AccessoryError.bluetooth(address: address + "/1", fault))
            for step in ["agent KeyboardDisplay", "pair \(address) ", "1234", "0000", "trust"] {
                #expect(failure.hint?.contains(step) == true, "\(fault): \(step)")
            }
        }
        let lost = Failure(AccessoryError.bluetooth(address: address, .keyLost))
        #expect(lost.hint?.hasPrefix("bluetoothctl remove") == true)
        let several = Failure(
            AccessoryError.bluetooth(address: "OBDII", .severalOfThatName([address, "B"])))
        #expect(several.status == .usage)
    }

    @Test func `a silent vehicle may need another protocol than the given one`() throws {
        let failure = try #require(Failure(AdapterStatus.busInitError, at: "a"))
        let given = try #require(ProtocolOption(argument: "3"))
        #expect(failure.doubting(given).hint?.hasPrefix("only ISO 9141-2 was tried") == true)
        #expect(failure.doubting(given).hint?.contains("--protocol auto") == true)
        #expect(failure.doubting(.automatic) == failure)
        let full = try #require(Failure(AdapterStatus.bufferFull, at: "a"))
        #expect(full.doubting(given) == full)
    }

    @Test func `every error text of the adapter except "?" has a remedy`() {
        for status in AdapterStatus.allCases where status != .unknownCommand {
            let failure = Failure(status, at: "a")
            #expect(failure?.hint != nil, "\(status)")
        }
        #expect(Failure(AdapterStatus.unknownCommand, at: "a") == nil)
    }

    @Test func `every fault of a file or a database has a remedy`() {
        for number in [ENOENT, EACCES, EPERM, EISDIR, ENOTDIR, EIO, ENOSPC, EROFS, EEXIST, ELOOP] {
            #expect(Failure(inputFile: "p", errno: number).hint != nil)
            #expect(Failure(outputFile: "p", errno: number).hint != nil)
        }
        #expect(
            Failure(outputFile: "a/b.csv", errno: ENOENT).hint
                == "its folder does not exist: mkdir -p a")
        let errors: [StoreError] = [
            .missing(path: "p"), .empty(path: "p"), .foreign(path: "p"),
            .newer(path: "p", version: 9, known: 1), .older(path: "p", version: 1),
            .cannotCreate(path: "p", errno: 2), .permission(path: "p"), .readOnly(path: "p"),
            .full(path: "p"), .locked(path: "p"), .damaged(path: "p", message: "m"),
            .unknownTrip(5, path: "p"), .tripIsOpen(5, path: "p"),
            .lost(entries: 7, .full(path: "p")), .kept(entries: 7, lost: 1, .full(path: "p")),
            .other(path: "p", code: 1, message: "m"),
        ]
        for error in errors { #expect(Failure(error).hint != nil, "\(error)") }
        let failed: [ScanError] = [
            .requestFailed(.timedOut, soFar: Self.nothing),
            .requestFailed(.stopped, soFar: Self.nothing),
            .requestFailed(.adapterRestarted, soFar: Self.nothing),
            .requestFailed(.restartedBeforeSending, soFar: Self.nothing),
            .requestFailed(.flooded, soFar: Self.nothing),
            .requestFailed(.notSent, soFar: Self.nothing),
            .requestFailed(.linkLost, soFar: Self.nothing), .refused(.inError), .adapterSilent,
            .system(call: "eventfd", errno: EMFILE),
        ]
        for error in failed { #expect(Failure(error, at: "a").hint != nil, "\(error)") }
    }

    private static let nothing = Answer(
        request: .command(id: RequestID(rawValue: 1), text: "ATI", mayRepeat: true),
        exchange: Exchange(request: nil, vehicleProtocol: nil), reply: Reply(), items: [],
        asked: .zero, answered: .zero)

    @Test func `different faults of a database have different messages`() {
        #expect(Failure(StoreError.newer(path: "p", version: 9, known: 1)).status == .badData)
        #expect(Failure(StoreError.foreign(path: "p")).status == .badData)
        #expect(Failure(StoreError.missing(path: "p")).status == .noInput)
        #expect(Failure(StoreError.permission(path: "p")).status == .noPermission)
        #expect(Failure(StoreError.cannotCreate(path: "p", errno: 2)).status == .cannotCreate)
        let lost = Failure(StoreError.lost(entries: 7, .full(path: "p")))
        #expect(lost.message.contains("7 entries"))
        #expect(lost.status == .cannotCreate)
        let kept = Failure(StoreError.kept(entries: 1, lost: 0, .full(path: "p")))
        #expect(
            kept.message
                == "1 entry waits in memory until this machine restarts: p: the disk is full")
        #expect(kept.status == .cannotCreate)
        #expect(
            Failure(StoreError.kept(entries: 9, lost: 2, .full(path: "p"))).message
                .contains(
                    "9 entries wait in memory until this machine restarts, and 2 entries were lost")
        )
    }

    @Test func `a lost link has its own exit code, whatever the cause`() {
        let failure = Failure(
            ScanError.linkLost(.lost(address: "a", errno: 0)), at: "a")
        #expect(failure.status == .linkLost)
    }

    @Test func `a failure's text is one printable line and a hint`() {
        let failure = Failure("bad \u{1B}[2J", hint: "do \u{07}this", status: .usage)
        #expect(failure.text == "obdscan: bad \\x1B[2J\nhint: do \\x07this\n")
        #expect(Failure.silent(.findings).text.isEmpty)
    }

    // The exit codes of sysexits.h, which obdscan promises to keep.
    @Test func `exit codes are the documented ones`() {
        #expect(
            ExitStatus.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 69, 70, 73, 74, 75, 77, 78])
    }
}

@Suite struct `Durations` {
    @Test(arguments: [
        ("90", 90.0), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("500ms", 0.5), ("1.5h", 5400),
        ("2min", 120), ("1d", 86_400),
    ])
    func `durations are read`(_ text: String, _ seconds: Double) {
        #expect(DurationArgument(argument: text)?.duration == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "10x", "-5", "0", "1h5", "h1", "1e9", "nan", "５"])
    func `text that is not a duration is refused`(_ text: String) {
        #expect(DurationArgument(argument: text) == nil)
    }
}

@Suite struct `Raw commands` {
    @Test(arguments: [
        ("AT RV", true), ("atz", true), ("010C", true), ("01 0c", true), ("22 F1 90", true),
        ("3E00", true), ("10 01", true), ("ST SN", true),
        ("04", false), ("10 03", false), ("14FFFFFF", false), ("2E F190 00", false),
        ("AT PP 0C SV 23", false), ("AT @3 ABC", false), ("AT SD 01", false),
        ("AT CV 1200", false), ("ST WBR", false), ("ST SLPCP", false), ("AT XYZ", false),
    ])
    func `raw commands are sent without consent only if they read`(_ text: String, _ expected: Bool)
        throws
    {
        #expect(try RawCommand(text).isReadOnly() == expected)
    }

    /// Without a given protocol, each one that may be found counts.
    ///
    /// A vehicle with SAE J1850 gets 0104 unchanged.
    @Test(arguments: [
        ("AT CAF0;02010C", nil, nil), ("AT CAF0;0104", "6", "0104"), ("AT CAF0;0104", nil, nil),
        ("AT SH 7E0;010C", nil, nil), ("AT SH 0C9;010C", nil, "010C"), ("010C;04", nil, "04"),
        ("AT SH 6C10F1;010C", nil, nil), ("AT SH 6C10F1;010C", "6", "010C"),
    ])
    func `raw commands are checked before a device is opened`(
        _ commands: String, _ vehicleProtocol: String?, _ writing: String?
    ) throws {
        let typed = try commands.split(separator: ";").map { try RawCommand(String($0)) }
        let found = RawCommand.firstWriting(
            of: typed, in: vehicleProtocol.flatMap { VehicleProtocol($0) })
        #expect(found?.text == writing)
    }

    @Test(arguments: [
        ("AT RV", "'AT RV'"), ("at sh 7E0 010C", "'at sh 7E0'"),
        ("010C AT SP 6", "'AT SP 6'"),
        ("ST DI AT RV", "'ST DI'"), ("01 0C", "010C"), ("22 F1 90", "22F190"),
        ("22 F190", "22F190"),
    ])
    func `raw commands that the shell split get a hint about quotes`(
        _ words: String, _ whole: String
    ) {
        let failure = RawCommand.unquoted(words.split(separator: " ").map(String.init))
        #expect(failure?.hint == "each argument is a command: \"obdscan send \(whole)\"")
    }

    @Test(arguments: ["03 07 0A", "010C 010D", "ATRV 010C", "ATZ", "01", "03 0902", "3E 00"])
    func `complete raw commands get no hint`(_ words: String) {
        #expect(RawCommand.unquoted(words.split(separator: " ").map(String.init)) == nil)
    }

    @Test(arguments: ["", "0", "010", "GET", "AT", "ST", "hello", "01 0C 1", "AT\u{1B}Z"])
    func `text that is not a raw command is refused`(_ text: String) {
        #expect(throws: Failure.self) { try RawCommand(text) }
    }
}

@Suite struct `The list of a batch` {
    @Test func `a line of a batch has a device, a label and a comment`() {
        let text = """
            # fleet
            sim:  first car

            \t/dev/ttyUSB0\tvan # in the yard
            tcp:10.0.0.1:35000 "bay 3"
            replay:a.txt#1
            """
        #expect(
            CodeBatch.entries(text) == [
                .init(accessory: "sim:", label: "first car"),
                .init(accessory: "/dev/ttyUSB0", label: "van"),
                .init(accessory: "tcp:10.0.0.1:35000", label: "bay 3"),
                .init(accessory: "replay:a.txt#1", label: nil),
            ])
    }

    /// Whoever serves one session is read by one place after the other.
    @Test func `two lines with the same device are read one after the other`() {
        #expect(
            CodeBatch.groups(["a", nil, "b", "a", nil, "b", "a"]) == [
                [0, 3, 6], [1], [2, 5], [4],
            ])
        #expect(CodeBatch.groups([]).isEmpty)
    }

    @Test func `results of a batch have the order of the list`() {
        var results = OrderedResults<String>(4)
        #expect(results.next().isEmpty)
        results.take("b", at: 1)
        #expect(results.next().isEmpty)
        results.take("a", at: 0)
        #expect(results.next() == ["a", "b"] && results.next().isEmpty)
        // The third was interrupted.
        results.take("d", at: 3)
        #expect(results.next().isEmpty && results.missing == [2])
        results.take("c", at: 2)
        #expect(results.next() == ["c", "d"] && results.missing.isEmpty)
        #expect(results.all == ["a", "b", "c", "d"])
    }

    @Test(
        arguments: [
            (Row("codeRow", ["ecu": .text("7E8")]), false),
            (Row("codeRow", ["ecu": .text("7E8"), "code": .text("P0301")]), true),
            (Row("codeRow", ["error": .text("silent")]), true),
        ])
    func `a line of a batch has findings if there is a code or an error`(row: Row, isFinding: Bool)
    {
        #expect(CodeBatch.hasFindings([Row("codeRow", [:]), row]) == isFinding)
    }
}

@Suite struct `Without -d` {
    private func accessory(_ path: String, _ name: String) -> Accessory {
        Accessory(address: .serial(path: path, rate: nil), connectionID: 1, name: name)
    }

    @Test func `the only likely adapter is used, unlikely ones do not count`() throws {
        let found = try AttachedAccessories.only(of: [
            accessory("/dev/ttyS0", "ttyS0"), accessory("/dev/ttyUSB0", "OBDLink SX"),
        ])
        #expect(found == .serial(path: "/dev/ttyUSB0", rate: nil))
    }

    @Test func `several adapters are listed, and the user has to choose`() throws {
        let failure = try #require(throws: Failure.self) {
            try AttachedAccessories.only(of: [
                accessory("/dev/ttyUSB0", "OBDLink SX"), accessory("/dev/ttyUSB1", "OBDLink EX"),
            ])
        }
        #expect(failure.status == .usage)
        #expect(failure.message.contains("/dev/ttyUSB0"))
        #expect(failure.message.contains("/dev/ttyUSB1"))
    }

    @Test
    func `without an adapter the error suggests steps, one of them the simulated vehicle`() throws {
        let failure = try #require(throws: Failure.self) {
            try AttachedAccessories.only(of: [accessory("/dev/ttyS0", "ttyS0")])
        }
        #expect(failure.status == .unavailable)
        #expect(failure.hint?.contains("sim:") ?? false)
    }

    @Test(arguments: [
        ("replay:a.txt", "a.txt: No such file or directory", true),
        ("/dev/ttyUSB0", "/dev/ttyUSB0 is not a serial line", true),
        ("serial:/dev/ttyUSB0?baud=9600", "/dev/ttyUSB0: there is no such device", true),
        ("tcp:obd.local:35000", "obd.local: Name or service not known", true),
        ("tcp:10.0.0.1:1", "tcp:10.0.0.1:1: Vehicle refused", true),
        ("/tmp/x/nothing", "there is no device or file /tmp/x/nothing", true),
        ("/tmp/x/no", "there is no device or file /tmp/x/nothing", false),
        ("sim:", "no ECU answers", false), ("sim:", "the adapter: it is silent", false),
        ("replay:a.txt", "no vehicle answers: NO DATA", false),
    ])
    func `with several adapters each message names its adapter once`(
        _ accessory: String, _ message: String, _ isNamed: Bool
    ) {
        let failure = Failure(message, status: .unavailable)
        #expect(
            failure.told(of: accessory) == (isNamed ? message : "\(accessory): \(message)"))
    }
}
