import CAccessory
import Glibc

/// Small reads of the kernel's text files and folders.
enum Files {
    /// The names in a folder, sorted; empty where it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Where a symbolic link points; nil for anything else.
    static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path without symbolic links; nil where it does not exist.
    static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The beginning of a text file, at most 4 KiB.
    static func text(_ path: String) -> String? { read(path, pieces: 1) }

    /// A text file of at most 4 MiB.
    static func wholeText(_ path: String) -> String? { read(path, pieces: 1_024) }

    private static func read(_ path: String, pieces: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<pieces {
            let count = buffer.withUnsafeMutableBytes {
                ca_read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 { return nil }
            if count == 0 { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The first line of a text file without the blanks around it; nil where there is none.
    static func line(_ path: String) -> String? {
        guard let text = text(path) else { return nil }
        let line = text.prefix { $0 != "\n" }
        let trimmed = line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// Whether something is there.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension Files {
    /// The inode of a path; 0 where there is none.
    static func inode(_ path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}

/// Files in which the kernel tells what is (proc(5)).
public enum KernelFile {
    /// The text of one of at most 4 MiB; nil when it cannot be read.
    public static func text(_ path: String) -> String? { Files.wholeText(path) }
}
