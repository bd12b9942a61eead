import Dashboard
import Formats
import Glibc
import OBDCore
import SystemIO

/// Writes a page to a file: HTML directly, PDF through an installed browser.
enum PagePrinter {
    private static let browsers = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
    ]
    /// The time limit for the browser, which starts within one or two seconds.
    private static let patience = Duration.seconds(60)

    private static func isPDF(_ path: String) -> Bool { path.lowercased().hasSuffix(".pdf") }

    /// Refuses an unsuitable file name extension, and a PDF without an installed browser.
    static func check(_ path: String?) throws(Failure) {
        try OwnFile.page.check(mayReplace: path)
        guard let path, isPDF(path) else { return try OutputFile.checkPage(path) }
        _ = try browser(for: path)
    }

    private static var paper: Paper {
        Paper(
            name: setting("PAPERSIZE"),
            locale: setting("LC_ALL") ?? setting("LC_PAPER") ?? setting("LANG"))
    }

    private static func browser(for path: String) throws(Failure) -> String {
        if let program = ChildProcess.program(of: browsers) { return program }
        throw Failure(
            "\(path): no browser is installed that prints a page to PDF",
            hint: "sudo apt-get install chromium; or write .html, and print it from any browser",
            status: .unavailable)
    }

    /// Writes the page to a file, or to standard output without a path, and notes what the file has.
    static func write(
        _ page: HTMLPage, to path: String?, _ content: String, _ output: OutputOptions
    ) throws {
        guard let path, !OutputFile.isStandardOutput(path) else {
            var writer = TextOutput.standard
            try writer.write(bytes: page.bytes)
            return try writer.flush()
        }
        try write(page, to: path)
        if let size = OutputFile.size(of: path) {
            output.note("\(path): \(content), \(byteText(size))")
        }
    }

    /// Writes the page; the file appears whole or not at all.
    ///
    /// A signal in `inbox` cancels the printing; without an inbox a signal also ends the process.
    static func write(
        _ page: HTMLPage, to path: String, cancelledBy given: SignalInbox? = nil
    ) throws {
        guard isPDF(path) else { return try OutputFile.write(path, bytes: page.bytes) }
        try OutputFile.write(
            path, bytes: pdf(page.bytes(on: paper), path, until: patience, cancelledBy: given))
    }

    /// The document as PDF; `path` names it in messages.
    private static func pdf(
        _ document: [UInt8], _ path: String, until patience: Duration,
        cancelledBy given: SignalInbox?
    ) throws -> [UInt8] {
        let program = try browser(for: path)
        var template = Array("\(environment("TMPDIR") ?? "/tmp")/obdscan-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(outputFile: path, errno: errno) }
        let folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let (source, result) = ("\(folder)/page.html", "\(folder)/page.pdf")
        defer { try? remove(folder) }
        try OutputFile.write(source, bytes: document)
        var arguments = [
            "--headless", "--disable-gpu", "--no-pdf-header-footer",
            "--user-data-dir=\(folder)/profile", "--print-to-pdf=\(result)", "file://\(source)",
        ]
        // Chromium's sandbox does not work as root; the page is our own and loads nothing.
        if getuid() == 0 { arguments.insert("--no-sandbox", at: 0) }
        let inbox = try given ?? SignalInbox.ofProcess()
        let end = try ChildProcess.run(
            program, arguments, until: SystemClock.now() + patience, cancelledBy: inbox.descriptor)
        // A signal that arrived meanwhile ends the process here.
        if end == .killed { try? remove(folder) }
        if given == nil { try inbox.end() }
        guard end == .exited(0), let bytes = try? contents(of: result), !bytes.isEmpty else {
            throw Failure(
                "\(path): \(program) did not print the page",
                hint: "write .html, and print it from a browser", status: .cannotCreate)
        }
        return bytes + OwnFile.endOfPDF
    }

    /// Prints pages for browsers; nil = no installed browser does.
    static func forWeb() throws -> WebPrinter? {
        guard ChildProcess.program(of: browsers) != nil else { return nil }
        return try WebPrinter(paper: paper) { document, inbox in
            try pdf(document, "the report", until: .seconds(20), cancelledBy: inbox)
        }
    }

    /// Removes a folder with all files of the browser.
    private static func remove(_ folder: String) throws {
        _ = try ChildProcess.run(
            "/bin/rm", ["-rf", "--", folder], until: SystemClock.now() + .seconds(10),
            cancelledBy: nil)
    }
}
