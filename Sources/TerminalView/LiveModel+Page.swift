import Formats
import OBDCore

/// Texts that cover the signals, or disappear by themselves.
extension LiveModel {
    /// A message at the bottom of the screen that disappears by itself.
    package struct Remark: Hashable, Sendable {
        package var text: String
        package var end: Instant
    }

    package struct Line: Hashable, Sendable, ExpressibleByStringLiteral {
        package var text: String
        package var style: Style?
        /// The number of characters at the beginning in another style, such as a code before its
        /// text.
        package var head = 0
        package var headStyle: Style?
        /// The column where folded parts begin; nil = under the last column of the line.
        package var hanging: Int?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }

        /// A line whose beginning has its own style; folded parts are indented to the end of the
        /// beginning.
        package init(head: String, _ headStyle: Style?, _ text: String, _ style: Style? = nil) {
            self.text = head + text
            self.style = style
            self.head = head.count
            self.headStyle = headStyle
            hanging = displayWidth(head)
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    /// A text page that replaces the signals until a key is pressed.
    package struct Page: Hashable, Sendable {
        /// The heading.
        package var title: String
        package var lines: [Line]
        /// The first visible line, counted after folding to the screen.
        package var scroll = 0
        /// Whether the page still waits for the vehicle's answers.
        package var isBeingRead = false

        /// A page at its first line.
        package init(title: String, lines: [Line], isBeingRead: Bool = false) {
            self.title = title
            self.lines = lines
            self.isBeingRead = isBeingRead
        }
    }
}
