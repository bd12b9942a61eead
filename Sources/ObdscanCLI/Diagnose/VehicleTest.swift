import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// The live test of `obdscan diagnose`: records a trip while the coach says what to do.
struct VehicleTest {
    let course: Coach.Course
    let isAutomatic: Bool
    /// The program that speaks; nil = none.
    let say: String?
    let vehicle: VehicleOptions
    let table: PIDTable
    let output: OutputOptions
    let knowledge: DriveKnowledge
    let inbox: SignalInbox
    let trip: TripRecording.Plan
    /// Packs that the vehicle may choose.
    let packs: [TablePack]

    struct Outcome {
        /// The number of the trip.
        var trip: Int64
        var steps: [Coach.Result]
        /// Why the test was broken off; nil = it was not.
        var broken: String?
        /// Why the link failed; nil = it did not.
        var failure: Failure?
    }

    /// Tests until the coach or the user ends it.
    ///
    /// - Throws: Why no trip could begin, or an error of printing.
    func run() throws -> Outcome {
        let sink = try TripSink()
        let queue = try BatchQueue(full: .refuse)
        let lights = try LightChanges(table)
        let needs = SessionNeeds(
            sinks: [sink, queue, lights], reconnect: .always, inbox: inbox)
        var outcome: Outcome?
        try withVehicle(vehicle, output, table, needs) { connection in
            outcome = try test(connection, sink, queue, lights)
        }
        guard let outcome else { throw Failure.silent(.timedOut) }
        return outcome
    }

    private func test(
        _ connection: Vehicle, _ sink: TripSink, _ queue: BatchQueue, _ lights: LightChanges
    ) throws -> Outcome {
        let readings = TestReadings(connection.table, knowledge)
        let services = try connection.services()
        guard !services.profiles.contains(.j1939) else {
            throw Failure(
                "\(connection.accessory): vehicles with SAE J1939 have no live test",
                hint: "\"obdscan dtc\" reads their codes", status: .unavailable)
        }
        var setup = try PollSetup.make([], oilPressure(connection), connection, every: nil)
        readings.choose(&setup)
        setup.watchLight(connection)
        let kind = Coach.Kind(
            fuelType: try fuelType(connection, services),
            hasEngineSpeed: readings.has(.engineSpeed, in: setup))
        let plan = Coach.Plan(
            course, kind, isAutomatic: isAutomatic,
            usesMiles: output.units.conversion(from: "km/h") != nil)
        var coach = Coach(plan)
        let (end, number) = try TripRecording.run(trip, on: connection, from: sink) { notice in
            if let news = TripNews(notice) { output.remark(news.text) }
        } body: { recording in
            output.remark(
                "Trip \(recording.number) is being recorded in \(trip.store.path); Ctrl-C ends it.")
            var counters: Set<UInt8> = []
            if course != .battery, let end = readMonitors(connection, services, &counters) {
                return end
            }
            let run = try TestRun(self, plan, readings, setup, connection, recording)
            defer { run.end() }
            let end = try run.poll(queue, lights, counters.sorted())
            coach = run.coach
            return end
        }
        var failure: Failure?
        if case .failed(let error) = end { failure = Failure(error, at: connection.accessory) }
        return Outcome(
            trip: number, steps: coach.results,
            broken: coach.isOver ? coach.broken?.text : end.reasonOfBreak,
            failure: failure)
    }

    /// The record of the oil pressure, if a pack is for this vehicle and the vehicle answers.
    private func oilPressure(_ connection: Vehicle) throws -> [PIDTable.Record] {
        guard course != .battery,
            let signal = try? SignalNames(connection.table).find(SignalRole.oilPressure.rawValue)
        else { return [] }
        return try ChosenPacks(packs, connection, isWanted: false, only: [signal]).records
    }

    /// Reads the results of monitors, which reach the trip as the answers of a poll do.
    ///
    /// - Parameter counters: gets the monitors that count misfires.
    /// - Returns: How the test ends already; nil = it goes on.
    private func readMonitors(
        _ connection: Vehicle, _ services: VehicleServices, _ counters: inout Set<UInt8>
    ) -> PollLoop.End? {
        do {
            for result in try connection.monitorTests(in: services) {
                counters.formUnion(TestReadings.misfires(in: result.answer.items).map(\.monitor))
            }
        } catch .session(.interrupted) {
            _ = inbox.next()
            inbox.letMoreThrough()
            return .stopped
        } catch .session(let error) {
            return .failed(error)
        } catch {
            output.remark(Failure(error, at: connection.accessory).message)
        }
        return nil
    }

    /// The code of PID 51; nil if no ECU reports it.
    private func fuelType(_ connection: Vehicle, _ services: VehicleServices) throws -> Int? {
        for asked in try connection.ask(.currentData([0x51]), in: services) {
            for case .reading(let reading) in asked.answer.items
            where connection.table[reading.signal].id == "FUEL_TYP" {
                if case .label(let code) = reading.value { return Int(exactly: code) }
            }
        }
        return nil
    }
}

extension PollLoop.End {
    /// Why a test was broken off that its coach did not end.
    fileprivate var reasonOfBreak: String {
        switch self {
        case .stopped: "Ctrl-C, or another signal."
        case .failed, .linkStaysLost, .vehicleStaysSilent: "the link was lost."
        case .otherVehicle: "the adapter is in another vehicle now."
        case .duration, .finished, .vehicleOff, .vehicleRests, .vehicleIsOn: "the poll ended."
        }
    }
}

