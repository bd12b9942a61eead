import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import TableImport

@Suite struct `DBC files` {
    /// A table of the rows in `text`, which our own reader reads again.
    private func table(_ text: String) throws -> PIDTable {
        let table = Samples.table([try Samples.source(text, "f.dbc")])
        #expect(Samples.lint(table) == [])
        return try PIDTables.load([TableFile(path: "t", contents: Array(table.text.utf8))])
    }

    private func source(_ text: String) throws -> ImportedSource {
        try Samples.source(text, "f.dbc")
    }

    private func values(
        _ table: PIDTable, _ id: String, _ data: [UInt8]
    ) throws -> [String: Reading.Value] {
        let record = try #require(DataID(id).flatMap { table.record($0) })
        var values: [String: Reading.Value] = [:]
        for index in record.signals {
            let place = SignalIndex(rawValue: index)
            if let value = table.value(of: place, in: data) { values[table[place].id] = value }
        }
        return values
    }

    private func reasons(_ source: ImportedSource) -> [String: String] {
        Dictionary(
            source.findings.map { ($0.name, $0.reason) }, uniquingKeysWith: { first, _ in first })
    }

    private func labels(_ text: String) throws -> [[String]] {
        try source(text).records.flatMap(\.rows).map { $0.signal.labels.map(\.label) }
    }

    /// Positions by Vector's rule: the start of a big-endian number is its most significant bit.
    @Test(arguments: [
        ("3|10@0+", [0xFA, 0xCF] as [UInt8], 0x2B3), ("4|12@1+", [0xA5, 0xBC], 0xBCA),
        ("11|12@0-", [0x00, 0x08, 0x00], -2048), ("7|8@0-", [0xFF], -1),
        ("0|16@1+", [0x34, 0x12], 0x1234),
        ("7|16@0+", [0x12, 0x34], 0x1234), ("2|3@1+", [0b0001_0100], 0b101),
    ])
    func `bits are found in both byte orders`(place: String, data: [UInt8], value: Double) throws {
        let table = try table("BO_ 416 M: 8 A\n SG_ S : \(place) (1,0) [0|0] \"\" A\n")
        #expect(try values(table, "FD:1A0", data)["M.S"] == .number(value))
    }

    @Test(arguments: [
        ("SG_ S: 8 | 8 @ 1 + ( .5 , -40 ) [0|0] \"degC\" A", 60.0),
        ("SG_ S : 8|8@1+ (5E-01,-4e1)", 60), ("\tSG_ S : 15|8@0- (-2,+1) [0|0] \"\"", 113),
    ])
    func `blanks and numbers in a DBC file may have any form`(row: String, value: Double) throws {
        let table = try table("BO_ 416 M:8 A\n\(row)\nBU_: A\n")
        #expect(try values(table, "CAN:1A0", [0, 0xC8])["M.S"] == .number(value))
    }

    @Test(arguments: [
        "BO_ 416\n M: 8\n A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" A,\n B\n SG_ T : 8|8@1+ (1,0) [0|0] \"\" A",
        "BO_ 416 M: 8 A SG_ S : 0|8@1+ (1,0) [0|0] \"\" A SG_ T : 8|8@1+ (1,0) [0|0] \"\" B",
        "NS_: BS_: BU_: A\n\tBO_\t416\tM:\t8\tA\n\tSG_\tS : 0|8@1+ (1,0)\n\tSG_\tT : 8|8@1+ (1,0)",
        "BO_ 416 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" A // SG_ U : 0|8@1+ (1,0)\n// SG_ V : 0|8@1+ (1,0)\n SG_ T : 8|8@1+ (1,0)",
        "BO_ 416 M: 8 A\rSG_ S : 0|8@1+ (1,0)\rSG_ T : 8|8@1+ (1,0)\r",
    ])
    func `a statement has any number of lines, and a line any number of statements`(
        text: String
    ) throws {
        let table = try table(text)
        #expect(try values(table, "FD:1A0", [1, 2]) == ["M.S": .number(1), "M.T": .number(2)])
    }

