import CSystem
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import TripRecorder
import VehicleScan

/// The full-screen view at work: takes batches, events, keys and signals, draws frames.
package struct LiveScreen: ~Copyable {
    let connection: Vehicle
    private let queue: BatchQueue
    private let signals: SignalInbox
    var setup: PollSetup
    let form: OutputForm
    /// The texts of codes, and what explains them.
    let codeWords: () throws -> CodeWords
    private var news: PollNews
    /// The time at which the notice in the head was reported by the adapter; nil for other notices.
    private var reported: Instant?
    let period: Duration?
    private let until: Instant?
    let view: LiveView
    var model: LiveModel
    var terminal = Terminal()
    private var painter = ScreenPainter()
    private var batches: [ReadingBatch] = []
    private var events: [(time: Instant, event: ScanEvent)] = []
    private let lightSignals: LightSignals
    /// Finds out the VIN of the vehicle.
    private var identity: VINQuery?
    private var bell: AlarmNotifier?
    /// Records trips.
    let trip: LiveTrip
    /// The trips that a key ended.
    package var ended: [TripSwitch.Ended] = []
    /// Reads the codes of trips; nil = they are not read.
    private var codes: CodeWatch?
    /// How the view ends after the last codes, and when in any case; nil = it goes on.
    private var leaving: (end: PollLoop.End, deadline: Instant)?
    private var raised = RaisedAlarms()
    private var rings = false
    /// Signals that the user added, with any kind of value.
    var extra: Set<SignalIndex> = []
    /// The packs that a vehicle may choose by its VIN.
    private let automatic: [TablePack]
    /// The packs of this vehicle, once its VIN is known.
    var packs: [TablePack] = []
    /// Tells whether the table fits what is heard; nil = the vehicle is asked.
    private let heard: HeardFrames?
    /// Batches that arrived faster than the screen could be drawn.
    package private(set) var dropped = 0

    /// The shortest time between two frames.
    private static let framePause = Duration.milliseconds(100)
    /// Ages and rates change even without new data.
    private static let idlePause = Duration.seconds(1)

    /// A view of the signals that `setup` polls.
    ///
    /// - Parameters:
    ///   - queue: delivers the readings.
    ///   - signals: those that concern the terminal.
    ///   - until: when the view ends by itself; nil = never.
    ///   - bell: watches for alarms; nil = nothing does.
    ///   - period: how often a signal that the user adds is asked for; nil = as often as it goes.
    ///   - trip: records trips at the same time.
    ///   - heard: tells whether the table fits what is heard; nil = the vehicle is asked.
    ///   - automatic: the packs whose signals the user may add if the VIN chooses them.
    package init(
        _ connection: Vehicle, queue: BatchQueue, signals: SignalInbox, setup: PollSetup,
        form: OutputForm, codeWords: @escaping () throws -> CodeWords, until: Instant?,
        bell: AlarmNotifier?,
        every period: Duration?, trip: LiveTrip, automatic: [TablePack],
        heard: HeardFrames?
    ) {
        self.heard = heard
        self.automatic = automatic
        self.trip = trip
        self.form = form
        self.codeWords = codeWords
        news = PollNews(accessory: connection.accessory)
        self.period = period
        self.bell = bell
        self.connection = connection
        self.queue = queue
        self.signals = signals
        self.setup = setup
        self.until = until
        view = LiveView(
            palette: Palette(isOn: form.palette.isOn), isASCII: form.palette.isASCII)
        model = LiveModel(
            units: form.units, start: SystemClock.now(), order: setup.order(connection.table),
            constants: setup.named.isEmpty ? DriverSignals.constants(connection.table) : [])
        model.levels = .embedded
        lightSignals = LightSignals(connection.table)
        model.header.accessory = connection.accessory
        for signal in setup.named { model.expect(signal, connection.table[signal]) }
    }

    /// Shows the view until its end; then the terminal is as before and the session has ended.
    package mutating func run() throws -> PollLoop.End {
        trip.notices.viewBegins()
        defer { trip.notices.viewEnds() }
        try terminal.enter()
        defer { terminal.leave() }
        let end = try show()
        // What happened just before the end belongs to the trip, too.
        _ = takeEvents()
        terminal.leave()
        // A second Ctrl-C ends the process at once, unless another view follows.
        if end.isLast { SignalInbox.letEndingsThrough() }
        connection.scan.stop()
        return end
    }

    private mutating func show() throws -> PollLoop.End {
        takeLink()
        try draw()
        if !setup.listens {
            identity = VINQuery(connection, by: setup.profiles)
            codes = trip.trips.codes(connection, by: setup.profiles)
        }
        var lastFrame = SystemClock.now()
        var isDirty = true
        while true {
            var waiting = WaitList()
            let endings = waiting.add(connection.interrupt)
            let screen = waiting.add(signals.descriptor)
            let news = waiting.add(connection.scan.eventDescriptor)
            let readings = waiting.add(queue.descriptor)
            let name = identity?.descriptor.map { waiting.add($0) }
            let keys = terminal.keys.map { waiting.add($0) }
            let asked = codes?.descriptors.map { waiting.add($0) } ?? []
            let moment = waiting.add(trip.trips.markDescriptor)
            let words = waiting.add(trip.notices.descriptor)
            waiting.add(deadline: leaving?.deadline ?? until)
            waiting.add(deadline: mayAskCodes ? codes?.deadline : nil)
            waiting.add(deadline: lastFrame + (isDirty ? Self.framePause : Self.idlePause))
            waiting.wait()

            if waiting.isReady(endings), connection.inbox?.next() != nil,
                let end = leave(.stopped)
            {
                return end
            }
            if waiting.isReady(screen) {
                try takeSignals()
                isDirty = true
            }
            if let keys, waiting.isReady(keys) {
                if try takeKeys(), let end = leave(.stopped) { return end }
                isDirty = true
            }
            if waiting.isReady(readings) {
                takeReadings()
                isDirty = true
            }
            if let name, waiting.isReady(name) {
                switch identity?.take() {
                case .vehicle(let vin):
                    model.header.vehicle = vin.text
                    trip.trips.take(vin)
                    packs = automatic.filter { $0.vehicles.contains { $0.matches(vin) } }
                    isDirty = true
                case .names: isDirty = true
                case .other(let vin, let lost): return .otherVehicle(vin, lost: lost)
                case nil: break
                }
                model.names = connection.ecuNames
            }
            if waiting.isReady(moment) { trip.trips.takeMarks() }
            let mayAsk = mayAskCodes
            if asked.contains(where: waiting.isReady) { codes?.take(mayAsk: mayAsk) }
            if waiting.isReady(words) {
                takeNotices()
                isDirty = true
            }
            if waiting.isReady(news) {
                if let end = takeEvents() { return end }
                isDirty = true
            }
            let now = SystemClock.now()
            if mayAskCodes, leaving == nil { codes?.beginIfDue(now: now) }
            try recordLater()
            if let until, now >= until, leaving == nil, let end = leave(.duration) { return end }
            if let leaving, codes?.isReading != true || now >= leaving.deadline {
                return leaving.end
            }
            if now >= lastFrame + (isDirty ? Self.framePause : Self.idlePause) {
                try draw()
                lastFrame = now
                isDirty = false
            }
        }
    }

    /// Whether the vehicle is known to be the one of the trip.
    private var mayAskCodes: Bool { identity?.isChecking != true }

    /// The end, unless the trip's codes have to be read for the last time before; the second time, they
    /// have not.
    private mutating func leave(_ end: PollLoop.End) -> PollLoop.End? {
        guard leaving == nil, mayAskCodes else { return end }
        let now = SystemClock.now()
        codes?.beginLast(now: now)
        guard codes?.isReading == true else { return end }
        connection.scan.pausePoll()
        leaving = (end, now + PollLoop.longestLastRead)
        model.say("reading the trip's codes once more; q quits at once", at: now)
        return nil
    }

    /// Draws a frame with a single write, unless nothing changed or the terminal has not accepted
    /// the last one.
    mutating func draw() throws(OutputError) {
        guard try terminal.isReady() else { return }
        model.header.state = connection.scan.state
        if let text = heard?.news(at: SystemClock.now()) { model.header.notice = text }
        model.header.asksNothing = !setup.asksForSignals && !setup.hears
        model.header.recording = trip.shown
        let size = terminal.size
        let lines = view.render(model, at: SystemClock.now(), size: size)
        let text = painter.paint(lines, size: size) + (rings ? "\u{07}" : "")
        rings = false
        if !text.isEmpty { try terminal.write(text) }
    }

    private mutating func takeReadings() {
        dropped += queue.take(&batches)
        // The others wait until it is known which vehicle they are of.
        let known = batches.prefix { !connection.doubt.concerns($0.answered) }
        batches.removeFirst(known.count)
        let asked = Set(setup.wants.map(\.dataID))
        for batch in known {
            // What ECUs send by themselves took no request.
            if !setup.hearsFrames || batch.answered > batch.asked {
                model.exchanged(batch.answered - batch.asked, at: batch.answered)
            }
            if let voltage = batch.voltage {
                model.header.voltage = voltage
                if setup.showsVoltage(connection.table),
                    let signal = connection.table.adapterVoltage
                {
                    let reading = Reading(
                        ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [],
                        line: 0)
                    model.apply(reading, connection.table[signal], at: batch.answered)
                }
            }
            for case .reading(let reading) in batch.items {
                if let time = reported, batch.answered - time >= ScanEvent.reportPause {
                    model.header.notice = nil
                    reported = nil
                }
                takeLight(reading, at: batch.answered)
                guard shows(reading, asked) else { continue }
                model.apply(reading, connection.table[reading.signal], at: batch.answered)
            }
            for reading in lightSignals.readings(ofDM1In: batch) {
                takeLight(reading, at: batch.answered)
            }
            for message in batch.messages {
                if let lamps = message.lamps {
                    model.takeLamps(lamps, of: message.ecu, at: batch.answered)
                }
            }
            if model.hasEmptyRows {
                for signal in setup.missed(in: batch, connection.table) { model.missed(signal) }
            }
            watch(batch)
        }
        if let bell { model.mark(where: bell.watch.isRaised) }
    }

    private mutating func takeLight(_ reading: Reading, at time: Instant) {
        switch reading.value {
        case .flag(let isOn) where reading.signal == lightSignals.light:
            model.takeLight(isOn, of: reading.ecu, at: time)
        case .number(let count) where reading.signal == lightSignals.codes:
            model.takeCodes(Int(count), of: reading.ecu)
        default: break
        }
    }

    private mutating func watch(_ batch: ReadingBatch) {
        let heard = bell?.news(of: batch) ?? []
        for (news, _) in heard {
            let metric = connection.table[news.signal].unit
            let unit = form.units.conversion(from: metric)?.unit ?? metric
            raised.take(news, unit: unit, at: connection.utc(batch.answered))
            rings = rings || news.isRaised
        }
        if !heard.isEmpty { model.header.alarm = raised.text }
    }

    /// Whether a reading has or gets a row; see ``PollSetup/shows(_:asked:hasRow:)``.
    private func shows(_ reading: Reading, _ asked: Set<DataID>) -> Bool {
        if let only = setup.onlyECU, let ecu = reading.ecu, ecu != only, !reading.isHeardFrame {
            return false
        }
        // Values of a freeze frame are not current.
        if reading.frame != nil || reading.dtc != nil { return false }
        return extra.contains(reading.signal)
            || setup.shows(reading, asked: asked, hasRow: model.shows(reading))
    }

    private mutating func takeEvents() -> PollLoop.End? {
        events.removeAll(keepingCapacity: true)
        connection.scan.nextEvents(&events)
        for (time, event) in events {
            // Events on the new link belong to a vehicle that is not known yet.
            identity?.note(event, at: time)
            trip.trips.take(event, at: time)
            codes?.note(event)
            if case .scanDidRest = event { model.header.isResting = true }
            switch event {
            case .toolDidInitialize, .scanDidStart, .scanDidWake:
                model.header.isResting = false
                model.header.loss = nil
                model.header.notice = nil
                takeLink()
            case .toolDidDisconnect(let error?):
                lose(because: .accessory(error), at: time)
            case .toolDidFailToInitialize(let failure):
                lose(because: .initialisation(failure), at: time)
            case .toolDidReport(let status):
                model.header.notice = news.text(of: status)
                reported = time
            case .pollDidFinish where setup.wants.isEmpty && !setup.listens: continue
            case .pollDidFinish: return .finished
            case .sessionDidEnd(let error): return .failed(error ?? .stopped)
            case .scanDidPause, .scanDidCancel, .scanDidRest, .toolDidConnect,
                .toolDidDisconnect(nil), .toolWillSleep, .didSendCommand, .didReceiveResponses,
                .didReceiveUnasked,
                .didReceiveVoltage, .didTimeOut, .didNotSend, .didReceiveError, .didChangeState,
                .recordingFailed, .didProgress, .didLoseFrames, .didLoseEvents:
                if let note = news.note(event) {
                    model.header.notice = note
                    reported = nil
                }
            }
        }
        return nil
    }

    private mutating func lose(because error: ScanError, at time: Instant) {
        model.header.loss = LiveModel.Loss(
            VehicleLoss(error, at: connection.accessory),
            since: model.header.loss?.start ?? time,
            reason: error.explanation(at: connection.accessory).message)
        model.header.notice = nil
        reported = nil
    }

    /// Shows the state of storing, and marks set from outside.
    private mutating func takeNotices() {
        for news in trip.notices.take() {
            switch news.kind {
            case .trouble: model.header.storing = news.text
            case .mended:
                model.header.storing = nil
                model.say(news.text, at: SystemClock.now())
            case .other: model.say(news.text, at: SystemClock.now())
            }
        }
    }

    private mutating func takeLink() {
        guard let link = connection.scan.link else { return }
        model.header.adapter = link.title
        model.names = connection.ecuNames
        model.header.vehicleProtocol = link.capabilities.vehicleProtocol?.title
        model.header.voltage = model.header.voltage ?? link.voltage
    }

    private mutating func takeSignals() throws {
        while let number = signals.next() {
            try terminal.take(signal: number)
            // Each frame asks for the size, so that a redraw is enough.
            painter.forget()
        }
    }
}
