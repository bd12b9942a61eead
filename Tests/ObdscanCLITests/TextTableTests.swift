import Testing
import TripExport

@testable import ObdscanCLI

@Suite struct `A table for people` {
    @Test func `a table cell is printable whatever it was made from`() {
        var table = TextTable([("A", .left), ("B", .right)])
        table.add([.init("\u{1B}]0;x\u{07}"), "1"])
        #expect(
            table.text(Palette(isOn: false)) == """
                A             B
                \\x1B]0;x\\x07  1

                """)
    }
}
