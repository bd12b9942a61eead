/// The pages of `obdscan serve`, from the files in `web/`.
package enum WebPage {
    /// The main page.
    ///
    /// - Parameter nonce: a random word that is used once; the browser runs only styles and scripts
    ///   with this nonce.
    /// - Parameter tiles: the source of a street map; nil = no map.
    /// - Parameter printsPDF: whether the server can print reports.
    package static func dashboard(
        nonce: String, tiles: TileSource? = nil, printsPDF: Bool = false
    ) -> [UInt8] {
        page("dashboard.html", nonce, tiles: tiles, printsPDF: printsPDF)
    }

    /// A file of the page, unchanged.
    package static func file(_ name: String) -> [UInt8] { Array(text(name).utf8) }

    /// The page that asks for the token; `isWrong` means that the last token was wrong.
    package static func entrance(nonce: String, isWrong: Bool) -> [UInt8] {
        page("entrance.html", nonce, problem: isWrong ? text("wrong.html") : "")
    }

    /// The policy of the pages: they may use only their own content, send requests to their server,
    /// and load map tiles from the user's source.
    package static func policy(nonce: String, tiles: TileSource? = nil) -> String {
        let images = ["data:", "'self'", tiles?.origin].compactMap(\.self).joined(separator: " ")
        return "default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; "
            + "connect-src 'self'; img-src \(images); manifest-src 'self'; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'"
    }

    private static func page(
        _ name: String, _ nonce: String, problem: String = "", tiles: TileSource? = nil,
        printsPDF: Bool = false
    ) -> [UInt8] {
        let script = EmbeddedFiles.all.filter { $0.path.description.hasSuffix(".js") }
            .map { $0.contents.description }.joined(separator: "\n")
        let parts = [
            "{{nonce}}": nonce, "{{style}}": text("style.css"), "{{script}}": script,
            "{{problem}}": problem, "{{tiles}}": tiles?.template ?? "",
            "{{pdf}}": printsPDF ? "yes" : "",
        ]
        var rest = text(name)[...]
        var page = ""
        while let start = rest.firstIndex(of: "{") {
            let mark = parts.keys.first { rest[start...].hasPrefix($0) }
            page += rest[..<start]
            page += mark.flatMap { parts[$0] } ?? "{"
            rest = rest[start...].dropFirst(mark?.count ?? 1)
        }
        return Array((page + rest).utf8)
    }

    private static func text(_ name: String) -> String {
        EmbeddedFiles.all.first { $0.path.description == name }?.contents.description ?? ""
    }
}
