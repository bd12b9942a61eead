public import OBDCore

/// The texts of trouble codes, looked up in sorted files that are never parsed as a whole.
public struct CodeTexts: Sendable {
    /// One file: lines `P0301<TAB>text`, ascending; lines that begin with `#` stand on top.
    public enum File: Sendable {
        /// Text that is part of the program.
        case embedded(StaticString)
        /// Text that was read from a file.
        case text(String)
    }

    private var files: [File]

    /// Texts from `files`, searched in this order.
    public init(_ files: [File]) {
        self.files = files
    }

    /// What the code says, failure type aside; nil where no file has it.
    public func text(of code: DTC) -> String? { text(ofKey: code.text) }

    /// The text beside `key`; nil where no file has it.
    func text(ofKey key: String) -> String? {
        for file in files {
            let found: String? =
                switch file {
                case .embedded(let text): text.withUTF8Buffer { Self.search(key, in: $0) }
                case .text(let text):
                    Array(text.utf8).withUnsafeBufferPointer {
                        Self.search(key, in: $0)
                    }
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
            let line = text[start..<end]
            let found = line.prefix { $0 != 0x09 }
            if found.elementsEqual(wanted) {
                return String(decoding: line.dropFirst(found.count + 1), as: UTF8.self)
            }
            if line.first == 0x23 || found.lexicographicallyPrecedes(wanted) {
                low = end + 1
            } else {
                high = start
            }
        }
        return nil
    }
}
