public import OBDCore

/// The texts of trouble codes, found in sorted files without parsing the whole file.
public struct CodeTexts: Sendable {
    /// One file: lines `P0301<TAB>text`, ascending, after lines that begin with `#`.
    ///
    /// `1` in a third column means that only one public list has the code.
    public enum File: Sendable {
        /// Text that is part of the program.
        case embedded(StaticString)
        /// Text that was read from a file.
        case bytes([UInt8])
    }

    /// The words for a code without a text.
    public static let unknown = "no text for this code is known"

    private var codes: [File]
    private var failureTypes: [File]
    private var parameters: [File]
    private var failureModes: [File]

    /// Texts from files, searched in this order.
    ///
    /// Failure types begin with two hexadecimal digits, parameters of SAE J1939 with `SPN609`, and failure
    /// modes with a decimal number.
    public init(
        _ codes: [File], failureTypes: [File] = [], parameters: [File] = [],
        failureModes: [File] = []
    ) {
        self.codes = codes
        self.failureTypes = failureTypes
        self.parameters = parameters
        self.failureModes = failureModes
    }

    /// A copy with a file that is searched before all others.
    ///
    /// A file has codes such as `P1234`, `P1234-11`, `SPN609` and `SPN609/FMI19`, in ascending order of their
    /// bytes.
    public func overlaid(_ file: File) -> CodeTexts {
        var texts = self
        texts.codes.insert(file, at: 0)
        texts.parameters.insert(file, at: 0)
        return texts
    }

    /// The text of the code, ignoring the failure type unless a file has a text for both; nil if there is
    /// none.
    public func text(of code: DTC) -> String? {
        if code.failureType != nil, let text = Self.text(of: code.description, in: codes) {
            return text
        }
        return Self.text(of: code.text, in: codes)
    }

    /// Whether only one public list has the code, which makes its text less reliable.
    public func isFromOneList(_ code: DTC) -> Bool {
        Self.entry(of: code.text, in: codes)?.mark == "1"
    }

    /// The text of a SAE J1939 code, from its parameter and failure mode; nil if neither is known.
    public func text(of code: J1939Code) -> String? {
        if let text = Self.text(of: code.text, in: parameters) { return text }
        let parameter = text(ofParameter: code.spn)
        guard let mode = text(ofFailureMode: code.fmi) else { return parameter }
        let tail = mode.prefix(1).lowercased() + mode.dropFirst()
        return parameter.map { $0 + ": " + tail }
    }

    /// The name of a SAE J1939 parameter; nil if no file has it.
    public func text(ofParameter spn: UInt32) -> String? {
        Self.text(of: "SPN\(spn)", in: parameters)
    }

    /// The text of a SAE J1939 failure mode; nil for reserved ones.
    public func text(ofFailureMode fmi: UInt8) -> String? {
        Self.text(of: String(fmi), in: failureModes)
    }

    /// The text of a failure type byte; nil for 00 and if no file has it.
    public func text(ofFailureType byte: UInt8) -> String? {
        byte == 0 ? nil : Self.text(of: Hex.string([byte]), in: failureTypes)
    }

    /// The failure type of a code in words, or its category; nil without one.
    package func failure(of code: CodeReport.Code) -> String? {
        guard case .dtc(let code) = code, let byte = code.failureType else { return nil }
        return text(ofFailureType: byte) ?? (byte == 0 ? nil : text(ofFailureCategory: byte))
    }

    /// The text for the category of a failure type byte, which is its high digit.
    public func text(ofFailureCategory byte: UInt8) -> String? {
        Self.text(of: Hex.string([byte >> 4]), in: failureTypes)
    }

    /// The number of codes with a text; a code in two files counts twice.
    public var codeCount: Int { Self.rows(in: codes) }

    /// The number of failure types with a text, including the categories.
    public var failureTypeCount: Int { Self.rows(in: failureTypes) }

    /// The number of SAE J1939 parameters with a name.
    public var parameterCount: Int { Self.rows(in: parameters) }

    /// The number of SAE J1939 failure modes with a text.
    public var failureModeCount: Int { Self.rows(in: failureModes) }

    private static func rows(in files: [File]) -> Int {
        files.reduce(0) { count, file in
            switch file {
            case .embedded(let text): count + text.withUTF8Buffer { rows($0) }
            case .bytes(let text): count + text.withUnsafeBufferPointer { rows($0) }
            }
        }
    }

    private static func rows(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        text.split(separator: 0x0A).count { $0.first != 0x23 }
    }

    /// The columns after a key.
    private struct Entry {
        var text: String
        /// The third column; empty if there is none.
        var mark: String

        init(_ columns: Slice<UnsafeBufferPointer<UInt8>>) {
            let tab = columns.firstIndex(of: 0x09) ?? columns.endIndex
            text = String(decoding: columns[..<tab], as: UTF8.self)
            mark = String(decoding: columns[tab...].dropFirst(), as: UTF8.self)
        }
    }

    /// The text for `key`; nil if no file has it.
    private static func text(of key: String, in files: [File]) -> String? {
        entry(of: key, in: files)?.text
    }

    private static func entry(of key: String, in files: [File]) -> Entry? {
        for file in files {
            let found: Entry? =
                switch file {
                case .embedded(let text): text.withUTF8Buffer { search(key, in: $0) }
                case .bytes(let text): text.withUnsafeBufferPointer { search(key, in: $0) }
                }
            if let found { return found }
        }
        return nil
    }

    /// Binary search over the lines of `text`.
    private static func search(_ key: String, in text: UnsafeBufferPointer<UInt8>) -> Entry? {
        let wanted = Array(key.utf8)
        var low = 0
        var high = text.count
        while low < high {
            var start = low + (high - low) / 2
            while start > low, text[start - 1] != 0x0A { start -= 1 }
            var end = start
            while end < high, text[end] != 0x0A { end += 1 }
            let order = compare(text, start..<end, wanted)
            if order == 0 {
                let first = min(start + wanted.count + 1, end)
                return Entry(text[first..<end])
            }
            if order < 0 {
                low = end + 1
            } else {
                high = start
            }
        }
        return nil
    }

    /// Negative if the line's key comes before `wanted`, 0 if it is the same.
    private static func compare(
        _ text: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, _ wanted: [UInt8]
    ) -> Int {
        guard line.lowerBound < line.upperBound, text[line.lowerBound] != 0x23 else { return -1 }
        var index = line.lowerBound
        for byte in wanted {
            guard index < line.upperBound, text[index] != 0x09 else { return -1 }
            if text[index] != byte { return text[index] < byte ? -1 : 1 }
            index += 1
        }
        return index == line.upperBound || text[index] == 0x09 ? 0 : 1
    }
}
