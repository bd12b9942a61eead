import Accessory
import Diagnostics
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import Testing
import VehicleScan

@testable import Dashboard

/// The session that browsers look at, over the simulator in the tests' own process.
@Suite struct `The feed of the board` {
    private static let patience = Duration.seconds(20)

    /// Waits until the board is as `isDone` wants it; false = it never was.
    private func wait(_ board: VehicleBoard, until isDone: () -> Bool) throws -> Bool {
        let changed = try EventDescriptor()
        let watcher = board.watch(changed)
        defer { board.unwatch(watcher) }
        let deadline = SystemClock.now() + Self.patience
        while !isDone() {
            if SystemClock.now() >= deadline { return false }
            var waiting = WaitList()
            _ = waiting.add(changed.descriptor)
            waiting.add(deadline: deadline)
            waiting.wait()
            changed.take()
        }
        return true
    }

    /// Runs a feed from `accessory` while `body` looks at it.
    private func feed(
        _ accessory: String, isRecorded: Bool = false,
        _ body: (VehicleBoard, CurrentVehicle) throws -> Void
    ) throws {
        let table = try PIDTables.standard()
        let (board, vehicle) = (VehicleBoard(version: "1"), CurrentVehicle())
        let feed = LiveFeed(
            board: board, vehicle: vehicle, table: table, accessory: accessory,
            program: .init(
                open: { queue, inbox, body in
                    let opened = try Vehicle.open(
                        TransportRegistry.all.address(accessory), table: table,
                        monitors: PIDTables.monitorTables(), sinks: [queue], inbox: inbox)
                    defer { opened.close() }
                    try body(opened)
                },
                setup: { try PollSetup.make([], [], $0, every: nil) },
                protectsBattery: false, isRecorded: isRecorded, note: { _ in }))
        let inbox = try SignalInbox.relay()
        let thread = try SystemThread { feed.run(inbox) }
        // It ends when it is told to, whatever came before.
        defer {
            inbox.pass(SIGTERM)
            thread.join()
        }
        try body(board, vehicle)
    }

    @Test(arguments: [
        ("petrol", "5XXBD1GA8LX000042"), ("diesel", "WXXBD2DA8MX000077"),
        ("electric", "7XXBD4EA7PX000256"), ("hybrid", "JXXBD3HA2NX000123"),
        ("onuds", "5XXBD1GA9RX000043"), ("truck", "4XXBD5TA1NX000311"),
    ])
    func `the board gets the readings and the VIN of a vehicle`(
        name: String, vin: String
    ) throws {
        try feed("sim:\(name)?latency=0ms&wait=1ms&search=0ms") { board, vehicle in
            let hasCome = try wait(board) { board.channels().channels.count >= 3 }
            #expect(hasCome, "\(board.status.note ?? "")")
            let status = board.status
            #expect(status.link == .live && status.vin == vin)
            #expect(status.adapter != nil && status.vehicleProtocol != nil)
            #expect(vehicle.current != nil)
        }
    }

    @Test func `the board shows the reason for a missing session and the remedy`() throws {
        try feed("unix:/obdscan-is-not-there") { board, vehicle in
            let hasCome = try wait(board) { board.status.link == .failed }
            #expect(hasCome)
            #expect(board.status.note == "/obdscan-is-not-there: the socket does not exist")
            #expect(board.status.hint == "start the program that serves it, or correct the path")
            #expect(vehicle.current == nil)
        }
    }

    @Test(arguments: ["petrol", "onuds", "truck"])
    func `the board says that no vehicle answers`(name: String) throws {
        try feed("sim:\(name)?ignition=off&latency=0ms&wait=1ms&search=0ms") { board, _ in
            let hasCome = try wait(board) { board.status.link == .failed }
            #expect(hasCome)
            #expect(board.status.note?.contains("answer") == true, "\(board.status.note ?? "")")
        }
    }

    @Test func `the board reports that only a restart of the program helps`() throws {
        try feed("unix:/obdscan-is-not-there", isRecorded: true) { board, _ in
            let hasCome = try wait(board) { board.status.link == .failed }
            #expect(hasCome)
            #expect(board.status.hint == "start \"obdscan serve\" again")
        }
    }

    @Test func `a question ends when the vehicle disconnects`() throws {
        let vehicle = CurrentVehicle()
        let inbox = try SignalInbox.relay()
        #expect(vehicle.begin(inbox))
        vehicle.breakOff()
        #expect(inbox.next() == SIGTERM)
        vehicle.finish()
        vehicle.end()
        #expect(!vehicle.begin(inbox))
    }
}
