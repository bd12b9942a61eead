import Foundation
import Testing

/// A browser prints reports as PDF.
@Suite(.ownThreads) struct `A page that is printed` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let report =
        "\"$OBDSCAN\" dtc report --to car.pdf -d 'sim:?latency=0&frozen=true'"

    /// Installs a fake browser: a script that takes the two paths from its arguments and runs `line`.
    private func makeBrowser(_ line: String) throws {
        let folder = workplace.path("bin")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let path = try workplace.file(
            "bin/chromium",
            """
            #!/bin/sh
            for word in "$@"; do
                case $word in
                    --print-to-pdf=*) pdf=${word#*=} ;;
                    file://*) page=${word#file://} ;;
                esac
            done
            \(line)
            """)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: path)
    }

    @Test func `the PDF is the page as the browser prints it`() async throws {
        try makeBrowser("cp \"$page\" \"$pdf\"")
        let outcome = try await workplace.shell(
            "export TMPDIR=$PWD; PATH=$PWD/bin:$PATH; \(Self.report)")
        #expect(outcome.status == 0, "\(outcome)")
        let page = try String(contentsOfFile: workplace.path("car.pdf"), encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("have P0301 repaired soon"))
        let left = try FileManager.default.contentsOfDirectory(atPath: workplace.folder.path)
        #expect(!left.contains { $0.hasPrefix("obdscan-") }, "\(left)")
    }

    @Test(arguments: ["exit 3", "true", "kill -9 $$"])
    func `a browser that fails leaves no PDF`(line: String) async throws {
        try makeBrowser(line)
        let outcome = try await workplace.shell("PATH=$PWD/bin:$PATH; \(Self.report)")
        #expect(
            outcome.status == 73 && outcome.errors.contains("did not print the page"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: workplace.path("car.pdf")))
    }

    @Test func `a missing browser is reported before the vehicle is asked`() async throws {
        let outcome = try await workplace.shell("PATH=/nonexistent; \(Self.report) --record talk")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("no browser is installed that prints a page to PDF"))
        #expect(outcome.errors.contains("hint: sudo apt-get install chromium"))
        #expect(!FileManager.default.fileExists(atPath: workplace.path("talk")))
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/bin/chromium"), "no Chromium"))
    func `the report is a PDF if the browser is real`() async throws {
        let outcome = try await workplace.shell(Self.report, within: 90)
        #expect(outcome.status == 0, "\(outcome)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: workplace.path("car.pdf")))
        #expect(bytes.starts(with: Array("%PDF-".utf8)))
    }

    /// A customer gets one sheet of paper, printed on both sides.
    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/bin/chromium"), "no Chromium"),
        arguments: ["petrol", "diesel", "electric", "hybrid", "onuds", "truck"])
    func `a customer's report with a letterhead has two pages at most`(car: String) async throws {
        _ = try workplace.file(
            "config.toml",
            "workshop = \"Repair Shop; 12 Main Street, Sampletown; Tel. 0123 456789\"\n")
        let outcome = try await workplace.shell(
            "mkdir -p obdscan && mv config.toml obdscan/ && PAPERSIZE=letter \"$OBDSCAN\" dtc report "
                + "--to car.pdf -d 'sim:\(car)?latency=0&frozen=true&wait=1ms&search=0ms' --customer 'A. Driver' "
                + "--plate 'AB-CD 123' --order 4711 --technician 'T. Smith'", within: 90)
        #expect(outcome.status == 0, "\(outcome)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: workplace.path("car.pdf")))
        let pages = String(decoding: bytes, as: UTF8.self).matches(of: #/\/Type \/Page\b/#).count
        #expect((1...2).contains(pages), "\(car): \(pages)")
    }
}
