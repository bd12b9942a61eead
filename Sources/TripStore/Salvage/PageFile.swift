import Glibc

/// The pages of a database file, with newer ones from its write-ahead log.
///
/// It trusts nothing that the file says about itself, because it is for files that SQLite refuses.
final class PageFile {
    /// Size of a page in bytes.
    let pageSize: Int
    /// Bytes of a page that hold data.
    let usableSize: Int
    let pageCount: Int
    /// Number of pages that the file should have according to its header, and does not have.
    let missingPages: Int

    private let file: Int32
    private let log: Int32
    /// The offset of each page in the log.
    private let overlay: [Int: Int]

    /// Opens the file at `path`; nil if it cannot be read or has no page.
    init?(path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        self.file = file
        let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        self.log = log
        let header = Self.read(file, at: 0, 100) ?? []
        var size = 0
        var reserved = 0
        if header.count == 100 {
            size = Int(header[16]) << 8 | Int(header[17])
            if size == 1 { size = 65_536 }
            reserved = Int(header[20])
        }
        let logHeader = log >= 0 ? Self.read(log, at: 0, 32) : nil
        if size < 512 || size & (size - 1) != 0 {
            // The log also contains the page size; obdscan uses 4096.
            let logged = logHeader.map { Self.number($0, 8) } ?? 0
            size = logged >= 512 && logged <= 65_536 && logged & (logged - 1) == 0 ? logged : 4096
        }
        if reserved > size - 480 { reserved = 0 }
        pageSize = size
        usableSize = size - reserved
        let length = Int(status.st_size)
        let present = (length + size - 1) / size
        let committed = logHeader.map { Self.readLog(log, $0, pageSize: size) }
        let newer = committed?.pages ?? [:]
        // A damaged log may name any number of pages.
        let count = max(present, min(committed?.count ?? 0, newer.keys.max() ?? 0))
        // Offset 28 is the size in pages; it is valid if both change counters (24, 92) are equal.
        let first = newer[1].flatMap { Self.read(log, at: $0, 100) } ?? header
        let isValid = first.count == 100 && first[24..<28].elementsEqual(first[92..<96])
        let expected = max(count, isValid ? Self.number(first, 28) : 0)
        missingPages = expected - present - newer.keys.count { $0 > present && $0 <= expected }
        overlay = newer
        pageCount = count
        guard pageCount > 0 else { return nil }
    }

    deinit {
        close(file)
        if log >= 0 { close(log) }
    }

    /// The page with that number, from 1; nil if it cannot be read.
    ///
    /// The last page of a truncated file has fewer bytes.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        if let place = overlay[number] { return Self.read(log, at: place, pageSize) }
        return Self.read(file, at: (number - 1) * pageSize, pageSize)
    }

    // MARK: Pieces

    /// The frames up to the last commit with valid salts and checksums.
    private static func readLog(
        _ log: Int32, _ header: [UInt8], pageSize: Int
    ) -> (pages: [Int: Int], count: Int) {
        let magic = number(header, 0)
        guard header.count == 32, magic & ~1 == 0x377F_0682, number(header, 8) == pageSize else {
            return ([:], 0)
        }
        let isBigEndian = magic & 1 == 1
        var sum = checksum(header[0..<24], (0, 0), isBigEndian)
        guard sum.0 == UInt32(number(header, 24)), sum.1 == UInt32(number(header, 28)) else {
            return ([:], 0)
        }
        var pages: [Int: Int] = [:]
        var waiting: [Int: Int] = [:]
        var count = 0
        var place = 32
        while let frame = read(log, at: place, 24 + pageSize), frame.count == 24 + pageSize {
            guard frame[8..<16].elementsEqual(header[16..<24]) else { break }
            sum = checksum(frame[0..<8], sum, isBigEndian)
            sum = checksum(frame[24...], sum, isBigEndian)
            guard sum.0 == UInt32(number(frame, 16)), sum.1 == UInt32(number(frame, 20)) else {
                break
            }
            waiting[number(frame, 0)] = place + 24
            let size = number(frame, 4)
            if size > 0 {
                pages.merge(waiting) { $1 }
                waiting = [:]
                count = size
            }
            place += 24 + pageSize
        }
        return (pages, count)
    }

    private static func checksum(
        _ bytes: ArraySlice<UInt8>, _ start: (UInt32, UInt32), _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = start
        var index = bytes.startIndex
        func word(_ at: Int) -> UInt32 {
            let parts = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
            return (isBigEndian ? parts : parts.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
        while index + 8 <= bytes.endIndex {
            first &+= word(index) &+ second
            second &+= word(index + 4) &+ first
            index += 8
        }
        return (first, second)
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        guard bytes.count >= place + 4 else { return 0 }
        return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func read(_ file: Int32, at place: Int, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let start = done
            let got = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress.map { $0 + start }, count - start, off_t(place + start))
            }
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { break }
            done += got
        }
        return done == 0 ? nil : Array(bytes[..<done])
    }
}
