import Diagnostics
import OBDCore
import PIDTables
import Testing
import VehicleScan

@Suite struct `Signals that ECUs send by themselves` {
    /// Its short name is also a name of PID 0D, which measures something else.
    @Test(arguments: ["MOTOR.Speed", "CAN:1A0"])
    func `a heard signal is not requested, and neither is another signal of its name`(name: String)
        throws
    {
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

    /// 765 is where the ECU answers that a record asks at 745; 7E9 answers OBD; 7B3 is the ECU of --ecu.
    @Test func `a frame with the identifier of an answer is not heard beside requests`() throws {
        let text = """
            record 21:01 1..99 : Battery
              header 745
              reply 765
              signal BATTERY.Soc A unit % unverified : Charge
            record CAN:765 1..8 : ANSWER
              signal ANSWER.X A unverified : X
            record CAN:7E9 1..8 : OBD
              signal OBD.X A unverified : X
            record CAN:7B3 1..8 : OTHER
              signal OTHER.X A unverified : X
            record CAN:1A0 1..8 : MOTOR
              signal MOTOR.Speed A unverified : Speed

            """
        let table = try PIDTables.load([TableFile(path: "t", contents: Array(text.utf8))])
        let names = SignalNames(table)
        func heard(_ selected: [SelectedSignal], _ ecu: ECUAddress? = nil) -> [String] {
            names.heard(among: selected, asking: ecu).map { table[$0].id }
        }
        #expect(heard([]) == ["OTHER.X", "MOTOR.Speed"])
        #expect(heard([], ECUAddress(0x7B3, .can11)) == ["MOTOR.Speed"])
        let all = try ["ANSWER.X", "OBD.X", "OTHER.X", "MOTOR.Speed", "rpm"].map {
            try names.find($0)
        }
        #expect(heard(all) == ["OTHER.X", "MOTOR.Speed"])
        #expect(
            names.frames(with: names.heard(among: all)) == [
                ECUAddress(0x7B3, .can11), ECUAddress(0x1A0, .can11),
            ])
        let unknown = names.resolve(all, in: [.classicCAN]).unknown
        #expect(unknown.filter(\.isOfAnswer).map(\.name) == ["ANSWER.X", "OBD.X"])
    }

    /// FF21 is proprietary, and a request may name F004.
    @Test func `groups that a request may not name are only heard`() throws {
        let text = """
            record FE:FF21 1..8 : OWN
              signal OWN.A A unverified : A
              signal OWN.B B unverified : B
            record FE:F004 8 : EEC1
              signal EEC1.Speed D..E little scale 1/8 unit rpm unverified : Speed

            """
        let table = try PIDTables.load([TableFile(path: "t", contents: Array(text.utf8))])
        let names = SignalNames(table)
        let named = try ["OWN.B", "EEC1.Speed", "rpm"].map { try names.find($0) }
        let groups = names.heardGroups(among: named)
        #expect(groups.unasked == [0xFF21] && groups.signals.map { table[$0].id } == ["OWN.B"])
        #expect(groups.asked.isSuperset(of: [0xF004, 0xFECA]) && !groups.asked.contains(0xFF21))
        let all = names.heardGroups(among: [])
        #expect(all.unasked.contains(0xFF21) && all.unasked.isDisjoint(with: all.asked))
        #expect(all.asked.contains(0xF004))
        let ids = all.signals.map { table[$0].id }
        #expect(ids.filter { $0.hasPrefix("OWN.") } == ["OWN.A", "OWN.B"])
        let unknown = names.resolve(named, in: [.classicCAN]).unknown
        #expect(unknown.filter(\.isOfForeignGroup).map(\.name) == ["OWN.B"])
        let onTruck = names.resolve(named, in: [.j1939]).unknown
        #expect(onTruck.filter(\.isOfForeignGroup).isEmpty)
    }
}
