/// A self-contained page: it includes its style and script, and its policy forbids loading anything
/// else.
public struct HTMLPage: Sendable {
    private let title: String
    private let lead: String
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
    public var bytes: [UInt8] { document(style: PageParts.style) }

    /// The whole document, for `paper`.
    public func bytes(on paper: Paper) -> [UInt8] {
        document(style: PageParts.style + "@page { size: \(paper.rawValue); }\n")
    }

    /// The first lines of every page, by which a file is recognised.
    package static let beginning = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
        <title>
        """

    private func document(style: String) -> [UInt8] {
        var page = HTMLText()
        page.raw(Self.beginning)
        page.text(title)
        page.raw("</title>\n<style>\n\(style)</style></head><body>\n<header>")
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
