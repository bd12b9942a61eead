import Diagnostics
import Testing

@Suite struct `The moment of a fault` {
    @Test(
        arguments: [
            (
                62.0, 83.0, 41.0, 2100, 840.0,
                "At 62 km/h, engine warm (83 °C), 41 % load, 14 minutes after start."
            ),
            (
                0, 12, 20.4, 1180, 1,
                "At a standstill with 1180 rpm, engine cold (12 °C), 20 % load, "
                    + "1 second after start."
            ),
            (0, nil, nil, nil, nil, "At a standstill."),
            (nil, 112, nil, 3000, nil, "At 3000 rpm, engine too hot (112 °C)."),
            (nil, 55, nil, nil, 7200, "Coolant 55 °C, 2 hours after start."),
            (nil, 65, nil, 900, nil, "At 900 rpm, coolant 65 °C."),
            (nil, 59, nil, 900, nil, "At 900 rpm, engine cold (59 °C)."),
            (nil, 110, nil, 900, nil, "At 900 rpm, engine warm (110 °C)."),
            (nil, nil, 33, nil, 60, "33 % load, 1 minute after start."),
            (nil, nil, nil, nil, nil, nil),
        ] as [(Double?, Double?, Double?, Double?, Double?, String?)])
    func `a freeze frame becomes one sentence`(
        speed: Double?, coolant: Double?, load: Double?, rpm: Double?, time: Double?,
        sentence: String?
    ) {
        var moment = CodeMoment([], in: TestTable.pids)
        moment.speed = speed
        moment.coolant = coolant
        moment.load = load
        moment.engineSpeed = rpm
        moment.runTime = time
        #expect(moment.sentence() == sentence)
    }

    @Test func `the caller chooses the units in the sentence`() {
        var moment = CodeMoment([], in: TestTable.pids)
        moment.speed = 100
        #expect(moment.sentence { "\($0)<\($1)>" } == "At 100.0<km/h>.")
    }
}
