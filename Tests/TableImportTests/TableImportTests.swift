import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import TableImport

@Suite struct TableImportTests {
    private func row(_ id: String, in source: ImportedSource) throws -> Signal {
        let rows = source.records.flatMap(\.rows)
        return try #require(rows.first { $0.signal.id == id }).signal
    }

    private func reasons(_ source: ImportedSource) -> [String: String] {
        Dictionary(
            source.findings.map { ($0.name, $0.reason) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: OBDb

    // The values were calculated by hand from the definitions above.
    @Test(arguments: [
        ("CAR_SOC", "number(100.0)"), ("CAR_CURRENT", "number(-1.0)"),
        ("CAR_GEAR", "label(code: 2)"), ("CAR_READY", "flag(false)"), ("CAR_BYTE", "number(128.0)"),
        ("CAR_LITTLE", "number(13330.0)"), ("CAR_TEMP", "number(39.0)"),
        ("CAR_NAME", "text(\"NOT\")"),
    ])
    func `A signal set decodes data as OBDb does`(id: String, wanted: String) throws {
        let source = try Samples.source(Samples.obdb)
        let data: [UInt8] = [0xC8, 0xFF, 0xF6, 0x80, 0x12, 0x34, 0x4F, 0x4E, 0x4F, 0x54]
        #expect("\(try row(id, in: source).value(in: data))" == wanted)
    }

    @Test func `Scaled bounds without a value become raw bits`() throws {
        let signal = try row("CAR_TEMP", in: Samples.source(Samples.obdb))
        #expect(signal.notAvailable.map(\.pattern) == [0x00, 0xFF])
    }

    @Test func `Addresses, years and reasons of a signal set are read`() throws {
        let source = try Samples.source(Samples.obdb)
        let ids = source.records.map(\.dataID.description)
        #expect(ids == ["22:0101", "22:2002", "22:3000", "22:DDBC"])
        #expect(source.records[1].target == ECUAddress("18DA11F1"))
        #expect(source.records[1].years == [1980...2017, 2027...2100])
        #expect(source.records[3].target == ECUAddress("6F1/07"))
        #expect(source.records[3].responder == ECUAddress("607/F1"))
        #expect(source.records[3].notes.count == 1)
        #expect(source.records[2].rows.map(\.signal.id) == ["CAR_ALL", "CAR_ALL"])
        #expect(source.records[2].years == [])
        let reasons = reasons(source)
        #expect(reasons["CAR_FL"]?.contains("--year: ..2019, 2020..") == true)
        #expect(reasons["CAR_HORN"]?.contains("service 2F") == true)
    }

    /// An ECU at 0A5 is not asked, so requests would go to all ECUs, and flow control for its answer to it.
    @Test func `An ECU with a reply address outside diagnostics is left out`() throws {
        let text = """
            { "commands": [
            {"hdr": "0A5", "rax": "0AD", "cmd": {"22": "0101"}, "freq": 1,
             "signals": [{"id": "CAR_A", "name": "A", "fmt": {"len": 8}}]},
            {"hdr": "742", "rax": "4C2", "cmd": {"22": "0102"}, "freq": 1,
             "signals": [{"id": "CAR_B", "name": "B", "fmt": {"len": 8}}]} ] }
            """
        let table = ImportedTable([try Samples.source(text)], from: [])
        #expect(table.records.map(\.responder) == [ECUAddress("4C2")])
        #expect(
            table.findings.contains {
                $0.name == "A" && $0.outcome == .leftOut(.unaskable(ECUAddress("0AD")))
            })
    }

    @Test(arguments: [(2015, 0), (2021, 8)])
    func `The model year chooses the layout`(year: Int, offset: Int) throws {
        var options = ImportOptions()
        options.year = year
        let source = try Samples.source(Samples.obdb, "f", options)
        #expect(try row("CAR_FL", in: source).bitOffset == offset)
        #expect(source.records.contains { $0.dataID == DataID("22:2002") } == (year == 2015))
    }

    @Test func `Recorded answers become examples that lint checks`() throws {
        var source = try Samples.source(Samples.obdb)
        source.prove(
            by: [OBDbTests(Array(Samples.obdbTests.utf8), file: "a.yaml", year: 2021)], year: nil)
        #expect(source.recorded == RecordedCounts(agree: 6, differ: 1, clamped: 0, unusable: 1))
        let table = Samples.table([source])
        #expect(Samples.lint(table).isEmpty)
        #expect(table.text.contains("CAR_SOC=100"))
        #expect(table.text.contains("CAR_GEAR=2"))
        // One recorded value contradicts the row, and no value agrees.
        #expect(!table.text.contains("signal CAR_TEMP"))
        #expect(table.text.contains("1 recorded answers contradict the row, 0 agree"))
        #expect(!table.text.contains("signal CAR_SOC A unverified"))
        #expect(table.text.contains("signal CAR_BYTE D unverified : State"))
        #expect(table.text.contains("signal CAR_GEAR D.7..D.6 enum shared : Gear"))
    }

    // MARK: Torque

    @Test func `A list of Torque is read with its peculiarities`() throws {
        let source = try Samples.source(Samples.torque)
        #expect(source.rowCount == 12)
        let reasons = reasons(source)
        #expect(reasons["Calculated"] == RowFault.noRequest.reason)
        #expect(reasons["Near"] == RowFault.nearlyRight.reason)
        #expect(reasons["Horn"]?.contains("2F") == true)
        #expect(reasons["Battery current"]?.contains("bracket") == true)
        #expect(source.findings.filter(\.isLeftOut).map(\.line) == [8, 9, 10])
        let data: [UInt8] = [0xC8, 0xFF, 0xF6, 0x08]
        #expect(try row("SOC", in: source).value(in: data) == .number(100))
        #expect(try row("Current", in: source).value(in: data) == .number(-10))
        #expect(try row("B4.3", in: source).value(in: data) == .flag(true))
        let old = try #require(source.records.first { $0.dataID == DataID("21:01") })
        #expect(old.target == ECUAddress("16"))
        let tyre = try #require(source.records.first { $0.dataID == DataID("21:30") })
        #expect(tyre.target == ECUAddress("750/2A"))
        #expect(source.records.contains { $0.dataID == DataID("22:0105") })
    }

    @Test(
        arguments: [
            ("-40,215", "display -40..215"), ("0,0.5", "display 0..0.5"),
            ("0,1e3", "display 0..1000"),
            ("0,2\(String(repeating: "2", count: 60))", nil), ("-1e70,0", nil), ("0,inf", nil),
            ("nan,5", nil), ("5,5", nil), (",", nil),
        ] as [(String, String?)])
    func `Limits of a gauge become a valid line or are left out`(
        limits: String, wanted: String?
    ) throws {
        let text = """
            Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header
            Oil,Oil,220101,A-40,\(limits),°C,7E4
            """
        let table = Samples.table([try Samples.source(text)])
        #expect(table.takenCount == 1)
        let line = table.text.split(separator: "\n").first { $0.contains("display") }
        #expect(line.map { $0.drop { $0 == " " } } == wanted.map { $0[...] })
        #expect(Samples.lint(table).isEmpty)
    }

    @Test(arguments: [
        ("a,b,c", ["a", "b", "c"]), ("\"a,b\", \"c\"", ["a,b", "c"]),
        ("\"a \"\"b\"\"\",c", ["a \"b\"", "c"]), ("\"Boost \"abs\"\",TA", ["Boost \"abs\"", "TA"]),
        ("\" \"\"Short\"\"\",x", ["Short", "x"]), ("\"\",x", ["", "x"]),
        ("a\"b\",c", ["a\"b\"", "c"]),
        ("a,", ["a", ""]), ("", [""]), ("\"open", ["open"]),
    ])
    func `Cells may have quotes in many positions`(line: String, wanted: [String]) {
        #expect(SourceLines.cells(line) == wanted)
    }

    @Test(
        arguments: [
            ("7E4", "7E4", "7EC"), ("7d0", "7D0", nil), ("84D5F1", "D5", "D5"),
            ("6C10F1", "10", "10"), ("DA10F1", "18DA10F1", "18DAF110"), ("6B4:694", "6B4", "694"),
            ("Auto", nil, nil), ("", nil, nil), ("TCM", nil, nil), ("7DF", nil, nil),
            ("18DB33F1", nil, nil), ("C133F1", nil, nil), ("0x7E0", "7E0", "7E8"),
            ("0007E4", "7E4", "7EC"),
        ] as [(String, String?, String?)])
    func `Addresses have many forms`(text: String, target: String?, reply: String?) throws {
        let found = try ForeignRequest.address(text)
        #expect(found.target == target.flatMap { ECUAddress($0) })
        #expect(found.responder == reply.flatMap { ECUAddress($0) })
    }

    @Test(arguments: ["7E4!", "12345", "FFFF", "99999999", "A:B:C", "1"])
    func `Text that is not an address is refused`(text: String) {
        #expect(throws: RowFault.address(text)) { try ForeignRequest.address(text) }
    }

    // MARK: WiCAN

    /// The index of a byte in the frames, and its index in the payload of one frame and of several
    /// frames.
    @Test(
        arguments: [
            (0, nil, nil), (1, 0, nil), (2, 1, 0), (4, 3, 2), (7, 6, 5), (8, nil, nil), (9, nil, 6),
            (15, nil, 12), (16, nil, nil), (17, nil, 13), (23, nil, 19), (24, nil, nil),
            (25, nil, 20),
        ] as [(Int, Int?, Int?)])
    func `Bytes of a frame become positions in the payload`(frame: Int, one: Int?, several: Int?) {
        #expect(WiCANReader.payloadPlace(frame, isLong: false) == one)
        #expect(WiCANReader.payloadPlace(frame, isLong: true) == several)
    }

    @Test func `A profile is read, and its protocol bytes do not become data`() throws {
        let source = try Samples.source(Samples.wican)
        let reasons = reasons(source)
        #expect(reasons["COUNTER"] == RowFault.protocolByte(16).reason)
        #expect(reasons["ACROSS"] != nil)
        #expect(reasons["LENGTH"] == RowFault.protocolByte(0).reason)
        #expect(reasons["GONE"] != nil)
        // 7EC 10 .. 62 01 01 A B C | 21 D E F ...: B9 is D, B11 and B12 are F and G.
        let data: [UInt8] = [0, 0, 0, 0xC8, 0, 0xFF, 0xF6]
        #expect(try row("SOC", in: source).value(in: data) == .number(100))
        #expect(try row("HV_A", in: source).value(in: data) == .number(-1))
        #expect(try row("BIT", in: source).value(in: data) == .flag(true))
        // 7CE 06 62 B0 02 A B C: B4 is A.
        #expect(try row("ODOMETER", in: source).value(in: [1, 2, 3]) == .number(66_051))
        let record = try #require(source.records.first { $0.dataID == DataID("22:B002") })
        #expect(record.target == ECUAddress("7C6"))
        #expect(record.responder == ECUAddress("7CE"))
        #expect(record.length == 1...4)
        #expect(source.records[0].length == 5...4095)
    }

    // MARK: ABRP, DBC

    @Test func `A list of ABRP is read`() throws {
        let source = try Samples.source(Samples.abrp)
        let data: [UInt8] = [0xC8, 0xFF, 0xF6, 0x08]
        #expect(try row("soc", in: source).value(in: data) == .number(100))
        #expect(try row("current", in: source).value(in: data) == .number(-1))
        #expect(try row("is_charging", in: source).value(in: data) == .number(1))
        #expect(try row("is_charging", in: source).value(in: [0, 0, 0, 0x0C]) == .number(0))
        #expect(reasons(source)["voltage"] != nil)
        #expect(source.records[0].target == ECUAddress("7E4"))
    }

    @Test func `Answers and messages in a DBC file become records`() throws {
        let source = try Samples.source(Samples.dbc)
        #expect(source.rowCount == 4)
        #expect(
            source.records.map(\.dataID.description) == ["22:1300", "22:1301", "22:1302", "FD:123"])
        #expect(try row("Oil", in: source).value(in: [0x64]) == .number(60))
        #expect(try row("Turns", in: source).value(in: [0xFE, 0xFF]) == .number(-1))
        #expect(try row("Lever", in: source).value(in: [0x03]) == .label(code: 3))
        #expect(try row("Wheels.Speed", in: source).value(in: [0x27, 0x10]) == .number(100))
    }

    // MARK: All sources

    @Test(arguments: Samples.all.map(\.file))
    func `Every import passes lint, and a second import is identical`(file: String) throws {
        let text = try #require(Samples.all.first { $0.file == file }).text
        let first = Samples.table([try Samples.source(text, file)])
        #expect(first.takenCount > 0)
        #expect(Samples.lint(first) == [])
        #expect(first.text == Samples.table([try Samples.source(text, file)]).text)
        let left = first.findings.count { $0.isLeftOut }
        #expect(first.takenCount + left == first.rowCount)
    }

    @Test func `All sources together make one table with unique names and one signal per role`()
        throws
    {
        let sources = try Samples.all.map { try Samples.source($0.text, $0.file) }
        let table = Samples.table(sources)
        #expect(Samples.lint(table) == [])
        let rows = table.records.flatMap(\.rows)
        let ids = rows.map { $0.signal.id.lowercased() }
        #expect(Set(ids).count == ids.count)
        let roles = rows.flatMap(\.signal.aliases)
        #expect(Set(roles).count == roles.count)
        #expect(roles.contains("ev-soc"))
        // One source already uses this name for its signal.
        #expect(ids.contains("odometer"))
    }

    @Test func `A row that two kinds of program read alike is not marked as unverified`() throws {
        let torque = """
            Name,ShortName,ModeAndPID,Equation,Min Value,Max Value,Units,Header
            Charge,Charge,220101,A/2,0,100,%,7E4
            Other,Other,220101,C/2,0,100,%,7E4
            """
        let sources = try [(torque, "a.csv"), (Samples.obdb, "b.json")].map {
            try Samples.source($0.0, $0.1)
        }
        let table = Samples.table(sources)
        #expect(Samples.lint(table) == [])
        let rows = table.text.split(separator: "\n").filter { $0.contains(" signal ") }
        func isUnverified(_ id: String) -> Bool? {
            rows.first { $0.contains(" signal \(id) ") }?.contains("unverified")
        }
        #expect(isUnverified("Charge") == false && isUnverified("CAR_SOC") == false)
        #expect(isUnverified("Other") == true && isUnverified("CAR_CURRENT") == true)
        // Two lists of one kind may have one author.
        let twice = try Samples.table([
            Samples.source(torque, "a.csv"),
            Samples.source(torque.replacing("Charge", with: "Charge2"), "c.csv"),
        ])
        #expect(twice.text.split(separator: "unverified").count > 2)
    }

    @Test(arguments: Samples.all.map(\.file))
    func `A file cut at any byte gives a valid table or none`(file: String) throws {
        let text = try #require(Samples.all.first { $0.file == file }).text
        let bytes = Array(text.utf8)
        for end in 0..<bytes.count {
            guard let source = try? TableSource.read(Array(bytes[..<end]), file) else { continue }
            let table = Samples.table([source])
            #expect(table.takenCount <= table.rowCount)
            if end % 8 == 0 { #expect(Samples.lint(table) == [], "cut at \(end)") }
        }
    }

    @Test(arguments: Samples.all.map(\.file))
    func `A thousand damaged files give valid tables or none`(file: String) throws {
        let text = try #require(Samples.all.first { $0.file == file }).text
        let bytes = Array(text.utf8)
        var state: UInt64 = 88_172_645_463_325_252
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(truncatingIfNeeded: state >> 33) % max(bound, 1)
        }
        let pieces = [
            "9", "-", "\"", "{", "}", ":", ",", "\n", "0", "Ω", "\u{0}", "99999999999999999999",
            "1e300",
        ]
        for round in 0..<1_000 {
            var damaged = bytes
            for _ in 0...random(3) {
                let place = random(damaged.count)
                switch random(3) {
                case 0: damaged[place] = UInt8(truncatingIfNeeded: random(256))
                case 1: damaged.remove(at: place)
                default:
                    damaged.insert(contentsOf: Array(pieces[random(pieces.count)].utf8), at: place)
                }
            }
            guard let source = try? TableSource.read(damaged, file) else { continue }
            let table = Samples.table([source])
            #expect(table.takenCount <= table.rowCount)
            if round % 4 == 0 { #expect(Samples.lint(table) == [], "round \(round)") }
        }
    }

    @Test func `Other files are not tables`() {
        for text in [
            "", "{}", "[]", "{\"a\": 1}", "time,speed\n1,2\n", "# only\n", "record 01:0C 2 : x",
        ] {
            #expect(throws: TableSource.Fault.self) {
                try TableSource.read(Array(text.utf8), "f")
            }
        }
        #expect(throws: TableSource.Fault.json(line: 2)) {
            try TableSource.read(Array("{\n\"commands\": [".utf8), "f")
        }
        #expect(throws: TableSource.Fault.otherForm(.torque)) {
            try TableSource.read(Array(Samples.torque.utf8), "f", as: .dbc)
        }
    }

    // MARK: Address bytes

    /// BMW's tester is F1, and every ECU puts that address before its answers; Toyota's put their own.
    @Test(arguments: [
        (
            "{\"hdr\": \"6F1\", \"rax\": \"60D\", \"eax\": \"0D\", \"cmd\": {\"22\": \"DDBC\"}}",
            "6F1/0D", "60D/F1"
        ),
        (
            "{\"hdr\": \"750\", \"rax\": \"758\", \"eax\": \"2A\", \"cmd\": {\"21\": \"30\"}}",
            "750/2A", "758/2A"
        ),
        (
            "{\"hdr\": \"750\", \"rax\": \"758\", \"eax\": \"2A\", \"tst\": \"F4\", \"cmd\": {\"21\": \"30\"}}",
            "750/2A", "758/F4"
        ),
    ])
    func `An answer has the address byte of the vehicle's maker`(
        command: String, target: String, responder: String
    ) throws {
        let set =
            "{\"commands\": [" + command.dropLast()
            + ", \"signals\": [{\"id\": \"X\", \"name\": \"X\", \"fmt\": {\"len\": 8}}]}]}"
        let source = try Samples.source(set)
        #expect(source.records.first?.target == ECUAddress(target))
        #expect(source.records.first?.responder == ECUAddress(responder))
    }

    @Test(arguments: [
        ("6F1", "ATCEA07\\nATCRA607", "6F1/07", "607/F1"),
        ("6F1", "ATCEA07\\nATTAF1\\nATCRA607", "6F1/07", "607/F1"),
        ("750", "atcea2a\\natcra758", "750/2A", "758/2A"),
    ])
    func `Adapter commands lead to the same address bytes`(
        header: String, commands: String, target: String, responder: String
    ) throws {
        let source = try Samples.source(
            "Charge,SOC,22DDBC,A/2,0,100,%,\(header),\(commands),,1,\n"
                + "Other,Other,22DDBD,A/2,0,100,%,\(header),\(commands),,1,\n", "list.csv")
        #expect(source.records.first?.target == ECUAddress(target))
        #expect(source.records.first?.responder == ECUAddress(responder))
    }

    @Test func `A profile of WiCAN leads to the same address bytes`() throws {
        let source = try Samples.source(
            """
            { "car_model": "BMW: i3", "init": "ATSP6;ATSH6F1;ATCEA07;ATCRA607;",
              "pids": [ { "pid": "22DDBC", "parameters": { "SOC": "[B5:B6]/10" } } ] }
            """)
        #expect(source.records.first?.responder == ECUAddress("607/F1"))
    }

    /// Recorded by OBDb for the BMW i3 of 2018: 52.3 %.
    @Test func `A recorded answer with an address byte proves its row`() throws {
        var source = try Samples.source(
            """
            {"commands": [{"hdr": "6F1", "rax": "607", "eax": "07", "cmd": {"22": "DDBC"},
              "signals": [{"id": "I3_SOC", "name": "SOC", "fmt": {"len": 16, "div": 10}}]}]}
            """)
        let tests = OBDbTests(
            Array(
                """
                command_id: 6F1.607.22DDBC
                test_cases:
                - expected_values:
                    I3_SOC: 52.3
                  response: |-
                    607F1100962DDBC020B
                    607F1210364006EFFFF
                """.utf8), file: "t", year: nil)
        source.prove(by: [tests], year: nil)
        #expect(source.recorded.agree == 1 && source.recorded.unusable == 0)
    }

    /// Two ECUs answer a request to all; both report that the car stands.
    @Test func `Equal answers of two ECUs count as one proof`() throws {
        var source = try Samples.source(
            """
            {"commands": [{"hdr": "DB33", "cmd": {"01": "0D"},
              "signals": [{"id": "VSS", "name": "Speed", "fmt": {"len": 8}}]}]}
            """)
        func tests(_ second: String) -> OBDbTests {
            OBDbTests(
                Array(
                    """
                    command_id: DB33.010D
                    test_cases:
                    - expected_values:
                        VSS: 0
                      response: |-
                        18DAF11003410D00
                        18DAF11E03410D\(second)
                    """.utf8), file: "t", year: nil)
        }
        source.prove(by: [tests("00"), tests("07")], year: nil)
        #expect(source.recorded.agree == 1 && source.recorded.unusable == 1)
    }

    // MARK: Texts

    @Test(arguments: [(0x01, "running"), (0x09, "9"), (0x00, "0")] as [(UInt8, String)])
    func `A number as the default of an attribute does not hide texts`(byte: UInt8, label: String)
        throws
    {
        let expression = try ExpressionReader.read("LOOKUP(A:A:1='running')", as: .torque).0
        let signal = try RowReading.signal(expression)
        guard case .label(let code) = signal.value(in: [byte]) else {
            Issue.record("\(signal.value(in: [byte]))")
            return
        }
        #expect(signal.labels.first { $0.code == code }?.label == label)
    }

    // MARK: DBC

    /// The second message has one identifier, 22:0100, and a signal that is in every answer.
    @Test func `A signal without a multiplexer is read from the only answer`() throws {
        let source = try Samples.source(
            """
            BO_ 2028 Battery: 62 Vector__XXX
             SG_ Charge m257 : 64|8@1+ (0.5,0) [0|0] "%" Vector__XXX
             SG_ response m98M : 23|16@0+ (1,0) [0|0] "unit" Vector__XXX
             SG_ service M : 15|8@0+ (1,0) [0|0] "" Vector__XXX

            BO_ 1979 Temperature: 54 Vector__XXX
             SG_ Indoor m256 : 72|8@1+ (0.5,-40) [0|0] "degC" Vector__XXX
             SG_ response m98 : 23|16@0+ (1,0) [0|0] "unit" Vector__XXX
             SG_ service M : 15|8@0+ (1,0) [0|0] "" Vector__XXX
             SG_ Outdoor : 87|8@0+ (0.5,-40) [0|0] "" Vector__XXX

            SG_MUL_VAL_ 2028 Charge response 257-257;
            SG_MUL_VAL_ 2028 response service 98-98;
            """, "obd.dbc")
        #expect(
            source.records.map { "\($0.dataID) \($0.rows.map(\.signal.id))" } == [
                "22:0101 [\"Charge\"]", "22:0100 [\"Indoor\", \"Outdoor\"]",
            ])
        let outdoor = try row("Outdoor", in: source)
        // Byte 10 of the frame is byte G of the answer: 6 after service and identifier.
        var data = [UInt8](repeating: 0, count: 20)
        data[6] = 100
        #expect("\(outdoor.value(in: data))" == "number(10.0)")
    }
}
