import Formats
import WebServer

/// A report as a page to read, or as PDF with `?format=pdf`.
struct PrintedAnswer {
    private let head: RequestHead
    private let printer: WebPrinter?
    /// The name of the file, without its ending.
    private let name: String

    init(_ head: RequestHead, _ printer: WebPrinter?, name: String) {
        self.head = head
        self.printer = printer
        self.name = name
    }

    /// Sends the report; `document` makes it for paper, nil = for a screen.
    func send(_ response: WebResponse, _ document: (Paper?) throws -> [UInt8]) throws {
        switch head.queryValue("format") ?? "html" {
        case "html":
            var answer = ResponseHead(.ok, "text/html; charset=utf-8")
            answer.contentPolicy = Self.policy
            try response.send(answer, document(nil))
        case "pdf":
            guard let printer else {
                throw WebProblem(
                    .unavailable, "no browser is installed that prints a page to PDF",
                    hint: "install Chromium where obdscan runs, or print the page from your browser"
                )
            }
            var answer = ResponseHead(.ok, "application/pdf")
            answer.fields = [("Content-Disposition", "attachment; filename=\"\(name).pdf\"")]
            try response.send(answer, printer.print { try document($0) })
        case let other:
            throw WebProblem(
                .badRequest, "there is no format \"\(other)\"", hint: "format=html or pdf")
        }
    }

    /// The policy for pages whose style and script have no nonce; their text is escaped.
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts"
}
