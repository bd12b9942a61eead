import Accessory
import CFloors
import Diagnostics
import Dispatch
import Glibc
import OBDCore
import PIDTables
import ScanSession
import TripStore

/// Our own think time: from the adapter's prompt to the next request, including decoding and
/// storing.
///
/// The benchmark runs over a socket pair and is compared with a client in C that only sends requests.
enum RoundTripBench {
    static func run(rows: Int) throws {
        let count = max(1000, min(rows / 20, 50_000))
        var floors: [Double] = []
        var ours: [Double] = []
        for _ in 0..<3 {
            let descriptor = floor_adapter_open()
            guard floor_client(descriptor, count) > 0 else { throw Failed() }
            floors.append(floor_adapter_think(0.5))
            close(descriptor)
            ours.append(try session(count))
        }
        let pair = (ours: ours.sorted()[1], floor: floors.sorted()[1])
        ObdscanBench.print("round trip: C client thinks", pair.floor, "µs, median")
        ObdscanBench.print(
            "round trip: ScanSession thinks", pair.ours, "µs, median",
            note: ObdscanBench.ratio(pair.ours / pair.floor))
    }

    private struct Failed: Error {}

    private static func now() -> Instant { Instant(nanoseconds: Int64(floor_now() * 1e9)) }

    private static func session(_ count: Int) throws -> Double {
        let scratch = Scratch()
        let table = try PIDTables.standard()
        let store = try TripStore(path: scratch.file("a.db"))
        let anchor = OBDCore.TimeAnchor(monotonic: now(), utc: Samples.anchor.utc)
        let writer = try store.startTrip(TripStart(anchor: anchor), table: table)
        var configuration = SessionConfiguration(
            connector: .descriptor(name: "bench") { floor_adapter_open() })
        configuration.vehicleProtocol = .can11At500
        let finished = Finish()
        let session = try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: table, monitors: try PIDTables.monitorTables()),
            sinks: [StoreSink(writer: writer)], observers: [finished])
        floor_adapter_clear()
        let cpu = floor_cpu()
        session.poll(
            PollPlan(
                wants: [PollPlan.Want(DataID(.currentData, 0x0C), length: 2)], rounds: count))
        finished.wait()
        let requests = floor_adapter_requests()
        let think = floor_adapter_think(0.5)
        ObdscanBench.print(
            "round trip: CPU of both ends a request", (floor_cpu() - cpu) / Double(requests) * 1e6,
            "µs", note: "\(requests) requests")
        session.stop()
        try writer.end(.stopped, at: now())
        return think
    }
}

/// Passes batches to a trip's writer, which is never full at this rate.
private struct StoreSink: ReadingSink {
    let writer: TripWriter
    var spaceDescriptor: Int32? { nil }

    func offer(_ batch: ReadingBatch) -> Bool {
        _ = writer.offer(batch.items, at: batch.answered)
        return true
    }
}

/// Waits for the end of a poll.
private struct Finish: ScanObserver {
    private let done = DispatchSemaphore(value: 0)
    var interests: ScanEvent.Kinds { .milestones }

    func scan(_ event: ScanEvent, at time: Instant) {
        switch event {
        case .pollDidFinish, .sessionDidEnd: done.signal()
        default: break
        }
    }

    func wait() { done.wait() }
}
