import Foundation

/// Writes every file of a folder into one Swift source as a string literal.
///
///     EmbedFiles [--numbered] FOLDER OUTPUT.swift
///
/// With `--numbered` the files must be `0001…`, `0002…` without gaps and duplicates, except
/// `schema.sql`.
@main
enum EmbedFiles {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) throws {
        let numbered = arguments.first == "--numbered"
        let paths = arguments.dropFirst(numbered ? 1 : 0)
        guard paths.count == 2, let folder = paths.first, let output = paths.last else {
            throw Fault("usage: EmbedFiles [--numbered] FOLDER OUTPUT.swift")
        }
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        let files = try list(root)
        if numbered { try checkNumbers(files.filter { $0 != "schema.sql" }) }
        let source = try generated(files, root: root)
        // Write only a changed file, because dependent modules would be compiled again otherwise.
        let there = URL(filePath: output)
        if (try? Data(contentsOf: there)) == Data(source.utf8) { return }
        try Data(source.utf8).write(to: there, options: .atomic)
    }

    /// Paths below `root` in byte order, so that every machine writes the same source.
    static func list(_ root: URL) throws -> [String] {
        var files: [String] = []
        guard
            let all = FileManager.default.enumerator(atPath: root.path(percentEncoded: false))
        else { throw Fault("\(root.path(percentEncoded: false)): cannot be listed") }
        for case let path as String in all where isData(path) {
            let url = root.appending(path: path)
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                files.append(path)
            }
        }
        return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Notes for people and temporary files of editors are not data.
    static func isData(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let name = parts.last, !parts.contains(where: { $0.hasPrefix(".") }) else {
            return false
        }
        return !name.hasSuffix("~") && !name.hasSuffix(".md") && !name.hasPrefix("#")
    }

    static func checkNumbers(_ files: [String]) throws {
        var expected = 1
        for file in files {
            guard let number = Int(file.prefix { $0.isASCII && $0.isNumber }) else {
                throw Fault("\(file): the name does not begin with a number")
            }
            guard number == expected else {
                let what = number < expected ? "is there twice" : "follows \(expected - 1)"
                throw Fault("\(file): number \(number) \(what)")
            }
            expected += 1
        }
    }

    static func generated(_ files: [String], root: URL) throws -> String {
        var text = """
            // Generated from the files of one folder; edit those.

            enum EmbeddedFiles {
                struct File: Sendable {
                    /// Below the folder: `01/00-1f.pids`.
                    var path: StaticString
                    /// The whole file.
                    var contents: StaticString
                }

                /// All files, sorted by path.
                static let all: [File] = [

            """
        for file in files {
            let data = try Data(contentsOf: root.appending(path: file))
            guard let contents = String(data: data, encoding: .utf8) else {
                throw Fault("\(file): is not UTF-8")
            }
            text += "        File(path: \(literal(file)),\n"
            text += "            contents: \(literal(contents))),\n"
        }
        return text + "    ]\n}\n"
    }

    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0xFEFF:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

struct Fault: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