/// The coach at work: its readings, its voice, and what is asked for its steps.
private final class TestRun {
    private(set) var coach: Coach
    private var readings: TestReadings
    private let test: VehicleTest
    private let setup: PollSetup
    private let connection: Vehicle
    private let recording: TripRecording
    private let voice: SpokenVoice?
    private let voiceThread: SystemThread?
    private let isWatched: Bool
    private var text = TextOutput.standard
    /// When the codes were last asked for, and after how many pulls of the step.
    private var asked: (at: Instant, pulls: Int) = (.zero, 0)
    /// What the present plan is for.
    private var planned: (step: CoachStep?, voltageOnly: Bool)?

    init(
        _ test: VehicleTest, _ plan: Coach.Plan, _ readings: TestReadings, _ setup: PollSetup,
        _ connection: Vehicle, _ recording: TripRecording
    ) throws {
        self.test = test
        self.readings = readings
        self.setup = setup
        self.connection = connection
        self.recording = recording
        coach = Coach(plan)
        isWatched = StatusLine.isWatched(test.output)
        let output = test.output
        voice = try test.say.map { command throws(SystemError) in
            try SpokenVoice(command) { output.remark("--say: \($0).") }
        }
        voiceThread = try voice?.start()
        // The trip began before its codes and tests were read, and the first step begins now.
        coach.advance(to: time(SystemClock.now()))
    }

    /// Codes are read again so often at steady speed and between pulls.
    private static let codePause = Duration.seconds(25)

    /// Waits until the last sentences of the coach are spoken, unless the user has stopped the test.
    func end() {
        voice?.end(atOnce: !coach.isOver)
        voiceThread?.join()
    }

    private func time(_ instant: Instant) -> Int64 {
        (instant - recording.start).nanoseconds / 1_000
    }

    func poll(
        _ queue: BatchQueue, _ lights: LightChanges, _ counters: [UInt8]
    ) throws -> PollLoop.End {
        var loop = PollLoop(
            connection, queue: queue, until: nil,
            identity: VINQuery(connection, by: setup.profiles))
        if test.course != .battery {
            loop.codes = CodeWatch(
                connection, by: setup.profiles, lights,
                // Nothing comes between two voltages while the starter turns.
                isWanted: { self.coach.step.map { ![.ignition, .start].contains($0) } ?? true },
                and: counters.map { .monitorTests($0) },
                answered: { result in
                    self.readings.feed(
                        misfiresIn: result.answer.items, at: result.answer.answered,
                        since: self.recording.start, to: &self.coach)
                },
                found: { list in
                    self.recording.take(list)
                    self.readings.feed(list, since: self.recording.start, to: &self.coach)
                })
        }
        loop.isOver = { self.coach.isOver }
        var recording = recording
        var news = PollNews(accessory: connection.accessory)
        try follow(lights)
        return try loop.run(every: .milliseconds(200)) {
            coach.advance(to: time(SystemClock.now()))
            try follow(lights)
            showProgress()
        } vehicle: { vin in
            recording.take(vin)
        } event: { time, event in
            recording.take(event, at: time)
            if let words = news.note(event) {
                if isWatched { StatusLine.clear() }
                test.output.remark(words)
            }
        } batch: { batch in
            if batch.answered < recording.start { return }
            readings.feed(batch, since: recording.start, to: &coach)
            try follow(lights)
        }
    }

    /// Says what the coach says, and asks for what its step needs.
    private func follow(_ lights: LightChanges) throws {
        for sentence in coach.takeSentences() { try say(sentence) }
        guard !coach.isOver else { return }
        let now = (step: coach.step, voltageOnly: coach.wantsVoltageOnly)
        let isNew = now.step != planned?.step
        if isNew || isCodeReadDue {
            // A misfire may have become pending, which no light shows.
            lights.beginAgain()
            asked = (SystemClock.now(), coach.pulls)
        }
        if let planned, planned == now { return }
        if isNew, let step = now.step { recording.note(TestedSteps.note(step)) }
        planned = now
        connection.scan.poll(readings.plan(setup, for: coach))
    }

    /// Whether to read the codes within a step; in a pull each reading of the engine counts more.
    private var isCodeReadDue: Bool {
        guard let step = coach.step, [.cruise, .pull].contains(step), !coach.isPulling else {
            return false
        }
        return coach.pulls > asked.pulls || SystemClock.now() - asked.at >= Self.codePause
    }

    private func say(_ sentence: Coach.Sentence) throws {
        if isWatched { StatusLine.clear() }
        voice?.say(sentence.text, isUrgent: sentence.isUrgent)
        guard test.output.format == .text else { return test.output.remark(sentence.text) }
        guard isatty(STDOUT_FILENO) == 1 else {
            try text.write(sentence.text + "\n")
            return try text.flush()
        }
        // The bell calls a user who does not look at the screen.
        let bell = voice == nil ? "\u{07}" : ""
        let style: Style = sentence.isUrgent ? .warning : .bold
        try text.write("\n  \(test.output.palette()(style, sentence.text))\(bell)\n")
        try text.flush()
    }

    private func showProgress() {
        guard isWatched, let progress = coach.progress else { return }
        let share = progress.wanted > 0 ? progress.held / progress.wanted : 0
        let filled = Int(share * 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
        var words = [
            "[\(bar)]", "\(fixed(progress.held, 0)) of \(fixed(progress.wanted, 0)) s",
            progress.step.name,
        ]
        if let speed = progress.engineSpeed { words.append("\(fixed(speed, 0)) rpm") }
        if let hint = progress.hint { words.append(hint) }
        StatusLine.show(words.joined(separator: "  "))
    }
}
