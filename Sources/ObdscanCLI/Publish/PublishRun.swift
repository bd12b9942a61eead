import Engines
import Formats
import OBDCore
import Publishing
import Settings
import SystemIO
import TripStore

/// Delivers to sinks, each on its own thread, and reports their state.
struct PublishRun {
    let sinks: [ChosenSink]
    let database: String
    let deliveries: DeliveryStore
    let drains: Bool
    let trips: Set<Int64>?
    let output: OutputOptions

    private struct Running {
        var sink: ChosenSink
        var state: SinkState
        var wake: EventDescriptor
        var thread: SystemThread
        /// The last reported state.
        var told = SinkReport()
    }

    /// Delivers until everything is sent or a signal arrives.
    func run() throws {
        let inbox = try SignalInbox(SignalInbox.endings)
        let stop = try EventDescriptor.made()
        let changed = try EventDescriptor.made()
        if sinks.contains(where: { !$0.address.kind.isMQTT }) { try HTTPClient.open() }
        if sinks.contains(where: \.address.kind.isMQTT) { try MQTTSink.open() }
        var running: [Running] = []
        var failure: Failure?
        do {
            for sink in sinks { running.append(try start(sink, stop, changed)) }
        } catch {
            failure = Failure(known: error)
            stop.signal()
        }
        let watch = FileWatch(database + "-wal")
        if failure == nil, !drains { output.note("Ctrl-C ends publishing.") }
        while running.contains(where: { $0.state.current.end == nil }) {
            var list = WaitList()
            let signalled = list.add(inbox.descriptor)
            _ = list.add(changed.descriptor)
            let written = list.add(watch.descriptor)
            list.add(deadline: SystemClock.now() + .seconds(1))
            list.wait()
            if list.isReady(signalled), inbox.next() != nil {
                stop.signal()
                inbox.letMoreThrough()
            }
            if list.isReady(written) {
                watch.take()
                for sink in running { sink.wake.signal() }
            }
            watch.renew()
            changed.take()
            for place in running.indices { tell(&running[place]) }
        }
        for sink in running {
            sink.thread.join()
            try? deliveries.release(sink.sink.name)
        }
        if let failure { throw failure }
        try finish(running)
    }

    private func start(
        _ sink: ChosenSink, _ stop: EventDescriptor, _ changed: EventDescriptor
    ) throws -> Running {
        do throws(StoreError) {
            try deliveries.claim(sink.name, target: sink.address.text)
        } catch .locked {
            throw Failure(
                "another obdscan publish delivers to \(sink.name)",
                hint: "end it first: two of them would send everything twice", status: .timedOut)
        } catch {
            throw Failure(error)
        }
        let state = SinkState(changed: changed)
        let wake = try EventDescriptor.made()
        let selection = try sink.selection(trips: trips)
        let deliveries = deliveries
        let thread: SystemThread
        if sink.address.kind.isMQTT {
            let broker = try sink.broker(selection, database: database, drains: drains)
            thread = try SystemThread {
                broker.run(deliveries, state, stop: stop, wake: wake)
            }
        } else {
            let lines = LineSink(
                name: sink.name, address: sink.address, setup: try sink.httpSetup(),
                selection: selection, database: database, drains: drains)
            thread = try SystemThread {
                lines.run(deliveries, state, stop: stop, wake: wake)
            }
        }
        return Running(sink: sink, state: state, wake: wake, thread: thread)
    }

    /// Reports changes for the worse or the better.
    private func tell(_ running: inout Running) {
        let report = running.state.current
        let name = running.sink.name
        if let fault = report.fault, running.told.fault == nil {
            output.remark("\(name): \(fault); it is tried again")
        } else if report.fault == nil, running.told.fault != nil, report.end == nil {
            output.remark("\(name): it works again")
        }
        if report.isForgetful, !running.told.isForgetful {
            output.remark(
                "\(deliveries.path) cannot be written: after a restart more is sent again")
        }
        if let command = report.command, command != running.told.command {
            output.remark("\(name): \(command)")
        }
        if report.refused > running.told.refused {
            output.remark(
                "\(name): \(report.refused) lines were refused; obdscan publish status shows why")
        }
        if let end = report.end, running.told.end == nil, sinks.count > 1,
            let failure = Failure(end, of: running.sink)
        {
            tellOnStandardError(failure.text)
        }
        running.told = report
    }

    private static let shape = RowShape<(sink: ChosenSink, report: SinkReport)>(
        "published",
        [
            Field("sink", "SINK", style: .bold) { .text($0.sink.name) },
            Field("to") { .text($0.sink.address.text) },
            Field("delivered", "DELIVERED", .right) { .integer($0.report.delivered) },
            Field("refused", "REFUSED", .right) { .integer($0.report.refused) },
            Field("held", "HELD", .right) { .integer($0.report.held.count) },
            Field("complete", "COMPLETE") { .flag($0.report.end == .drained) },
            Field("error", "ERROR", missing: "") { .text($0.report.fault) },
        ])

    private func finish(_ running: [Running]) throws {
        var writer = TextOutput.standard
        var printer = RowPrinter(Self.shape, output.form)
        for sink in running where !output.quiet || output.format != .text {
            try writer.print((sink.sink, sink.state.current), &printer)
        }
        try writer.finish(&printer)
        try writer.flush()
        for sink in running { held(sink.state.current.held, sink.sink) }
        var worst: Failure?
        for sink in running {
            guard let end = sink.state.current.end, let failure = Failure(end, of: sink.sink)
            else { continue }
            worst = worst ?? failure
        }
        if let worst { throw running.count > 1 ? Failure.silent(worst.status) : worst }
        guard drains else { return }
        if running.contains(where: { $0.state.current.held.withoutName > 0 }) {
            throw Failure.silent(.badConfiguration)
        }
        if running.contains(where: { $0.state.current.held.count > 0 }) {
            throw Failure.silent(.timedOut)
        }
    }

    private func held(_ held: HeldTrips, _ sink: ChosenSink) {
        if held.withoutName > 0 {
            let trips = held.withoutName == 1 ? "1 trip" : "\(held.withoutName) trips"
            output.note(
                "not delivered: \(trips) of a vehicle without a VIN and a name; --trip NUMBER "
                    + "--id NAME delivers one under a name, and --id alone gives that name to every "
                    + "vehicle")
        }
        if held.withoutVIN > 0 {
            output.note("\(held.withoutVIN) trips that are being recorded have no VIN yet")
        }
        if held.withoutClock > 0 {
            output.note(
                "\(held.withoutClock) trips were recorded by a clock that was not set, and are not "
                    + "delivered: --trip NUMBER delivers one anyway")
        }
    }
}

extension HeldTrips {
    /// The total number.
    var count: Int { withoutVIN + withoutName + withoutClock }
}
