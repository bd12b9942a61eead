import Accessory
import OBDCore
import TOMLKit

/// The configuration file: TOML (obdscan-config(5)).
enum SettingsFile {
    /// Where it is; nil without a home directory.
    static var path: String? {
        if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            return folder + "/obdscan/config.toml"
        }
        return environment("HOME").map { $0 + "/.config/obdscan/config.toml" }
    }

    /// What a file says.
    struct Contents: Sendable {
        /// What it sets, without what is wrong.
        var settings = Settings()
        /// What is wrong, and with which setting.
        var faults: [(name: String, failure: Failure)] = []

        /// The settings, if nothing is wrong.
        func faultless() throws(Failure) -> Settings {
            if let fault = faults.first { throw fault.failure }
            return settings
        }

        /// Does `body` of a setting; what it throws is a fault of that.
        fileprivate mutating func take(
            _ name: String, _ body: (inout Settings) throws(Failure) -> Void
        ) {
            do throws(Failure) {
                try body(&settings)
            } catch {
                faults.append((name, error))
            }
        }
    }

    /// What `bytes`, the contents of `path`, say; a ``Failure`` that names the wrong line.
    static func parsed(_ bytes: [UInt8], _ path: String) throws(Failure) -> Settings {
        try read(bytes, path).faultless()
    }

    /// The same, whatever single settings are wrong; a ``Failure`` where it is no TOML.
    static func read(_ bytes: [UInt8], _ path: String) throws(Failure) -> Contents {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                "\(path) is no UTF-8 text", hint: "obdscan config edit opens it",
                status: .badConfiguration)
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw wrong(path, error.source.begin.line, error.description)
        } catch {
            throw wrong(path, 1, "\(error)")
        }
        let lines = LineIndex(text)
        var contents = Contents()
        func take(_ name: String, _ value: any TOMLValueConvertible, _ line: Int) {
            contents.take(name) { settings throws(Failure) in
                try Self.take(name, value, &settings, path, line)
            }
        }
        for name in table.keys {
            guard let value = table[name] else { continue }
            switch name {
            case "aliases", "views", "fuel":
                guard let entries = value.table else {
                    contents.take(name) { _ throws(Failure) in
                        throw wrong(path, lines.line(of: name, in: nil), "\(name) is no table")
                    }
                    continue
                }
                for key in entries.keys {
                    guard let entry = entries[key] else { continue }
                    if name == "fuel", let vehicle = entry.table {
                        for part in vehicle.keys {
                            guard let value = vehicle[part] else { continue }
                            take(
                                "fuel.\(key).\(part)", value,
                                lines.line(
                                    of: "\(key).\(part)", in: "fuel", or: part, "fuel.\(key)"))
                        }
                        continue
                    }
                    take("\(name).\(key)", entry, lines.line(of: key, in: name))
                }
            default: take(name, value, lines.line(of: name, in: nil))
            }
        }
        return contents
    }

    private static func take(
        _ name: String, _ value: any TOMLValueConvertible, _ settings: inout Settings,
        _ path: String, _ line: Int
    ) throws(Failure) {
        guard let key = SettingsKey.named(name) else {
            throw wrong(path, line, "\"\(name)\" is no setting" + suggestion(for: name))
        }
        let flag = key.isFlag ? value.bool.map { $0 ? "on" : "off" } : nil
        guard let text = flag ?? text(of: value) else {
            let form = key.isList ? "a list of texts" : "a text in quotes"
            throw wrong(path, line, "\(name) has to be \(form)")
        }
        var changed = settings
        if let reason = key.set(text, &changed) {
            throw wrong(path, line, "\(name): \"\(text)\" \(reason)")
        }
        settings = changed
    }

    /// A text, a number, or a list of texts.
    private static func text(of value: any TOMLValueConvertible) -> String? {
        if let text = value.string { return text }
        if let number = value.int { return String(number) }
        if let number = value.double { return String(number) }
        guard let list = value.array else { return nil }
        var texts: [String] = []
        for element in list {
            guard let text = element.string, !text.contains(" ") else { return nil }
            texts.append(text)
        }
        return texts.joined(separator: " ")
    }

    private static func suggestion(for name: String) -> String {
        let near = SettingsKey.plain.map(\.name).first {
            editDistance(Array($0.utf8), Array(name.utf8), bound: 2) <= 2
        }
        return near.map { "; did you mean \($0)?" } ?? ""
    }

    private static func wrong(_ path: String, _ line: Int, _ reason: String) -> Failure {
        Failure(
            "\(path):\(line): \(reason)",
            hint: "obdscan config edit opens it; see obdscan-config(5)", status: .badConfiguration)
    }
}

/// On which line a key stands.
private struct LineIndex {
    private var lines: [(table: String?, key: String?)] = []

    init(_ text: String) {
        var table: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.hasPrefix("[") {
                table = Self.name(words.drop { $0 == "[" }.prefix { $0 != "]" })
                lines.append((table, nil))
            } else {
                lines.append((table, Self.name(words.prefix { $0 != "=" })))
            }
        }
    }

    /// A key or the name of a table, however it is quoted and spaced.
    private static func name(_ text: Substring) -> String {
        text.filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace }
    }

    /// The same of a key of a table in a table, which can be written in two ways.
    func line(of key: String, in table: String, or inner: String, _ innerTable: String) -> Int {
        let isDotted = lines.contains { $0.table == table && $0.key == key }
        return isDotted ? line(of: key, in: table) : line(of: inner, in: innerTable)
    }

    /// The first line that sets `key`, or that begins the table of that name; counted from 1.
    func line(of key: String, in table: String?) -> Int {
        let wanted = [key] + (table.map { ["\($0).\(key)"] } ?? [])
        let place = lines.firstIndex { line in
            (line.table == table && line.key == key)
                || (line.table == nil && wanted.contains(line.key ?? ""))
                || (table == nil && line.key == nil && line.table == key)
        }
        if let place { return place + 1 }
        // In braces behind the table's name, or a table of that name.
        guard let table else { return 1 }
        let outer = lines.firstIndex {
            $0.table == nil && $0.key == table || $0.key == nil && $0.table == table
        }
        return (outer ?? 0) + 1
    }
}

extension Settings {
    /// Why `text` cannot be the accessory called `alias`; nil when it can.
    static func reasonAgainst(alias: String, _ text: String) -> String? {
        if let reason = reasonAgainst(device: text) { return reason }
        return TransportRegistry.isName(text)
            ? "is no accessory such as /dev/ttyUSB0 or tcp:HOST:PORT" : nil
    }

    /// `text`, or the accessory that it is a name of.
    func resolved(_ text: String) throws(Failure) -> AccessoryAddress {
        let isName = TransportRegistry.isName(text)
        guard let address = isName ? aliases[text] : text else {
            throw Failure(
                "no accessory is called \"\(text)\"", hint: remedy(forUnknown: text),
                status: .usage)
        }
        do throws(AddressError) {
            return try TransportRegistry.all.address(address)
        } catch {
            throw Failure(error)
        }
    }
}
