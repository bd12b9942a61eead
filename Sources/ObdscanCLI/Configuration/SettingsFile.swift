import Accessory
import OBDCore

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
        let text = try text(bytes, path)
        var contents = Contents()
        var wrongTables: Set<String> = []
        for entry in text.entries where !wrongTables.contains(entry.key[0]) {
            let top = entry.key[0]
            let isTable = tables.contains(top)
            if isTable != (entry.key.count > 1 || entry.value == .table) {
                // What is below it is named no more.
                wrongTables.insert(top)
                contents.take(top) { _ throws(Failure) in
                    let reason =
                        isTable
                        ? "\(top) is not a table"
                        : SettingsKey.named(top) == nil
                            ? "\"\(top)\" is no setting" + suggestion(for: top)
                            : "\(top) has to be a text in quotes"
                    throw wrong(path, entry.line, reason)
                }
            } else if entry.value != .table || entry.key.count > (top == "fuel" ? 2 : 1) {
                // A dot in quotes is not one between two parts.
                let parts = entry.key.map { $0.contains(".") ? "\"\($0)\"" : $0 }
                let name = parts.joined(separator: ".")
                contents.take(name) { settings throws(Failure) in
                    try take(name, entry.value, &settings, path, entry.line)
                }
            }
        }
        return contents
    }

    /// The settings that are tables.
    private static let tables: Set<String> = ["aliases", "views", "fuel"]

    /// The text that `bytes`, the contents of `path`, are.
    static func text(_ bytes: [UInt8], _ path: String) throws(Failure) -> TOMLText {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(
                "\(path) is no UTF-8 text", hint: "obdscan config edit opens it",
                status: .badConfiguration)
        }
        do throws(TOMLText.Fault) {
            return try TOMLText(bytes)
        } catch {
            throw wrong(path, error.line, error.reason)
        }
    }

    private static func take(
        _ name: String, _ value: TOMLText.Value, _ settings: inout Settings,
        _ path: String, _ line: Int
    ) throws(Failure) {
        guard let key = SettingsKey.named(name) else {
            throw wrong(path, line, "\"\(name)\" is no setting" + suggestion(for: name))
        }
        guard let text = words(of: value, isFlag: key.isFlag) else {
            let form = key.isList ? "a list of texts" : "a text in quotes"
            throw wrong(path, line, "\(name) has to be \(form)")
        }
        var changed = settings
        if let reason = key.set(text, &changed) {
            throw wrong(path, line, "\(name): \"\(text)\" \(reason)")
        }
        settings = changed
    }

    /// A text, a number, true or false, or a list of texts, as `config set` takes it.
    private static func words(of value: TOMLText.Value, isFlag: Bool) -> String? {
        switch value {
        case .text(let text): return text
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case .flag(let flag): return isFlag ? (flag ? "on" : "off") : nil
        case .table: return nil
        case .list(let list):
            var texts: [String] = []
            for element in list {
                guard case .text(let text) = element, !text.contains(" ") else { return nil }
                texts.append(text)
            }
            return texts.joined(separator: " ")
        }
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
