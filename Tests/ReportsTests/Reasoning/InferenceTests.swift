import Testing

@testable import PIDTables
@testable import Reports

@Suite struct `Inference about a drive` {
    /// Worked values of Python's math module.
    @Test(arguments: [
        (2.5, 0.9162907318741551), (1, 0), (1.4142, 0.3465640001880033),
    ])
    func `the logarithm agrees with exact values`(_ value: Double, _ wanted: Double) {
        #expect(abs(Logarithm.log(value) - wanted) < 1e-9)
        #expect(abs(Logarithm.exp(wanted) / value - 1) < 1e-9)
    }

    @Test func `powers of e reach their ends`() {
        #expect(abs(Logarithm.exp(700) / 1.0142320547350045e304 - 1) < 1e-12)
        #expect(abs(Logarithm.exp(-3.25) - 0.03877420783172201) < 1e-15)
        #expect(Logarithm.exp(-800) == 0)
        #expect(Logarithm.exp(800) == .infinity)
        #expect(Logarithm.sum([]) == -.infinity)
        #expect(abs(Logarithm.sum([0, 0]) - Logarithm.log(2)) < 1e-15)
    }

    private func feature(
        _ value: Double, _ error: Double, _ spread: Double, _ tails: Double, centre: Double = 0,
        id: String = "x"
    ) -> DriveFeature {
        var measure = CauseTable.Measure(id: id, name: id)
        measure.healthy = .init(centre: centre, spread: spread, tails: tails)
        return DriveFeature(
            measure: measure, value: value, error: error, seconds: 60, from: 0, to: 1)
    }

    /// Python: -log(scale) - (ν + 1) / 2 log(1 + t² / ν), with 15 % of the shift in the scale.
    @Test(arguments: [
        (17.2, 0.0, 4.0, 0.8, 10.0, -7.025198113516023),
        (17.2, 16.9, 4, 0.8, 10, -1.5713302894799135),
        (11.5, 14.2, 0.4, 0.05, 30, -1.5551685544382758),
        (-3.5, 0, 2.5, 0.6, 8, -1.881912173498754),
    ])
    func `the likelihood is Student's`(
        _ x: Double, _ expected: Double, _ spread: Double, _ error: Double, _ tails: Double,
        _ wanted: Double
    ) {
        let found = DriveInference.log(feature(x, error, spread, tails), expected)
        #expect(abs(found - wanted) < 1e-12)
    }

    private static let small = """
        measure a : a
          healthy 0 spread 2 tails 6
          limit -4..4
        measure b : b
          healthy 10 spread 3 tails 8
          limit 4..16
        cause big : big
          common
          severity m 4 8 12 g/s
          expect a + m
          expect b * 1 + m / 40
          must a above 4
          next : look
          drive weeks
          source 1
        cause low : low
          rare
          expect b - 6
          free a
          must b below 6
          next : look
          drive weeks
          source 1
        """

    /// Python: severities averaged, priors 0.02, 0.003, 0.03 for anything else, exponent 1.
    @Test func `probabilities are those of a worked example`() throws {
        let table = try CauseTable(Self.small)
        #expect(table.faults.isEmpty)
        let features = [
            "a": feature(9, 0.5, 2, 6, id: "a"),
            "b": feature(13, 0, 3, 8, centre: 10, id: "b"),
        ]
        let found = DriveInference(features, numbers: [:], traits: [], table)
        #expect(abs(found.healthy - 0.30363065507173226) < 1e-9)
        #expect(abs(found.other - 0.045472335836794886) < 1e-9)
        let (big, low) = (found.candidates[0], found.candidates[1])
        #expect(abs(big.probability - 0.6505315995974216) < 1e-9)
        #expect(abs(big.logLikelihood - 4.619544681469157) < 1e-9)
        #expect(abs(low.logLikelihood + 0.967861860566626) < 1e-9)
        #expect(abs(low.probability - 0.0003654094940511239) < 1e-9)
        #expect(big.severity == 8 && big.mustHolds && !low.mustHolds)
        #expect(big.expected == ["a": 8, "b": 12])
    }

    @Test(arguments: [
        ("1 + 2 * 3", 7.0), ("( 1 + 2 ) * 3", 9), ("8 / 4 / 2", 1), ("10 - 4 - 3", 3),
        ("min ( 4 , 2 , 3 )", 2), ("max ( 0 , x - 5 )", 2), ("sqrt ( 16 ) * x", 28),
    ])
    func `formulas are computed`(_ text: String, _ wanted: Double) throws {
        let formula = try #require(CauseExpression(text.split(separator: " ")))
        #expect(formula.value { $0 == "x" ? 7 : nil } == wanted)
    }

    @Test(arguments: [
        "", "1 +", "( 1", "1 2", ") 1", "* 2", "sqrt ( 1 , 2 )", "min 3", "1e999", "nan",
        String(repeating: "( ", count: 40) + "1" + String(repeating: " )", count: 40),
    ])
    func `text that is not a formula is refused`(_ text: String) {
        let found = CauseExpression(text.split(separator: " "))
        #expect(found == nil || found?.value { _ in nil } == nil)
    }

    @Test func `a formula has no result if one of its values is missing`() throws {
        let formula = try #require(CauseExpression("1 / x".split(separator: " ")))
        #expect(formula.value { _ in nil } == nil)
        #expect(formula.value { _ in 0 } == nil)
    }

    @Test(arguments: [
        ("must a above 4", "`must` is not a line inside a measure or cause"),
        ("cause x y : z", "`x` is not one new cause"),
        ("cause x : z\nseverity m", "`m` is not followed by numbers"),
        ("cause x : z\nexpect a ? 3", "`a ? 3` is not FEATURE, one of + - * =, FORMULA"),
        ("cause x : z\nmust a over 3", "`a` is not followed by above, below or unknown"),
        ("cause x : z\nmust a above 3 and b above 2", "`and` is not with or |"),
        ("cause x : z\ndrive maybe", "`maybe` is not stop, soon, weeks or note"),
        ("measure a : b\nhealthy 0 spread 0 tails 6", "`0` is not a spread above 0"),
        ("measure a : b\nlimit 8..-8", "`8..-8` is not a range"),
        ("measure a : b\nleast many", "`many` is not a number"),
    ])
    func `a fault in a file of causes has its line`(_ text: String, _ reason: String) {
        #expect(throws: CauseError(line: text.split(separator: "\n").count, reason: reason)) {
            try CauseTable(text)
        }
    }

    @Test func `contradictions between lines of a file of causes are found`() throws {
        let text = Self.small.replacing("expect b - 6", with: "expect c - 6 / d")
            .replacing("must b below 6", with: "alike nobody : no test")
        let faults = try CauseTable(text).faults
        #expect(
            faults == [
                "low: `c` is not a measure", "low: `d` is not a measure",
                "low: `c` has no healthy range", "low: `nobody` is not a cause",
                "low: nothing must be seen",
            ])
    }

    @Test func `certainty never reaches 100 %`() {
        #expect(DriveVerdict.certainty(1) == "almost certainly")
        #expect(DriveVerdict.certainty(0.81) == "likely (about 8 in 10)")
        #expect(DriveVerdict.certainty(0.55) == "perhaps (about 6 in 10)")
        #expect(DriveVerdict.tenths(1) == "9 in 10")
        #expect(DriveVerdict.tenths(0.02) == "less than 1 in 10")
    }
}
