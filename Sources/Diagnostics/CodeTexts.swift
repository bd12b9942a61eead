public import OBDCore

/// The texts of trouble codes, looked up in sorted files that are never parsed as a whole.
public struct CodeTexts: Sendable {
    /// One file: lines `P0301<TAB>text`, ascending; lines that begin with `#` stand on top.
    public enum File: Sendable {
        /// Text that is part of the program.
        case embedded(StaticString)
        /// Text that was read from a file.
        case bytes([UInt8])
    }

    private var codes: [File]
    private var failureTypes: [File]

    /// Texts from files, searched in this order; those of failure types begin with two digits.
    public init(_ codes: [File], failureTypes: [File] = []) {
        self.codes = codes
        self.failureTypes = failureTypes
    }

    /// What the code says, failure type aside; nil where no file has it.
    public func text(of code: DTC) -> String? { Self.text(of: code.text, in: codes) }

    /// What a failure type byte says; nil for 00 and where no file has it.
    public func text(ofFailureType byte: UInt8) -> String? {
        byte == 0 ? nil : Self.text(of: Hex.string([byte]), in: failureTypes)
    }

    /// What the category of a failure type byte, its high digit, says.
    public func text(ofFailureCategory byte: UInt8) -> String? {
        Self.text(of: Hex.string([byte >> 4]), in: failureTypes)
    }

    /// The text beside `key`; nil where no file has it.
    private static func text(of key: String, in files: [File]) -> String? {
        for file in files {
            let found: String? =
                switch file {
                case .embedded(let text): text.withUTF8Buffer { search(key, in: $0) }
                case .bytes(let text): text.withUnsafeBufferPointer { search(key, in: $0) }
                }
            if let found { return found }
        }
        return nil
    }

    /// Binary search over the lines of `text`.
    private static func search(_ key: String, in text: UnsafeBufferPointer<UInt8>) -> String? {
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
                return String(decoding: text[first..<end], as: UTF8.self)
            }
            if order < 0 {
                low = end + 1
            } else {
                high = start
            }
        }
        return nil
    }

    /// Below 0 where the line's key comes before `wanted`, 0 where it is the same.
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
