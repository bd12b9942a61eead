import OBDCore
import Testing

/// Texts that RFC 8259 allows or forbids.
///
/// The forbidden ones cover the elements of its grammar.
@Suite struct `JSON from other programs` {
    private func read(_ text: String) -> [String: JSONValue]? {
        JSONReader.object(Array(text.utf8)[...])
    }

    @Test(arguments: [
        (#"null"#, JSONValue.null), ("true", .bool(true)), ("false", .bool(false)),
        ("0", .number(0)), ("-0", .number(0)), ("-12.5e-1", .number(-1.25)), ("1E+2", .number(100)),
        (#""""#, .string("")), (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
        (#""é😀""#, .string("é😀")), (#""\u00e9\uD83D\ude00""#, .string("é😀")),
        ("[]", .array([])), ("[ 1 , [2] ]", .array([.number(1), .array([.number(2)])])),
        ("{}", .object([:])), (#"{"b":{"c":null}}"#, .object(["b": .object(["c": .null])])),
    ])
    func `JSON values are read`(text: String, value: JSONValue) {
        #expect(read(" {\t\"a\" :\r\n \(text) } ") == ["a": value])
    }

    @Test(arguments: [
        "nul", "True", "nan", "Infinity", "-", "+1", "01", "-01", ".5", "5.", "1e", "1e+", "0x10",
        "1e999", "--1", "1-", "'a'", "\"a", "\"a\u{1}\"", "\"\n\"", #""\x""#, #""\u12""#,
        #""\u+123""#, #""\uD83D""#, #""\uD83Dx""#, #""\uD83D\u0041""#, #""\uDE00""#, "[1,]", "[1",
        "[1 2]", "[,]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "", "\u{B}1", "1 2",
    ])
    func `text that is not JSON is refused`(text: String) {
        #expect(read("{\"a\":\(text)}") == nil)
    }

    @Test func `a JSON text must be one whole object`() {
        for text in ["", " ", "1", "[]", "{", "}", "{}}", "{} {}", "{},", "\u{FEFF}{}"] {
            #expect(read(text) == nil, "\(text)")
        }
        #expect(read("{}") == [:])
        #expect(read(#"{"a":1,"a":2}"#) == ["a": .number(2)])
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        let bytes: [UInt8] = Array("{\"a\":\"".utf8) + [0xC3] + Array("\"}".utf8)
        #expect(JSONReader.object(bytes[...]) == nil)
    }

    @Test func `deep nesting of JSON is refused`() {
        func nested(_ depth: Int) -> String {
            "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        #expect(read(nested(15)) != nil)
        #expect(read(nested(16)) == nil)
        #expect(read(nested(100_000)) == nil)
    }

    @Test func `a JSON value has exactly one type`() {
        #expect(JSONValue.string("x").string == "x" && JSONValue.null.string == nil)
        #expect(JSONValue.number(2).number == 2 && JSONValue.string("2").number == nil)
        #expect(JSONValue.bool(true).bool == true && JSONValue.number(1).bool == nil)
    }
}
