import Formats
import OBDCore
import Testing

@testable import TerminalView

/// The view of a bus: rates, ages, and the bytes that change.
@Suite struct `The bytes of a bus that change` {
    private let motor = ECUAddress(0x0C9, .can11)
    private let lights = ECUAddress(0x18FF_5021, .can29)

    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    /// The lines of identifiers without the blanks at their ends.
    private func lines(
        _ model: BusModel, at milliseconds: Int64, columns: Int = 80, rows: Int = 10
    ) -> [String] {
        BusView(palette: Palette(isOn: false), accessory: "can:can0").render(
            model, at: at(milliseconds), size: .init(columns: columns, rows: rows)
        ).map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    }

    @Test func `each identifier has a line with its rate, its age and its bytes`() {
        var model = BusModel()
        for step in 0..<20 { model.take(motor, [0x10, UInt8(step)], at: at(Int64(step) * 50)) }
        model.take(lights, [], at: at(900))
        let shown = lines(model, at: 1_000)
        #expect(shown[0] == "can:can0  2 identifiers  21 frames")
        #expect(shown[2] == "0C9             20.0     0.1 s  10 13*")
        #expect(shown[3] == "18FF5021           -     0.1 s")
        #expect(shown.count == 10 && shown[9].hasPrefix("q quit"))
    }

    /// One second: new; five seconds: recent.
    @Test(arguments: [(1_000, "11*"), (1_001, "11+"), (5_000, "11+"), (5_001, "11")])
    func `a byte that changed has a mark that depends on its age`(_ age: Int64, _ text: String) {
        var model = BusModel()
        model.take(motor, [0x10], at: at(0))
        model.take(motor, [0x11], at: at(10))
        // Frames that say the same change nothing.
        model.take(motor, [0x11], at: at(10 + age))
        #expect(lines(model, at: 10 + age)[2].hasSuffix("s  \(text)"))
    }

    @Test func `a known change is not marked, a change of other bits in the same byte is marked`() {
        var model = BusModel()
        model.take(motor, [0x00, 0x00], at: at(0))
        model.take(motor, [0x01, 0x00], at: at(10))
        model.knowChanges()
        #expect(lines(model, at: 20)[2].hasSuffix("s  01 00"))
        model.take(motor, [0x00, 0x00], at: at(30))
        #expect(lines(model, at: 40)[2].hasSuffix("s  00 00"))
        model.take(motor, [0x81, 0x00], at: at(50))
        #expect(lines(model, at: 60)[2].hasSuffix("s  81*00"))
        #expect(model.rows[0].changed == [0x81, 0])
        model.forgetChanges()
        #expect(model.rows[0].changed == [0, 0])
        model.take(motor, [0x80, 0x00], at: at(70))
        #expect(lines(model, at: 80)[2].hasSuffix("80*00"))
    }

    @Test func `in a longer frame the additional bytes count as changed`() {
        var model = BusModel()
        model.take(motor, [1, 2], at: at(0))
        model.take(motor, [1], at: at(10))
        #expect(lines(model, at: 10)[2].hasSuffix("s  01"))
        model.take(motor, [1, 2, 3], at: at(20))
        #expect(lines(model, at: 20)[2].hasSuffix("s  01 02*03*"))
    }

    /// After five of its intervals, but at least a second.
    @Test func `an identifier that no longer comes has no rate`() {
        var model = BusModel()
        for step in 0..<4 { model.take(motor, [1], at: at(Int64(step) * 400)) }
        #expect(lines(model, at: 3_200)[2].hasPrefix("0C9              2.5"))
        #expect(lines(model, at: 3_201)[2].hasPrefix("0C9                -"))
    }

    @Test func `a small terminal shows the first lines, and the rest by scrolling`() {
        var model = BusModel()
        for id in 0..<9 { model.take(ECUAddress(0x100 + UInt32(id), .can11), [1], at: at(0)) }
        #expect(lines(model, at: 0, rows: 6)[2...4].map { $0.prefix(3) } == ["100", "101", "102"])
        model.scroll(by: 100, room: 3)
        #expect(lines(model, at: 0, rows: 6)[2...4].map { $0.prefix(3) } == ["106", "107", "108"])
        model.scroll(by: -2, room: 3)
        #expect(lines(model, at: 0, rows: 6)[2].hasPrefix("104"))
        for columns in [0, 10, 20, 33, 40] {
            #expect(
                lines(model, at: 0, columns: columns, rows: 3).allSatisfy {
                    displayWidth($0) <= columns
                })
            #expect(
                lines(model, at: 0, columns: columns).allSatisfy { displayWidth($0) <= columns })
        }
    }

    @Test func `lost frames and a silent bus are shown`() {
        var model = BusModel()
        #expect(lines(model, at: 0)[0].contains("no frame yet"))
        model.lost = 3
        model.take(motor, [], at: at(0))
        #expect(lines(model, at: 0)[0] == "can:can0  1 identifier  1 frame  3 frames lost")
    }

    @Test func `the view keeps a limited number of identifiers of a bus`() {
        var model = BusModel()
        for id in 0..<6_000 { model.take(ECUAddress(UInt32(6_000 - id), .can29), [1], at: at(0)) }
        #expect(model.rows.count == 4_096 && model.frames == 6_000)
        #expect(model.rows.map(\.id) == model.rows.map(\.id).sorted())
    }
}