    @Test func `statements other than messages and signals may have several lines`() throws {
        let table = try table(
            """
            BO_ 416 M: 8 A
             SG_ X M : 32|8@1+ (1,0) [0|0] "" A
             SG_ F m1 : 0|32@1- (1,0) [0|0] "" A
            SIG_VALTYPE_ 416
              F : 1;
            SG_MUL_VAL_ 416 F X
              3,
              5-6;
            """)
        for (value, isThere) in [(1, false), (3, true), (4, false), (6, true)] as [(UInt8, Bool)] {
            let values = try values(table, "FD:1A0", [0, 0, 0xC0, 0x3F, value])
            #expect(values["M.F"] == (isThere ? .number(1.5) : nil))
        }
    }

    /// A backslash before a quote is a part of the text, unless the statement ends there.
    @Test(arguments: [
        "CM_ SG_ 416 S \"C:\\table\\\";", "CM_ SG_ 416 S \"C:\\\" ; ",
        "CM_ SG_ 416 S \"say \\\"yes\\\";\nno\";",
        "CM_ \"doubled \"\"quotes\"\"; VAL_ 416 S 1 \"\"x\"\"\";",
    ])
    func `a text in a DBC file ends with its statement`(comment: String) throws {
        let text =
            "BO_ 416 M: 8 A\n SG_ S : 0|1@1+ (1,0)\n\(comment)\nCM_ \"x\";\nVAL_ 416 S 1 \"on\" 0 \"off\";"
        #expect(try labels(text) == [["off", "on"]])
    }

    @Test(arguments: [
        "0 \"a\" +1 \"b\"", "0.0 \"a\", 1E0 \"b\"", "18446744073709551616 \"x\" 1\"b\"0\"a\"",
    ])
    func `numbers of labels have any form`(labels: String) throws {
        let text = "BO_ 416 M: 8 A\n SG_ S : 0|1@1+ (1,0)\nVAL_ 416 S \(labels);"
        #expect(try self.labels(text) == [["a", "b"]])
    }

