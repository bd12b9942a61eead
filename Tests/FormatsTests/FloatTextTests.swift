import Diagnostics
import Formats
import OBDCore
import Testing

@Suite struct `Floating point numbers as text` {
    @Test(arguments: [
        (0.4, "0.4"), (14.2, "14.2"), (0.833, "0.833"), (1e20, "1e20"), (-1.5e-7, "-1.5e-7"),
        (9.999_999_99e-9, "1e-8"), (0, "0"), (-3, "-3"), (123_456.789, "123456.8"),
        (16_777_216, "16777216"), (0.1 + 0.2, "0.3"), (1234.5, "1234.5"),
        (1.234_567_89e-4, "0.000123457"), (3.402_823_5e38, "3.402823e38"),
    ])
    func `a number without a step has its significant digits`(value: Double, text: String) {
        #expect(numberText(value, step: 0) == text)
    }

    @Test func `a floating point signal is not rounded to a step`() {
        var signal = Signal(
            id: "V", name: "Voltage", bitOffset: 0, bitLength: 32, kind: .number, unit: "V")
        var formula = Signal.Formula()
        formula.encoding = .floatingPoint
        signal.formula = formula
        let reading = Reading(
            ecu: nil, dataID: nil, signal: SignalIndex(rawValue: 0),
            value: signal.value(raw: 0x3F55_3F7D), raw: [], line: 0)
        #expect(ValueText(reading, signal, .metric).joined == "0.833 V")
    }
}
