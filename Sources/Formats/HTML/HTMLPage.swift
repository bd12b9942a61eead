/// A self-contained page: it includes its style and script, and its policy forbids loading anything
/// else.
public struct HTMLPage: Sendable {
    private let title: String
    private let lead: String
    /// The sender's name and address, line by line, above the title; empty = none.
    public var letterhead: [String] = []
    /// The sender's logo; nil = none.
    public var logo: PageLogo?
    /// A text at the bottom of each printed page, beside its number; nil = neither.
    public var foot: String?
    private var body = HTMLText()
    private var hasPlots = false

    /// A page; `lead` is the text below its title.
    public init(title: String, lead: String) {
        self.title = title
        self.lead = lead
    }

    /// Begins a section.
    public mutating func section(_ heading: String, _ content: (inout HTMLText) -> Void) {
        body.raw("<section>")
        body.element("h2", heading)
        body.raw("\n")
        body.heading = heading
        content(&body)
        body.raw("</section>\n")
    }

    /// Lines to sign on, each with its name below.
    public mutating func signs(_ names: [String]) {
        body.raw("<div class=\"signs\">")
        for name in names { body.element("p", name) }
        body.raw("</div>\n")
    }

    /// A section of plots that are zoomed together.
    public mutating func plots(_ heading: String, _ plots: [LinePlot]) {
        guard !plots.isEmpty else { return }
        hasPlots = true
        body.raw("<section id=\"plots\">")
        body.element("h2", heading)
        body.raw(
            """
            <p class="tools" hidden><button type="button" id="in">Zoom in</button> \
            <button type="button" id="out">Zoom out</button> \
            <button type="button" id="all">All</button> \
            <span class="dim">Drag over a plot to see that time only; double-click for all.</span></p>

            """)
        for plot in plots { plot.append(to: &body) }
        body.raw("</section>\n")
    }

    /// The whole document, for paper that the reader's browser chooses.
    public var bytes: [UInt8] { document(style: PageParts.style + footStyle) }

    /// The whole document, for `paper`.
    public func bytes(on paper: Paper) -> [UInt8] {
        document(style: PageParts.style + footStyle + "@page { size: \(paper.rawValue); }\n")
    }

    /// Text and number of the pages in the margin of the paper.
    private var footStyle: String {
        guard let foot else { return "" }
        var text = ""
        for scalar in foot.unicodeScalars {
            // A style sheet ends neither at a quote nor at the end of its element.
            let isPlain = scalar.value >= 0x20 && !["\"", "\\", "<"].contains(scalar)
            text +=
                isPlain ? String(scalar) : "\\" + String(scalar.value, radix: 16) + " "
        }
        let style = "font: 7pt system-ui, sans-serif; color: #444;"
        return "@media print { @page { margin-bottom: 12mm; "
            + "@bottom-left { content: \"\(text)\"; \(style) } "
            + "@bottom-right { content: \"page \" counter(page) \" of \" counter(pages); \(style) } } }\n"
    }

    /// The first lines of every page, by which a file is recognised.
    package static let beginning = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'
        """

    private func appendLetterhead(to page: inout HTMLText) {
        guard logo != nil || !letterhead.isEmpty else { return }
        page.raw("<div class=\"letterhead\">")
        if let logo {
            // The name is printed beside the logo.
            page.raw("<img alt=\"\" src=\"data:\(logo.type);base64,\(logo.base64)\">")
        }
        page.raw("<div>")
        for (place, line) in letterhead.enumerated() {
            page.element("p", line, class: place == 0 ? "name" : nil)
        }
        page.raw("</div></div>\n")
    }

    private func document(style: String) -> [UInt8] {
        var page = HTMLText()
        page.raw(Self.beginning)
        // The only picture is in the page itself.
        page.raw(logo == nil ? "" : "; img-src data:")
        page.raw(
            "\">\n<meta name=\"referrer\" content=\"no-referrer\">"
                + "<meta name=\"color-scheme\" content=\"light dark\">\n<title>\n")
        page.text(title)
        page.raw("</title>\n<style>\n\(style)</style></head><body>\n<header>")
        appendLetterhead(to: &page)
        page.element("h1", title)
        page.element("p", lead, class: "dim")
        page.raw("</header>\n<main>\n")
        page.append(body)
        page.raw("</main>\n<footer class=\"dim\">Made by obdscan.</footer>\n")
        if hasPlots { page.raw("<script>\n\(PageParts.script)</script>\n") }
        page.raw("</body></html>\n")
        return page.bytes
    }
}
