import Adapters
import OBDCore
import Testing

/// The actions of an adapter, as commands of each dialect.
@Suite struct `Actions of an adapter` {
    private static let actions: [AdapterAction] =
        [.readVoltage, .identify, .forgetProtocol]
        + VehicleProtocol.allCases.filter { $0 != .doip }.map { .tryProtocol($0) }

    private func request(_ action: AdapterAction) -> AdapterRequest {
        .action(id: RequestID(rawValue: 7), action)
    }

    // ELM327 data sheet, command summary.
    @Test(arguments: [
        (AdapterAction.readVoltage, "ATRV"), (.identify, "ATI"), (.forgetProtocol, "ATSP0"),
        (.tryProtocol(.can11At500), "ATTP6"), (.tryProtocol(.j1939), "ATTPA"),
    ])
    func `an ELM327 performs each action with its command`(action: AdapterAction, command: String) {
        var adapter = ScriptedAdapter.genuine(["ATTP6": "OK", "ATTPA": "OK"])
        adapter.initialise()
        adapter.written = []
        adapter.send(request(action))
        #expect(adapter.commands == [command])
        #expect(adapter.ends == [.complete])
        #expect(action.command.filter { $0 != " " } == command)
    }

    @Test func `the voltage is read, and a tried protocol is then in use`() {
        var adapter = ScriptedAdapter.genuine(["ATTP7": "OK"])
        adapter.initialise()
        adapter.send(request(.readVoltage))
        #expect(adapter.outputs.contains(.voltage(12.6)))
        adapter.send(request(.tryProtocol(.can29At500)))
        #expect(adapter.dialect.capabilities.vehicleProtocol == .can29At500)
    }

    @Test(arguments: actions)
    func `no action changes a setting that outlives the session`(action: AdapterAction) {
        #expect(AdapterRequest.isReadOnlyCommand(action.command))
        var adapter = ScriptedAdapter.genuine()
        adapter.initialise()
        #expect(adapter.dialect.isReadOnly(request(action)))
        #expect(request(action).consent == nil && !request(action).isForVehicle)
    }

    @Test(arguments: actions)
    func `a GoLink refuses every action and sends nothing`(action: AdapterAction) {
        var dialect = GoLinkDialect(.init(vehicle: .unused))
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        dialect.receive([0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00], &out)
        #expect(out.last == .ready(dialect.identity))
        out = []
        dialect.send(request(action), &out)
        #expect(out == [.end(.refused)])
    }

    @Test(arguments: [
        ("AT RV", true), ("atz", true), ("STI", true), ("AT", false), ("st", false),
        ("010C", false), ("", false), ("A T Z", true), ("START", true),
    ])
    func `a typed word that begins like an adapter command is an adapter command`(
        text: String, isCommand: Bool
    ) {
        #expect(AdapterCommand.isTyped(text) == isCommand)
    }
}