    @Test func `in a label a quote after a backslash is kept, without the backslash`() throws {
        let text = #"""
            BO_ 416 M: 8 A
             SG_ S : 0|1@1+ (1,0)
            VAL_ 416 S 0 "say \"a\"" 1 "C:\b";
            """#
        #expect(try labels(text) == [[#"say "a""#, #"C:\b"#]])
    }

    @Test func `files are in UTF-8, UTF-16 or Windows-1252`() throws {
        let text = "BO_ 416 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"°C\" A\nCM_ \"–\";"
        let units = Array(text.utf16)
        let windows = text.unicodeScalars.map { $0 == "–" ? 0x96 : UInt8($0.value) }
        let files: [[UInt8]] = [
            Array(text.utf8), windows, [0xEF, 0xBB, 0xBF] + Array(text.utf8),
            [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
        ]
        for file in files {
            let source = try TableSource.read(file, "f.dbc")
            #expect(source.records.flatMap(\.rows).map(\.signal.unit) == ["°C"])
        }
        #expect(SourceLines([0x80, 0x96, 0x99, 0xE4]).lines == ["€–™ä"])
    }

    @Test func `a row with a mistake does not affect the other rows`() throws {
        let text = """
            Notes "of a person; BO_ 1 X: 8 A
            BU_: A
            BO_ 416 M: 8 A
             SG_ Good : 0|8@1+ (1,0) [0|0] "" A
             SG_ Zero : 8|8@1+ (0,0) [0|0] "" A
             SG_ Far : 510|8@1+ (1,0) [0|0] "" A
             SG_ Broken : x|8@1+ (1,0) [0|0] "" A
             SG_ Beyond : 64|8@1+ (1,0) [0|0] "" A
            BO_ no Bad: 8 A
             SG_ Lost : 0|8@1+ (1,0) [0|0] "" A
            BO_ 416 Again: 8 A
             SG_ Second : 0|8@1+ (1,0) [0|0] "" A
            BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
             SG_ Bin : 0|8@1+ (1,0) [0|0] "" A
            BO_ 1073741824 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
             SG_ OtherBin : 0|8@1+ (1,0) [0|0] "" A
            CM_ SG_ 416 Good "several lines;
            BO_ 2 Comment: 8 A
             SG_ Wrong : 0|8@1+ (1,0) [0|0] "" A
             and \\"quotes\\"";
            CM_ 416 "without the signal";
            VAL_ 000 Name
            VAL_ 416 Nowhere 0 "x" ;
            """
        let source = try source(text)
        let reasons = reasons(source)
        #expect(
            Set(reasons.keys) == ["Zero", "Far", "Broken", "BO_", "Lost", "Second", "Beyond"])
        #expect(reasons["Second"] == "the message in line 3 has the same identifier")
        #expect(reasons["Lost"] == "its message is missing or malformed")
        let rows = source.records.flatMap(\.rows).map(\.signal.id)
        #expect(rows == ["M.Good", "M.Beyond"])
        #expect(rows.count + source.findings.count { $0.isLost } == source.rowCount)
        #expect(
            reasons["Beyond"]
                == "it ends in byte 9, its message has 8: only a longer frame has it")
        // A row beyond the stated length has a value only if the frame is long enough.
        let table = try table(text)
        #expect(try values(table, "FD:1A0", [7])["M.Beyond"] == .missing(.tooShort, code: nil))
        let long: [UInt8] = [7, 0, 0, 0, 0, 0, 0, 0, 9]
        #expect(try values(table, "FD:1A0", long)["M.Beyond"] == .number(9))
    }

    @Test(arguments: [
        ("S", "the \":\" after the name"), ("S : x|8@1+ (1,0)", "the first bit"),
        ("S : 0|16", "the \"@\" after the number of bits"),
        ("S : 0 8@1+ (1,0)", "the \"|\" after the first bit"),
        ("S : 0|8@3+ (1,0)", "the byte order and sign after \"@\""),
        ("S : 0|8@1+ (1 0)", "the \",\" between factor and offset"),
        ("S : 0|8@1+ (1,x)", "the offset"), ("S : 0|8@1+ (1,0", "the \")\" after the offset"),
        ("S mx : 0|8@1+ (1,0)", "the value of its multiplexer"),
        ("S y : 0|8@1+ (1,0)", "the mark of a multiplexer"),
    ])
    func `a broken row is named with the part that is wrong`(row: String, what: String) throws {
        let source = try source("BO_ 416 M: 8 A\n SG_ Good : 0|8@1+ (1,0)\n SG_ \(row)\n")
        let finding = try #require(source.findings.first)
        #expect(source.findings.count == 1)
        #expect(finding.line == 3 && finding.isLost)
        #expect(finding.reason == what + " is missing or malformed")
    }

    @Test func `identifiers have 11 or 29 bits`() throws {
        let text = """
            BO_ 291 A: 8 X
             SG_ S : 0|8@1+ (1,0) [0|0] "" X
            BO_ 2566844672 B: 8 X
             SG_ S : 0|8@1+ (1,0) [0|0] "" X
            BO_ 419360769 C: 8 X
             SG_ S : 0|8@1+ (1,0) [0|0] "" X
            """
        #expect(
            try source(text).records.map(\.dataID.description) == [
                "FD:123", "FD:18FEF100", "FD:18FEF001",
            ])
    }

    /// A multiplexer after its signals, ranges, and a multiplexer that is there only with a value of another.
    @Test func `a signal is present only if every multiplexer above it is present`() throws {
        let table = try table(
            """
            BO_ 416 M: 8 A
             SG_ Value m3 : 15|8@0+ (1,0) [0|0] "" A
             SG_ Inner m1M : 23|8@0+ (1,0) [0|0] "" A
             SG_ Deep m7 : 31|8@0+ (1,0) [0|0] "" A
             SG_ Outer M : 7|4@0+ (1,0) [0|0] "" A
             SG_ Always : 39|8@0+ (1,0) [0|0] "" A
            SG_MUL_VAL_ 416 Value Outer 2-3, 8-8;
            SG_MUL_VAL_ 416 Inner Outer 1-1;
            SG_MUL_VAL_ 416 Deep Inner 7-9;
            """)
        func names(_ outer: UInt8, _ inner: UInt8) throws -> Set<String> {
            Set(try values(table, "FD:1A0", [outer << 4, 0, inner, 0, 0]).keys)
        }
        let common: Set<String> = ["M.Outer", "M.Always"]
        #expect(try names(0, 7) == common)
        #expect(try names(1, 7) == common.union(["M.Inner", "M.Deep"]))
        #expect(try names(1, 6) == common.union(["M.Inner"]))
        #expect(try names(2, 7) == common.union(["M.Value"]))
        #expect(try names(3, 7) == common.union(["M.Value"]))
        #expect(try names(8, 7) == common.union(["M.Value"]))
        #expect(try names(4, 7) == common)
    }

    @Test func `a signal without its multiplexer is left out`() throws {
        let source = try source(
            """
            BO_ 416 M: 8 A
             SG_ Switch M : 0|8@1+ (0,0) [0|0] "" A
             SG_ Value m1 : 8|8@1+ (1,0) [0|0] "" A
             SG_ Round m1M : 16|8@1+ (1,0) [0|0] "" A
             SG_ Turn m1M : 24|8@1+ (1,0) [0|0] "" A
            BO_ 417 N: 8 A
             SG_ Alone m1 : 8|8@1+ (1,0) [0|0] "" A
            SG_MUL_VAL_ 416 Round Turn 1-1;
            SG_MUL_VAL_ 416 Turn Round 1-1;
            """)
        #expect(source.records.isEmpty)
        #expect(
            Set(reasons(source).keys) == ["Switch", "Value", "Round", "Turn", "Alone"])
    }

    /// IEEE 754: 3FC00000 is 1.5, C004000000000000 is -2.5; 7FC00000 is not a number.
    @Test func `floating point numbers have 32 or 64 bits`() throws {
        let table = try table(
            """
            BO_ 416 M: 12 A
             SG_ F : 0|32@1- (1,0) [0|0] "" A
             SG_ D : 39|64@0- (2,0) [0|0] "" A
            SIG_VALTYPE_ 416 F : 1;
            SIG_VALTYPE_ 416 D 2;
            """)
        let data: [UInt8] = [0, 0, 0xC0, 0x3F, 0xC0, 0x04, 0, 0, 0, 0, 0, 0]
        #expect(try values(table, "FD:1A0", data) == ["M.F": .number(1.5), "M.D": .number(-5)])
        let none: [UInt8] = [0, 0, 0xC0, 0x7F] + data[4...]
        #expect(try values(table, "FD:1A0", none)["M.F"] == .missing(.notAvailable, code: nil))
    }

    /// IEEE 754: 3ECCCCCD is nearest to 0.4, 60AD78EC to 1e20.
    @Test(
        arguments: [(0x3ECC_CCCD, 0.4), (0x60AD_78EC, 1e20), (0x3F55_3F7D, 0.833)]
            as [(UInt64, Float)])
    func `a number of 32 bits keeps each of its bits`(raw: UInt64, value: Float) throws {
        let signal = try #require(
            try table(
                """
                BO_ 416 M: 8 A
                 SG_ F : 0|32@1- (1,0) [0|0] "" A
                SIG_VALTYPE_ 416 F : 1;
                """
            ).signals.first { $0.id == "M.F" })
        #expect(signal.value(raw: raw) == .number(Double(value)))
        #expect(value.bitPattern == UInt32(raw))
    }

    @Test func `labels name raw values, and mark raw values without a meaning`() throws {
        let table = try table(
            """
            BO_ 416 M: 8 A
             SG_ Gear : 0|3@1+ (1,0) [0|0] "" A
             SG_ Level : 8|8@1+ (0.5,0) [0|0] "%" A
             SG_ Door : 16|1@1+ (1,0) [0|0] "" A
             SG_ Share : 17|1@1+ (100,0) [0|0] "%" A
             SG_ Listed : 24|2@1+ (1,0) [0|0] "" A
            VAL_TABLE_ OnOff 1 "on" 0 "off" ;
            VAL_ 416 Gear 0 "P" 1 "R" 7 "not available" ;
            VAL_ 416 Level 255 "Signal not available" 254 "Error" 253 "Error" 0 "empty" ;
            VAL_ 416 Listed OnOff;
            """)
        let first = try values(table, "FD:1A0", [0x01, 0xFD, 0x03, 0x01])
        #expect(first["M.Gear"] == .label(code: 1))
        #expect(first["M.Level"] == .number(126.5))
        #expect(first["M.Door"] == .flag(true))
        #expect(first["M.Share"] == .number(100))
        #expect(first["M.Listed"] == .label(code: 1))
        let second = try values(table, "FD:1A0", [0x03, 0xFE, 0, 0x02])
        #expect(second["M.Gear"] == .missing(.undefined, code: 3))
        #expect(second["M.Level"] == .missing(.notAvailable, code: nil))
    }

    /// VAL_ numbers are raw, whatever the factor; those of a signed signal are signed.
    @Test func `a number keeps its value and has a name for some of them`() throws {
        let text = """
            BO_ 416 M: 8 A
             SG_ Gear : 0|8@1+ (1,0) [0|3] "" A
             SG_ Level : 8|8@1+ (0.5,-10) [0|0] "%" A
             SG_ Turn : 16|8@1- (1,0) [0|0] "" A
             SG_ Real : 32|32@1- (1,0) [0|0] "" A
            VAL_ 416 Gear 0 "Park" 1 "R" 2 "N" 3 "Drive";
            VAL_ 416 Level 3 "low" 255 "SNA" 300 "beyond";
            VAL_ 416 Turn -1 "left" 1 "right" 254 "not a code";
            VAL_ 416 Real 0 "zero";
            SIG_VALTYPE_ 416 Real : 1;
            """
        let table = try table(text)
        let signals = table.signals.filter { $0.id.hasPrefix("M.") }
        let kinds = signals.map(\.kind)
        #expect(kinds == [.number, .number, .number, .number])
        let data: [UInt8] = [3, 3, 0xFF, 0, 0, 0, 0, 0]
        let values = signals.map { $0.value(in: data) }
        #expect(values == [.number(3), .number(-8.5), .number(-1), .number(0)])
        let names = zip(signals, values).map { $0.label(of: $1) }
        #expect(names == ["Drive", "low", "left", nil])
        #expect(signals[0].label(of: .number(4)) == nil)
        #expect(signals[1].label(of: .number(3)) == nil)
        #expect(signals[2].labels.map(\.code) == [1, 255])
        #expect(signals[1].value(raw: 255) == .missing(.notAvailable, code: nil))
    }

    @Test func `a number that no floating point number holds stays exact`() throws {
        let table = try table(
            """
            BO_ 416 M: 8 A
             SG_ Serial : 0|64@1+ (1,0) [0|0] "" A
            """)
        let data: [UInt8] = [0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01]
        #expect(try values(table, "FD:1A0", data) == ["M.Serial": .text("0123456789ABCDEF")])
    }

    @Test func `the same name twice is numbered, and long names replace cut ones`() throws {
        let source = try source(
            """
            BO_ 416 M: 8 A
             SG_ S : 0|8@1+ (1,0) [0|0] "" A
             SG_ S : 8|8@1+ (1,0) [0|0] "" A
             SG_ S_2 : 24|8@1+ (1,0) [0|0] "" A
             SG_ EngineCoolantTemperatureOfTheFir : 16|8@1+ (1,0) [0|0] "" A
            BA_ "SystemMessageLongSymbol" BO_ 416 "Motor";
            BA_ "SystemSignalLongSymbol" SG_ 416 EngineCoolantTemperatureOfTheFir "EngineCoolantTemperatureOfTheFirstBank";
            """)
        #expect(
            source.records.flatMap(\.rows).map(\.signal.id) == [
                "Motor.S", "Motor.S_3", "Motor.S_2",
                "Motor.EngineCoolantTemperatureOfTheFirstBank",
            ])
    }

    /// SAE J1939-71: raw 0 to FAFF are values; FExx is an error, FFxx not available.
    @Test(arguments: [
        "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"ExtendedCAN\",\"reserved\",\"J1939PG\";\nBA_ \"VFrameFormat\" BO_ NUMBER 3;",
        "BA_ \"ProtocolType\" \"J1939\";", "BA_DEF_DEF_ \"VFrameFormat\" \"J1939PG\";", "",
    ])
    func `messages of SAE J1939 are parameter groups of any sender`(attributes: String) throws {
        // 0CF004FE and bit 31.
        let number = "2364540158"
        let text = """
            BO_ \(number) EEC1: 8 A
             SG_ Speed : 24|16@1+ (0.125,0) [0|8031.875] "rpm" A
             SG_ Mode : 0|4@1+ (1,0) [0|15] "" A
             SG_ Switch : 6|2@1+ (1,0) [0|3] "" A
             SG_ MessageCounter : 8|8@1+ (1,0) [0|255] "" A
            \(attributes.split(separator: "NUMBER").joined(separator: number))
            """
        let source = try source(text)
        #expect(source.records.map(\.dataID.description) == ["FE:00F004"])
        #expect(source.records.first?.responder == nil)
        let table = try table(text)
        let valid = try values(table, "FE:00F004", [0x40, 0xFF, 0, 0xFF, 0xFA, 0, 0, 0])
        #expect(valid["EEC1.Speed"] == .number(8031.875))
        #expect(valid["EEC1.MessageCounter"] == .number(255))
        #expect(valid["EEC1.Switch"] == .number(1))
        let none = try values(table, "FE:00F004", [0xFF, 0, 0, 0, 0xFE, 0, 0, 0])
        #expect(none["EEC1.Speed"] == .missing(.notAvailable, code: nil))
        #expect(none["EEC1.Mode"] == .missing(.notAvailable, code: nil))
        #expect(none["EEC1.Switch"] == .missing(.notAvailable, code: nil))
    }

    @Test func `a sender and a receiver do not belong to a parameter group`() throws {
        let text = """
            BO_ 2365194522 TSC1: 8 A
             SG_ A : 0|8@1+ (1,0) [0|0] "" A
            BO_ 2566844177 CCVS: 8 A
             SG_ B : 0|8@1+ (1,0) [0|0] "" A
            BA_ "ProtocolType" "J1939";
            """
        // 0CFA011A and 18FEEF11.
        let source = try source(text)
        #expect(source.records.map(\.dataID.description) == ["FE:00FA01", "FE:00FEEF"])
        #expect(source.records.map(\.responder) == [nil, nil])
    }

    private func records(_ identifiers: [UInt32], _ attributes: String) throws -> [String] {
        var text = ""
        for id in identifiers {
            text += "BO_ \(id | 0x8000_0000) M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" A\n"
        }
        return try source(text + attributes).records.map { record in
            record.dataID.description + (record.responder.map { " of \($0)" } ?? "")
        }
    }

    /// Every sender means the same with a group, but makers define EF00 and FFxx.
    @Test(
        arguments: [
            ([0x18FE_F100], ["FE:00FEF1"]), ([0x18FF_1234], ["FE:00FF12 of 34"]),
            ([0x18FF_12FE], ["FE:00FF12"]), ([0x18EF_2103], ["FE:00EF00 of 03"]),
            ([0x18FE_F100, 0x18FE_F121], ["FE:00FEF1 of 00", "FE:00FEF1 of 21"]),
            ([0x18FE_F1FE, 0x18FE_F121], ["FE:00FEF1", "FE:00FEF1 of 21"]),
            // Two receivers of one sender.
            ([0x18EF_2103, 0x18EF_0B03], ["FD:18EF2103", "FD:18EF0B03"]),
        ] as [([UInt32], [String])])
    func `the sender of a frame counts if its parameter group needs a sender`(
        identifiers: [UInt32], found: [String]
    ) throws {
        #expect(try records(identifiers, "BA_ \"ProtocolType\" \"J1939\";") == found)
    }

    @Test func `an attribute, or identifiers without priority and sender, show parameter groups`()
        throws
    {
        let usual = "BA_DEF_DEF_ \"ProtocolType\" \"J1939\";\nBA_DEF_DEF_ \"VFrameFormat\" \"\";"
        #expect(try records([0x18FE_F100], usual) == ["FE:00FEF1"])
        let number = "BA_DEF_ BO_ \"VFrameFormat\" INT 0 3;\nBA_DEF_DEF_ \"VFrameFormat\" 3;"
        #expect(try records([0x18FE_F100], number) == ["FE:00FEF1"])
        let empty = "BA_DEF_DEF_ \"ProtocolType\" \"\";"
        #expect(
            try records([0x00FE_F100, 0x00F0_0400], empty) == ["FE:00FEF1", "FE:00F004"])
        #expect(try records([0x00FE_F100], empty) == ["FD:00FEF100"])
        #expect(
            try records([0x00FE_F100, 0x0CF0_0400], empty) == ["FD:00FEF100", "FD:0CF00400"])
    }

    /// Commands use all values of two bits, such as the override mode of TSC1.
    @Test func `raw values with a label do not count as "not available"`() throws {
        let text = """
            BO_ 2364540158 EEC1: 8 A
             SG_ Mode : 0|2@1+ (1,0) [0|3] "" A
             SG_ State : 2|2@1+ (1,0) [0|3] "" A
             SG_ Gear : 8|8@1+ (1,-125) [0|3] "" A
            VAL_ 2364540158 Mode 0 "none" 1 "speed" 2 "torque" 3 "limit";
            VAL_ 2364540158 State 0 "off" 1 "on" 2 "Error" 3 "Not available";
            VAL_ 2364540158 Gear 251 "park" 255 "SNA";
            """
        let table = try table(text)
        let values = try values(table, "FE:00F004", [0x0A, 0xFB])
        #expect(values["EEC1.Mode"] == .label(code: 2))
        #expect(values["EEC1.State"] == .missing(.notAvailable, code: nil))
        #expect(values["EEC1.Gear"] == .number(126))
        #expect(
            try self.values(table, "FE:00F004", [0, 0xFC])["EEC1.Gear"]
                == .missing(.notAvailable, code: nil))
    }

    /// NMEA 2000: FFFF is not available and FFFE an error; 7FFF and 7FFE in signed numbers.
    @Test func `groups of NMEA 2000 use more values than SAE J1939`() throws {
        let text = """
            BO_ 2315059966 Wind: 8 A
             SG_ Speed : 0|16@1+ (0.01,0) [0|0] "m/s" A
             SG_ Angle : 16|16@1- (1,0) [0|0] "" A
             SG_ Kind : 32|8@1+ (1,0) [0|0] "" A
            BA_ "ProtocolType" "J1939";
            """
        let table = try table(text)
        func values(_ data: [UInt8]) throws -> [String: Reading.Value] {
            try self.values(table, "FE:01FD02", data)
        }
        #expect(
            try values([0, 0xFB, 0xFF, 0xFF, 0xFD])
                == [
                    "Wind.Speed": .number(642.56), "Wind.Angle": .number(-1),
                    "Wind.Kind": .number(253),
                ])
        let none = Reading.Value.missing(.notAvailable, code: nil)
        for (low, byte) in [(0xFF, 0xFF), (0xFE, 0xFE)] as [(UInt8, UInt8)] {
            #expect(
                try values([low, 0xFF, low, 0x7F, byte])
                    == ["Wind.Speed": none, "Wind.Angle": none, "Wind.Kind": none])
        }
    }

    @Test func `names keep their case and each underscore`() throws {
        let text = """
            BO_ 416 _4x4: 8 A
             SG_ A__b_ : 0|8@1+ (1,0) [0|0] "" A
             SG_ a__B_ : 8|8@1+ (1,0) [0|0] "" A
             SG_ c-d : 16|8@1+ (1,0) [0|0] "" A
            """
        let table = try table(text)
        #expect(
            try values(table, "FD:1A0", [1, 2, 3])
                == ["_4x4.A__b_": .number(1), "_4x4.a__B_": .number(2), "_4x4.c_d": .number(3)])
    }

    @Test func `quotes without an end, and many of them, are read in linear time`() throws {
        let text =
            "BO_ 416 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" A\nBU_: A\n"
            + String(repeating: "CM_ \"\n", count: 20_001)
            + String(repeating: "VAL_ 416 S 0\n", count: 20_000)
        #expect(try source(text).records.count == 1)
    }

    /// With a search for a number for each of them this takes minutes.
    @Test(.timeLimit(.minutes(1)))
    func `one name for many signals is numbered in linear time`() throws {
        let rows = String(repeating: " SG_ A : 0|1@1+ (1,0) [0|0] \"\" X\n", count: 10_000)
        let file = try source("BU_: X\nBO_ 416 M: 8 X\n" + rows)
        #expect(file.records.count == 1)
    }
}
