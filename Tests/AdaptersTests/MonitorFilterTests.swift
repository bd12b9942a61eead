import OBDCore
import Testing

@testable import Adapters

/// Filters that an adapter applies while it monitors the bus.
///
/// Commands: the ELM327 data sheet (`AT CF`, `AT CM`), and the reference of the OBDLink family (`STFPA`, older
/// `STFAP`, and `STM`).
@Suite struct `Filters of monitoring` {
    private static let settings = [
        "ATCF7E8", "ATCM7F8", "ATCM7FF", "ATCF0C9", "ATCM7F0", "ATCRA", "ATAR", "STFPA07E8,07F8",
        "STFPA00C9,07FF", "STFAP07E8,07F8",
    ]

    private func adapter(
        stn: Bool = false, refusing refused: Set<String> = []
    ) -> ScriptedAdapter {
        var adapter = ScriptedAdapter.genuine(stn ? ["STI": "STN1110 v4.2.1"] : [:])
        for command in Self.settings where !refused.contains(command) {
            adapter.answers[command] = "OK"
        }
        adapter.initialise()
        adapter.written = []
        adapter.outputs = []
        adapter.deaf = ["AT MA", "STM"]
        return adapter
    }

    private func monitor(_ filters: [String]) -> AdapterRequest {
        .monitor(
            id: RequestID(rawValue: 5), text: AdapterCommand.monitorEverything,
            atMost: .seconds(5), filters: filters.compactMap { CANFilter($0) })
    }

    @Test(
        arguments: [
            ([], ["AT MA"]), (["7E8/7F8"], ["ATCF7E8", "ATCM7F8", "AT MA"]),
            (["7E8"], ["ATCF7E8", "ATCM7FF", "AT MA"]),
            // One pattern has to pass both.
            (["0C9", "0C4"], ["ATCF0C9", "ATCM7F2", "AT MA"]),
            // No common filter, or the other kind of identifier: only the program filters.
            (["7FF", "000"], ["AT MA"]), (["18DAF110"], ["AT MA"]),
            (["7E8", "18DAF110"], ["AT MA"]),
        ] as [([String], [String])])
    func `an ELM327 gets one pattern`(_ filters: [String], _ commands: [String]) {
        var adapter = adapter()
        adapter.answers["ATCM7F2"] = "OK"
        adapter.send(monitor(filters))
        #expect(adapter.commands == commands)
    }

    @Test func `the next request restores the usual filter`() {
        var adapter = adapter()
        adapter.send(monitor(["7E8/7F8"]))
        adapter.timeOut(.listen)
        adapter.receive("STOPPED\r\r>")
        adapter.written = []
        adapter.send(.vehicle(VehicleRequest(id: RequestID(rawValue: 6), payload: [0x01, 0x0C])))
        #expect(adapter.commands == ["ATCRA", "010C"])
    }

    @Test func `an STN gets every pattern and monitors with all patterns`() {
        var adapter = adapter(stn: true)
        adapter.send(monitor(["7E8/7F8", "0C9"]))
        #expect(adapter.commands == ["STFPA07E8,07F8", "STFPA00C9,07FF", "STM"])
        adapter.timeOut(.listen)
        adapter.receive("STOPPED\r\r>")
        adapter.written = []
        adapter.send(.vehicle(VehicleRequest(id: RequestID(rawValue: 6), payload: [0x01, 0x0C])))
        #expect(adapter.commands == ["ATAR", "010C"])
    }

    @Test func `an older STN gets the older name of the command`() {
        var adapter = adapter(stn: true, refusing: ["STFPA07E8,07F8"])
        adapter.send(monitor(["7E8/7F8"]))
        #expect(
            adapter.commands == ["STFPA07E8,07F8", "STFPA07E8,07F8", "STFAP07E8,07F8", "STM"])
    }

    @Test(arguments: [true, false]) func `without filters every frame is monitored`(isSTN: Bool) {
        var adapter = adapter(
            stn: isSTN, refusing: ["STFPA07E8,07F8", "STFAP07E8,07F8", "ATCF7E8"])
        adapter.send(monitor(["7E8/7F8"]))
        #expect(adapter.commands.last == "AT MA")
        #expect(adapter.ends.isEmpty)
        adapter.receive("0C90000000000000000\r")
        #expect(adapter.outputs.contains { if case .frame = $0 { true } else { false } })
    }

    @Test(
        arguments: [
            (["7E8/7F8"], "7E8", 0x7F8), (["7E8", "7E9"], "7E8", 0x7FE),
            (["7E8/7F8", "7E0"], "7E8", 0x7F0),
        ] as [([String], String, UInt32)])
    func `one filter pattern can cover several identifiers`(
        _ filters: [String], _ pattern: String, _ mask: UInt32
    )
        throws
    {
        let all = filters.compactMap { CANFilter($0) }
        let one = try #require(CANFilter(covering: all))
        #expect(one.pattern == ECUAddress(pattern) && one.mask == mask)
        #expect(all.allSatisfy { one.covers($0) })
    }
}
