import ArgumentParser
import Formats
import Testing

@testable import ObdscanCLI

@Suite struct `Help` {
    /// The words of each command.
    static let paths = paths(of: ObdscanCommand.self, [])

    private static func paths(of command: any ParsableCommand.Type, _ path: [String]) -> [[String]]
    {
        [path]
            + command.configuration.subcommands.flatMap {
                paths(of: $0, path + [CommandSuggestion.name($0)])
            }
    }

    private static func page(_ words: [String]) throws -> String {
        try #require(ObdscanCommand.help(for: words)).text
    }

    @Test(arguments: paths.filter { $0 != ["options"] })
    func `help for a command fits 80 columns, one line per option`(
        path: [String]
    ) throws {
        let lines = try Self.page(path + ["--help"]).split(
            separator: "\n", omittingEmptySubsequences: false)
        for line in lines { #expect(displayWidth(String(line)) <= 80, "\(line)") }
        let start = try #require(lines.firstIndex(of: "Options:"))
        let options = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(!options.isEmpty)
        for option in options {
            // The second line of an option would be indented further.
            #expect(option.hasPrefix("  -"), "\(option)")
            let about = option.drop { $0 == " " }.firstRange(of: "  ").map {
                option[$0.upperBound...]
            }
            let text = try #require(about).drop { $0 == " " }
            #expect(text.first?.isUppercase == true && text.last.map { ".)".contains($0) } == true)
            let first = text.split(separator: " ").first.map(String.init) ?? ""
            #expect(
                !["The", "A", "An", "With", "How", "All", "Not", "Only"].contains(first), "\(text)")
        }
    }

    @Test(arguments: paths)
    func `help is available in four ways`(path: [String]) throws {
        let page = try Self.page(path + ["--help"])
        #expect(try Self.page(path + ["-h"]) == page)
        #expect(try Self.page(["help"] + path) == page)
        #expect(try Self.page(["--help"] + path) == page)
    }

    @Test(arguments: [
        [], ["decode"], ["decode", "--", "--help"], ["trips", "show", "help"], ["read", "rpm"],
    ])
    func `help appears only on request`(arguments: [String]) {
        #expect(ObdscanCommand.help(for: arguments) == nil)
    }

    @Test func `help for many commands explains the common options in one place`() throws {
        let short = try Self.page(["read", "--help"])
        let whole = try Self.page(["read", "--help-all"])
        let options = try Self.page(["help", "options"])
        for name in ["--device", "--json", "--units", "--log-file", "--pack", "--trace-states"] {
            #expect(!short.contains("\n  \(name) "))
            #expect(whole.contains(name))
            #expect(options.contains(name))
        }
        #expect(short.contains("Common options: see 'obdscan help options'."))
        #expect(whole.contains("Values: text, json, csv."))
    }

    @Test func `a flag and its opposite share one line`() throws {
        let text = try Self.page(["live", "--help"])
        #expect(text.contains("  --[no-]battery-safe "))
        #expect(!text.contains(" --no-battery-safe"))
        // `--color` takes a value and `--no-color` does not, so they are not opposites.
        let options = try Self.page(["help", "options"])
        #expect(options.contains("  --color <when> ") && options.contains("  --no-color "))
    }

    @Test func `examples are shown unchanged`() throws {
        let text = try Self.page(["log", "--help"])
        #expect(text.contains("\n  obdscan log -d /dev/ttyUSB0 -d tcp:192.168.0.10:35000\n"))
    }
}
