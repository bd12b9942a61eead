import OBDCore
import TestSupport
import Testing

@testable import Diagnostics

@Suite struct TripEndRuleTests {
    private static let limits = TripEndRule.Limits(silence: .seconds(60), standstill: .seconds(600))

    /// The answers of a vehicle until each second: (until, rpm, km/h); nil = no answer.
    private typealias Phase = (until: Int, rpm: Double?, speed: Double?)

    /// The second at which the rule ends the drive, and its reason.
    private func end(_ phases: [Phase], limits: TripEndRule.Limits = limits) -> TripEndRule.End? {
        var rule = TripEndRule(limits: limits)
        var second = 0
        for phase in phases {
            while second < phase.until {
                if let end = rule.end(by: at(Double(second))) { return end }
                if let rpm = phase.rpm { rule.take(engineSpeed: rpm, at: at(Double(second))) }
                if let speed = phase.speed { rule.take(speed: speed, at: at(Double(second))) }
                second += 1
            }
        }
        return rule.end(by: at(Double(second)))
    }

    @Test func `a switched-off vehicle ends the trip by its silence`() {
        let end = end([(300, 2000, 50), (310, 0, 0), (400, nil, nil)])
        #expect(end == .init(rule: .silence, instant: at(309)))
    }

    @Test func `with an ECU that stays awake, standing still ends the trip`() {
        let end = end([(300, 2000, 50), (1200, 0, 0)])
        #expect(end == .init(rule: .standstill, instant: at(900)))
    }

    @Test func `start-stop at the lights does not end a trip`() {
        var phases: [Phase] = []
        for round in 1...20 {
            phases.append((round * 200 - 100, 1800, 50))
            phases.append((round * 200, 0, 0))
        }
        #expect(end(phases) == nil)
    }

    @Test func `a hybrid that drives without its engine continues the trip`() {
        #expect(end([(100, 1500, 40), (2000, 0, 30), (2300, 0, 0), (4000, 0, 20)]) == nil)
    }

    @Test func `an engine that warms up while standing continues the trip`() {
        #expect(end([(3000, 900, 0)]) == nil)
    }

    @Test func `a standing electric vehicle without an engine speed ends the trip`() {
        #expect(end([(1000, nil, 60), (1500, nil, 0)]) == nil)
        let end = end([(1000, nil, 60), (1700, nil, 0)])
        #expect(end == .init(rule: .standstill, instant: at(1600)))
    }

    /// A smart alternator lets the voltage fall to 12.2 V at speed.
    ///
    /// So no rule uses the voltage.
    @Test func `answers of other ECUs continue the trip while the vehicle moves`() {
        var rule = TripEndRule(limits: Self.limits)
        rule.take(speed: 80, at: at(0))
        for second in stride(from: 0.0, to: 3000, by: 10) { rule.takeAnswer(at: at(second)) }
        #expect(rule.end(by: at(3000)) == nil)
    }

    @Test func `an engine speed that no longer arrives counts as 0`() {
        let end = end([(100, 900, 0), (1000, nil, 0)])
        #expect(end?.rule == .standstill)
        #expect(end.map { $0.instant >= at(700) && $0.instant <= at(730) } == true)
    }

    @Test func `without limits or answers no trip ends`() {
        #expect(end([(100, 0, 0), (90_000, nil, nil)], limits: .init()) == nil)
        #expect(TripEndRule(limits: Self.limits).end(by: at(1e6)) == nil)
        #expect(TripEndRule(limits: Self.limits).deadline == nil)
    }

    @Test func `the deadline of the rule is the time at which the trip will end`() {
        var rule = TripEndRule(limits: Self.limits)
        rule.take(speed: 0, at: at(100))
        #expect(rule.deadline == at(160))
        for second in stride(from: 110.0, through: 690, by: 10) { rule.takeAnswer(at: at(second)) }
        #expect(rule.deadline == at(700))
        #expect(rule.end(by: at(699)) == nil && rule.end(by: at(700))?.rule == .standstill)
    }
}
