import Testing

@testable import Settings

/// Examples of the specification (https://toml.io/en/v1.0.0), section by section.
@Suite struct `Reading TOML` {
    private func entries(_ text: String) throws(TOMLText.Fault) -> [String: TOMLText.Value] {
        let entries = try TOMLText(Array(text.utf8)).entries.filter { $0.value != .table }
        return Dictionary(entries.map { ($0.key.joined(separator: "/"), $0.value) }) { $1 }
    }

    /// A text, and its keys with a slash between their parts.
    @Test(
        arguments: [
            (
                "# This is a full-line comment\nkey = \"value\" # at the end\n",
                ["key": .text("value")]
            ),
            (
                "another = \"# This is not a comment\"",
                ["another": .text("# This is not a comment")]
            ),
            (
                "bare_key = 1\nbare-key = 2\n1234 = 3\n\"127.0.0.1\" = 4\n'quoted \"v\"' = 5\n\"\" = 6",
                [
                    "bare_key": .integer(1), "bare-key": .integer(2), "1234": .integer(3),
                    "127.0.0.1": .integer(4), "quoted \"v\"": .integer(5), "": .integer(6),
                ]
            ),
            (
                "physical.color = \"orange\"\nsite.\"google.com\" = true\nfruit . flavor = \"banana\"",
                [
                    "physical/color": .text("orange"), "site/google.com": .flag(true),
                    "fruit/flavor": .text("banana"),
                ]
            ),
            ("3.14159 = \"pi\"", ["3/14159": .text("pi")]),
            (
                #"str = "I'm a string. \"You can quote me\". Name\tJos\u00E9\nLocation\tSF.""#,
                ["str": .text("I'm a string. \"You can quote me\". Name\tJosé\nLocation\tSF.")]
            ),
            (
                "a = \"\"\"\nRoses are red\nViolets are blue\"\"\"",
                ["a": .text("Roses are red\nViolets are blue")]
            ),
            (
                "a = \"\"\"\\\n   The quick brown \\\n\n  fox\\\n   \"\"\"",
                ["a": .text("The quick brown fox")]
            ),
            (
                #"a = """Three quotation marks: ""\".""""#,
                ["a": .text(#"Three quotation marks: """."#)]
            ),
            (#"a = """"This," she said.""""#, ["a": .text(#""This," she said."#)]),
            (#"a = """two: """"""#, ["a": .text(#"two: """#)]),
            (#"a = 'C:\Users\nodejs'"#, ["a": .text(#"C:\Users\nodejs"#)]),
            ("a = '''\nThe first\n 'newline' '''", ["a": .text("The first\n 'newline' ")]),
            (
                "a = +99\nb = -17\nc = 1_000\nd = 0xDEAD_beef\ne = 0o755\nf = 0b1101\ng = -0",
                [
                    "a": .integer(99), "b": .integer(-17), "c": .integer(1000),
                    "d": .integer(0xDEAD_BEEF), "e": .integer(0o755), "f": .integer(13),
                    "g": .integer(0),
                ]
            ),
            (
                "a = +1.0\nb = -0.01\nc = 5e+22\nd = 1e06\ne = 6.626e-34\nf = 224_617.445_991",
                [
                    "a": .number(1), "b": .number(-0.01), "c": .number(5e22), "d": .number(1e6),
                    "e": .number(6.626e-34), "f": .number(224_617.445991),
                ]
            ),
            (
                "a = [ [ 1, 2 ], [\"a\", 'b',], # ]\n\n ]\nb = []",
                [
                    "a": .list([
                        .list([.integer(1), .integer(2)]), .list([.text("a"), .text("b")]),
                    ]), "b": .list([]),
                ]
            ),
            (
                "[table-1]\nkey1 = 1\n\n[dog.\"tater.man\"]\ntype.name = \"pug\"\n[ g .  h ]\ni=1",
                [
                    "table-1/key1": .integer(1), "dog/tater.man/type/name": .text("pug"),
                    "g/h/i": .integer(1),
                ]
            ),
            ("[x.y.z.w]\n[x]\na = 1\n[x.y]\n", ["x/a": .integer(1)]),
            (
                "[fruit]\napple.color = \"red\"\n[fruit.apple.texture]\nsmooth = true",
                ["fruit/apple/color": .text("red"), "fruit/apple/texture/smooth": .flag(true)]
            ),
            (
                "name = { first = \"Tom\", last.a = \"P\" }\nanimal = { type.name = \"pug\" }\nno = {}",
                [
                    "name/first": .text("Tom"), "name/last/a": .text("P"),
                    "animal/type/name": .text("pug"),
                ]
            ),
            (
                "\u{FEFF}a = 1\r\n\r\nb = \"\"\"\r\nx\r\ny\"\"\"\r\n",
                ["a": .integer(1), "b": .text("x\r\ny")]
            ),
        ] as [(String, [String: TOMLText.Value])])
    func `valid TOML gives its values`(text: String, wanted: [String: TOMLText.Value]) throws {
        #expect(try entries(text) == wanted)
    }

    /// Texts that are not valid TOML, each with the line of its fault.
    @Test(arguments: [
        ("key = # INVALID", 1), ("first = \"Tom\" last = \"P\"", 1), ("= \"no key name\"", 1),
        ("name = \"Tom\"\nname = \"Pradyun\"", 2), ("spelling = 1\n\"spelling\" = 2", 2),
        ("fruit.apple = 1\n\nfruit.apple.smooth = true", 3), ("a = \"\\x41\"", 1),
        ("a = \"\\uD800\"", 1), ("a = \"\\u00\"", 1), ("a = \"open\nb = 1", 1),
        ("a = 1\nb = '''open\n\n", 2), ("a = \"\u{1}\"", 1), ("# \u{7F}", 1), ("a = \"\\  b\"", 1),
        ("a = 0123", 1), ("a = 1__0", 1), ("a = _1", 1), ("a = 1_", 1), ("a = 1_.0", 1),
        ("a = .7", 1), ("a = 7.", 1), ("a = 3.e+20", 1), ("a = 0x", 1), ("a = 0x_1", 1),
        ("a = +0x1", 1), ("a = 0x-1", 1), ("a = 0_x1", 1), ("a = 9223372036854775808", 1),
        ("a = 1e", 1),
        ("a = True", 1), ("a = [1 2]", 1), ("a = [1,,2]", 1), ("a = [\n1,\n", 3), ("a = [", 1),
        ("[fruit]\na = 1\n[fruit]\nb = 2", 3), ("[fruit]\napple = 1\n[fruit.apple]\n", 3),
        ("[fruit]\napple.color = 1\n[fruit.apple]\n", 3), ("[a.b]\nc = 1\n[a]\nb.d = 1", 4),
        ("[a.b.c]\n[a]\nb.d = 1\n[a.b]\n", 4), ("a = \"\"\"\\\r\r\n\"\"\"", 1),
        ("[a.b]\n[a]\nb = 1", 3), ("[]", 1), ("[a.]", 1), ("[a] b = 1", 1), ("[a", 1),
        ("a = { b = 1, }", 1), ("a = { b = 1\n}", 1), ("a = { b = 1, b = 2 }", 1), ("a = {", 1),
        ("a = { b = 1 }\na.c = 2", 2), ("a = { b = 1 }\n[a]", 2), ("a = { b = 1 }\n[a.c]", 2),
        ("a\n= 1", 1), ("a b = 1", 1), ("\"\"\"a\"\"\" = 1", 1), ("a = 1\rb = 2", 1),
        // Valid TOML that no setting uses, so it is refused.
        ("a = 1979-05-27", 1), ("[[a]]", 1), ("a = inf", 1), ("a = [{ b = 1 }]", 1),
    ])
    func `text that is not valid TOML is an error with its line`(text: String, line: Int) throws {
        let fault = try #require(throws: TOMLText.Fault.self) { try entries(text) }
        #expect(fault.line == line, "\(fault)")
        #expect(!fault.reason.isEmpty)
    }

    @Test func `nesting of lists and braces is limited`() throws {
        for text in [
            "a = " + String(repeating: "[", count: 100_000),
            "a = " + String(repeating: "{a=", count: 100_000),
            "a" + String(repeating: ".a", count: 1_000) + " = 1\n[b.a.a]\n",
        ] {
            _ = try? entries(text)
        }
        let fault = try #require(throws: TOMLText.Fault.self) {
            try entries("a = " + String(repeating: "[", count: 33))
        }
        #expect(fault.reason == "too deep")
    }

    /// With any bytes changed, the reader ends, positions are inside the text, and written text can
    /// be read.
    @Test func `random changes give settings or an error`() throws {
        let text = Array(
            "# a\nu = \"us\" # b\nd.e = [1, 'x']\n\n[al]\nv = { w = 1.5, x.y = \"\"\"z\"\"\" }\n"
                .utf8)
        for _ in 0..<5_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4) {
                let place = Int.random(in: bytes.indices)
                switch Int.random(in: 0...2) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(text[Int.random(in: text.indices)], at: place)
                default: bytes[place] = .random(in: 0x09...0x7F)
                }
            }
            guard var read = try? TOMLText(bytes) else { continue }
            for entry in read.entries {
                #expect(entry.place.upperBound <= bytes.count && !entry.key.isEmpty)
                #expect((1...bytes.count).contains(entry.line))
            }
            let before = read.entries.count
            guard (try? read.set("new.key", to: ["1"], isList: false)) != nil else { continue }
            #expect(read.entries.contains { $0.key == ["new", "key"] && $0.value == .text("1") })
            #expect(read.entries.count > before)
        }
    }
}
