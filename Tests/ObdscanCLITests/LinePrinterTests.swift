import Glibc
import OBDCore
import SystemIO
import Testing

@testable import ObdscanCLI

@Suite struct `Lines for a slow reader` {
    /// A pipe that holds `pages` pages.
    private final class Narrow {
        let reader, writer: Int32
        /// F_SETPIPE_SZ, which Swift's Glibc module does not export.
        private static let setSize: Int32 = 1031

        init(pages: Int32 = 1) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            #expect(fcntl(ends[1], Self.setSize, pages * 4096) == pages * 4096)
        }

        /// Takes everything out of the pipe.
        func read() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = Glibc.read(reader, &bytes, bytes.count)
            return Array(bytes.prefix(max(0, count)))
        }

        deinit {
            close(reader)
            close(writer)
        }
    }

    private func print(_ lines: Range<Int>, _ printer: LinePrinter) throws {
        try printer.print { writer, _ in
            for line in lines {
                try writer.writeLine("\(line) " + String(repeating: "x", count: 90))
            }
        }
    }

    @Test func `a thread that must not wait drops lines and counts the dropped lines`() throws {
        // The kernel reports a pipe as writable only if a whole page is free.
        let pipe = try Narrow(pages: 2)
        let lines = EventLines(descriptor: pipe.writer)
        for number in 0..<100 {
            lines.write(Array("\(number) \(String(repeating: "x", count: 97))\n".utf8))
        }
        let first = String(decoding: pipe.read(), as: UTF8.self).split(separator: "\n")
        #expect(first.last?.hasPrefix("\(first.count - 1) ") == true)
        lines.write(Array("later\n".utf8))
        let next = String(decoding: pipe.read(), as: UTF8.self)
        #expect(
            next == "(\(100 - first.count) lines were left out because they were not read)\nlater\n"
        )
        lines.write([UInt8](repeating: 0x61, count: 10_000) + [0x0A])
        #expect(pipe.read().count == 4096)
    }

    @Test func `printing does not block, and every line arrives whole`() throws {
        let pipe = try Narrow()
        let printer = LinePrinter(descriptor: pipe.writer)
        try print(0..<200, printer)
        try printer.flush()
        #expect(printer.isBehind)
        var all = pipe.read()
        #expect(all.last == 0x0A && all.count <= 4096)
        while printer.isBehind {
            try printer.flush()
            all += pipe.read()
        }
        let numbers = all.split(separator: 0x0A).map { line in
            String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
        }
        #expect(numbers == (0..<200).map { String($0) })
        #expect(try printer.finish() == 0)
    }

    @Test func `lines that no reader takes are dropped at the end and counted`() throws {
        let pipe = try Narrow()
        let printer = LinePrinter(descriptor: pipe.writer)
        try print(0..<200, printer)
        let left = try printer.finish(patience: .milliseconds(10))
        #expect(left == 200 - pipe.read().split(separator: 0x0A).count)
        #expect(left > 0 && !printer.isBehind)
    }

    @Test func `the printer reports that its reader has left`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        ignoreBrokenPipes()
        let printer = LinePrinter(descriptor: ends[1])
        try print(0..<1, printer)
        #expect(throws: OutputError.readerGone) { try printer.flush() }
    }
}
