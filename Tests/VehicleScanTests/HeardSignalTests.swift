import Diagnostics
import PIDTables
import Testing
import VehicleScan

@Suite struct `Signals that ECUs send by themselves` {
    /// Its short name is also a name of PID 0D, which measures something else.
    @Test(arguments: ["MOTOR.Speed", "CAN:1A0"])
    func `a heard signal is not requested, nor another one of its name`(name: String) throws {
        let text = """
            record CAN:1A0 1..8 : MOTOR
              signal MOTOR.Speed A..B unit rpm unverified : Speed
                alias speed

            """
        let table = try PIDTables.load([TableFile(path: "t", contents: Array(text.utf8))])
        let names = SignalNames(table)
        let resolved = names.resolve([try names.find(name)], in: [.classicCAN, .j1939])
        #expect(resolved.signals.isEmpty)
        #expect(resolved.unknown.map(\.isOnlyHeard) == [true])
        let speed = names.resolve([try names.find("speed")], in: [.classicCAN])
        #expect(speed.signals.map(\.dataID?.description) == ["01:0D"])
    }
}
