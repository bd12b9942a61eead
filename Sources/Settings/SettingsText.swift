import OBDCore

/// The configuration file: TOML (obdscan-config(5)).
package enum SettingsText {
    package struct Contents: Sendable {
        package var settings = UserSettings()
        /// The faults, with the names of their settings.
        package var faults: [(name: String, error: SettingsError)] = []

        /// The content of an empty file.
        package init() {}

        /// The settings if there is no fault; throws the first fault otherwise.
        package func faultless() throws(SettingsError) -> UserSettings {
            if let fault = faults.first { throw fault.error }
            return settings
        }

        /// Runs `body` for a setting and records its error as a fault of that setting.
        fileprivate mutating func take(
            _ name: String, _ body: (inout UserSettings) throws(SettingsError) -> Void
        ) {
            do throws(SettingsError) {
                try body(&settings)
            } catch {
                faults.append((name, error))
            }
        }
    }

    /// Parses `bytes`; a faulty setting does not affect the others.
    ///
    /// Missing settings have the values of `below`.
    ///
    /// - Throws: An error if the text is not UTF-8 or not TOML.
    package static func read(
        _ bytes: [UInt8], _ checks: SettingsChecks, over below: UserSettings = UserSettings()
    ) throws(SettingsError) -> Contents {
        let text = try text(bytes)
        var contents = Contents()
        contents.settings = below
        var wrongTables: Set<String> = []
        for entry in text.entries where !wrongTables.contains(entry.key[0]) {
            let top = entry.key[0]
            let isTable = tables.contains(top)
            if isTable != (entry.key.count > 1 || entry.value == .table) {
                // Do not report the keys of a wrong table separately.
                wrongTables.insert(top)
                contents.take(top) { _ throws(SettingsError) in
                    if !isTable, SettingsKey.named(top) == nil {
                        throw unknown(top, entry.line)
                    }
                    throw .init(isTable ? .notATable(top) : .notAText(top), entry.line)
                }
            } else if entry.value != .table || !isHeading(entry.key) {
                // A dot within quotes does not separate two parts.
                let parts = entry.key.map { $0.contains(".") ? "\"\($0)\"" : $0 }
                let name = parts.joined(separator: ".")
                contents.take(name) { settings throws(SettingsError) in
                    try take(name, entry.value, &settings, checks, entry.line)
                }
            }
        }
        return contents
    }

    private static let tables: Set<String> = ["aliases", "views", "vehicles", "fuel", "publish"]

    /// Whether a key may be the heading of a table within a table.
    private static func isHeading(_ key: [String]) -> Bool {
        switch key[0] {
        case "fuel": key.count <= 2
        case "publish": key.count <= 2 || (key.count == 3 && key[2] == "tags")
        default: key.count <= 1
        }
    }

    private static func text(_ bytes: [UInt8]) throws(SettingsError) -> TOMLText {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .init(.notUTF8, nil) }
        do throws(TOMLText.Fault) {
            return try TOMLText(bytes)
        } catch {
            throw .init(.syntax(error.reason), error.line)
        }
    }

    /// Whether a file sets a setting.
    package static func has(_ name: String, in bytes: [UInt8]) -> Bool {
        (try? text(bytes))?.has(name) ?? false
    }

    /// Returns `bytes` with one setting changed, or a setting or a section removed (nil).
    ///
    /// - Throws: The fault in `bytes`, else the reason why the result could not be read back.
    package static func changed(
        _ bytes: [UInt8], _ name: String, to values: [String]?, isList: Bool,
        _ checks: SettingsChecks
    ) throws(SettingsChangeError) -> [UInt8] {
        do throws(SettingsError) {
            var text = try text(bytes)
            do throws(TOMLText.Fault) {
                try text.set(name, to: values, isList: isList)
            } catch {
                throw .init(.syntax(error.reason), nil)
            }
            _ = try read(text.bytes, checks).faultless()
            if values == nil, text.has(name) { throw .init(.inBraces(name), nil) }
            return text.bytes
        } catch {
            // Report an earlier fault by its own line number, which the change would have moved.
            do throws(SettingsError) {
                _ = try read(bytes, checks).faultless()
            } catch {
                throw .before(error)
            }
            throw .after(error)
        }
    }

    private static func take(
        _ name: String, _ value: TOMLText.Value, _ settings: inout UserSettings,
        _ checks: SettingsChecks, _ line: Int
    ) throws(SettingsError) {
        guard let key = SettingsKey.named(name) else {
            throw unknown(name, line)
        }
        guard let text = words(of: value, isFlag: key.isFlag) else {
            throw .init(key.isList ? .notAList(name) : .notAText(name), line)
        }
        var changed = settings
        if let fault = key.set(text, &changed, checks) {
            throw .init(.wrong(name, text, fault), line)
        }
        settings = changed
    }

    /// A text, a number, a flag, or a list of texts in the form of `config set`.
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

    private static func unknown(_ name: String, _ line: Int) -> SettingsError {
        SettingsError(.unknown(name, near: SettingsKey.nearest(to: name)), line)
    }
}
