import Engines
import Formats
import OBDCore
import SystemIO
import TripStore

/// Delivers to sinks, and reports their state.
struct PublishRun {
    let sinks: [ChosenSink]
    let database: String
    let deliveries: DeliveryStore
    let drains: Bool
    let trips: Set<Int64>?
    let output: OutputOptions

    /// Delivers until everything is sent or a signal arrives.
    func run() throws {
        let inbox = try SignalInbox(SignalInbox.endings)
        settle()
        var wasSet = SystemClock.reading().isSet
        if sinks.contains(where: { !$0.address.kind.isMQTT }) { try HTTPClient.open() }
        if sinks.contains(where: \.address.kind.isMQTT) { try MQTTSink.open() }
        let reports = try DeliveryRun(deliveries, database: database).run(
            try sinks.map(work), inbox
        ) {
            if deliveries.isInMemory { tellForgetful() }
            if !drains { output.note("Ctrl-C ends publishing.") }
        } passed: {
            let isSet = SystemClock.reading().isSet
            if isSet, !wasSet { settle() }
            wasSet = isSet
        } tell: { place, news in
            tell(news, of: sinks[place])
        }
        try finish(Array(zip(sinks, reports)))
    }

    /// Corrects trips that were recorded while the clock was not set, if this user may write the database.
    private func settle() {
        let reading = SystemClock.reading()
        guard let store = try? TripStore(path: database, access: .readOnly),
            (try? store.mayBeWrong(by: reading)) == true
        else { return }
        try? TripStore(path: database).settleClocks(output.note)
    }

    private func work(_ sink: ChosenSink) throws -> DeliveryRun.Work {
        let selection = try sink.selection(trips: trips)
        let deliveries = deliveries
        if sink.address.kind.isMQTT {
            let broker = try sink.broker(selection, database: database, drains: drains)
            return .init(name: sink.name, target: sink.address.text) { state, stop, wake in
                broker.run(deliveries, state, stop: stop, wake: wake)
            }
        }
        var lines = LineSink(
            name: sink.name, address: sink.address, setup: try sink.httpSetup(),
            selection: selection, database: database, drains: drains)
        if let every = sink.settings.every { lines.every = every }
        lines.heartbeat = sink.heartbeat(version: ObdscanCommand.configuration.version)
        return .init(name: sink.name, target: sink.address.text) { [lines] state, stop, wake in
            lines.run(deliveries, state, stop: stop, wake: wake)
        }
    }

    private func tell(_ news: DeliveryNews, of sink: ChosenSink) {
        switch news {
        case .fault(let fault): output.remark("\(sink.name): \(fault); it is tried again")
        case .works: output.remark("\(sink.name): it works again")
        case .forgetful: tellForgetful()
        case .command(let words): output.remark("\(sink.name): \(words)")
        case .refused(let count):
            let item = sink.address.kind.item
            output.remark(
                "\(sink.name): \(counted(count, "\(item.one) was", "\(item.several) were")) refused so far; "
                    + "\"obdscan publish status --refused\" shows why")
        case .ended(let end):
            if sinks.count > 1, let failure = end.explanation(of: sink).map({ Failure($0) }) {
                tellOnStandardError(failure.text)
            }
        }
    }

    private func tellForgetful() {
        output.remark("\(deliveries.path) cannot be written: after a restart more is sent again")
    }

    /// Why nothing was delivered to some sinks; nil if each took something, or had nothing to take.
    static func refusal(by ended: [(sink: ChosenSink, report: SinkReport)]) -> Failure? {
        let words = ended.compactMap { sink, report -> String? in
            let (item, refused) = (sink.address.kind.item, report.refused)
            guard refused > 0, report.delivered == 0 else { return nil }
            return refused == 1
                ? "\(sink.name) refused the only \(item.one)"
                : "\(sink.name) refused all \(refused) \(item.several)"
        }
        if words.isEmpty { return nil }
        return Failure(
            words.joined(separator: "; "),
            hint: "\"obdscan publish status --refused\" shows why", status: .badConfiguration)
    }

    private func finish(_ ended: [(sink: ChosenSink, report: SinkReport)]) throws {
        var writer = TextOutput.standard
        var printer = RowPrinter(DeliveryRows.published, output.form)
        for (sink, report) in ended where !output.quiet || output.format != .text {
            try writer.print((sink.name, sink.address.text, report), &printer)
        }
        try writer.finish(&printer)
        try writer.flush()
        for (_, report) in ended { output.tell(report.held) }
        let worst = ended.lazy.compactMap { sink, report in
            report.end?.explanation(of: sink).map { Failure($0) }
        }.first
        if let worst { throw ended.count > 1 ? Failure.silent(worst.status) : worst }
        guard drains else { return }
        if let refusal = Self.refusal(by: ended) { throw refusal }
        if ended.contains(where: { $0.report.held.count > 0 }) { throw Failure.silent(.timedOut) }
    }
}

extension OutputOptions {
    /// Lists the trips that are not delivered, with the reason.
    func tell(_ held: HeldTrips) {
        if held.withoutName > 0 {
            let trips = counted(held.withoutName, "trip")
            note(
                "not delivered: \(trips) of a vehicle without a VIN and a name; "
                    + "\"obdscan config set aliases.NAME DEVICE\" names the vehicle of a device, and --trip NUMBER "
                    + "--id NAME delivers one under a name")
        }
        if held.withoutVIN > 0 {
            note(
                counted(
                    held.withoutVIN, "trip that is being recorded has",
                    "trips that are being recorded have") + " no VIN yet")
        }
        if held.withoutClock > 0 {
            note(
                "\(counted(held.withoutClock, "trip was", "trips were")) not delivered, because the times may be "
                    + "wrong: \"obdscan trips shift NUMBER --by TIME\" puts one right, --trip NUMBER delivers one anyway"
            )
        }
        if held.imported > 0 {
            note(
                "not delivered: \(counted(held.imported, "imported trip")); --trip NUMBER delivers one"
            )
        }
    }
}
