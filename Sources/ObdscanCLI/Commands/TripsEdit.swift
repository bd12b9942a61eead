import ArgumentParser
import OBDCore
import SystemIO
import TripExport
import TripReports
import TripStore

/// `obdscan trips split`.
struct TripsSplitCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Cut a trip in two, or wherever it had ended.",
        discussion: """
            With --at at one point in time. With --gap wherever no ECU answered for so long, with \
            --standstill wherever speed and engine speed had been 0 for so long and the vehicle \
            then moved on; both are the rules of log --until-off. Raw data stays as it is: \
            obdscan trips undo takes the cut back.

            EXAMPLES
              obdscan trips split 12 --at +25m
              obdscan trips split 12 --at 2026-11-21T08:40:00
              obdscan trips split 12 --gap 10m --standstill 15m
            """)

    @Argument(help: ArgumentHelp("The trip's number or name.", valueName: "trip"))
    var trip: TripReference

    @Option(
        help: ArgumentHelp(
            "Cut here: +25m after the start, or a date and a time.", valueName: "time"))
    var at: TripMoment?

    @Option(
        help: ArgumentHelp("Cut wherever nothing was answered for so long.", valueName: "time"))
    var gap: DurationArgument?

    @Option(
        help: ArgumentHelp("Cut wherever it had stood still for so long.", valueName: "time"))
    var standstill: DurationArgument?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if at == nil && gap == nil && standstill == nil {
            throw ValidationError("say where to cut: --at TIME, --gap TIME or --standstill TIME")
        }
        if at != nil && (gap != nil || standstill != nil) {
            throw ValidationError("--at cuts once: leave --gap and --standstill out")
        }
    }

    func run() throws {
        let store = try database.open(.readWrite)
        let id = try trip.number(in: store)
        var parts = [id]
        if let at {
            let start = try mapped { () throws(StoreError) in try store.trip(id) }.start
            let time = try at.time(since: start)
            parts.append(
                try edited { () throws(TripEditFault) in try store.splitTrip(id, at: time) })
        } else {
            let rule = TripEndRule.Limits(
                silence: gap?.duration, standstill: standstill?.duration)
            parts += try edited { () throws(TripEditFault) in try store.splitTrip(id, by: rule) }
            if parts.count == 1 { output.note("Trip \(id) has no such place: nothing was cut.") }
        }
        try print(parts, of: store, output)
    }
}

/// `obdscan trips join`.
struct TripsJoinCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Make one trip of several that follow each other.",
        discussion: """
            The earliest trip's number stays; tags and notes of all are kept. All are joined or none; \
            obdscan trips undo takes it back.

            EXAMPLES
              obdscan trips join 12 13
            """)

    @Argument(help: ArgumentHelp("Two or more numbers or names.", valueName: "trip"))
    var trips: [TripReference]

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if trips.count < 2 { throw ValidationError("name at least two trips") }
    }

    func run() throws {
        let store = try database.open(.readWrite)
        let ids = try trips.map { try $0.number(in: store) }
        let joined = try edited { () throws(TripEditFault) in try store.joinTrips(ids) }
        try print([joined], of: store, output)
    }
}

/// `obdscan trips delete`.
struct TripsDeleteCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete trips with all their readings.",
        discussion: """
            Deleted trips are shown nowhere, but obdscan trips undo brings them back until obdscan \
            db compact gives their space to the disk. With --purge they are gone at once.

            EXAMPLES
              obdscan trips delete 12 13
              obdscan trips delete 12 --purge --yes
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips.", valueName: "trip"))
    var trips: [TripReference]

    @Flag(help: "For good: no undo.")
    var purge = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        let permission = WritePermission(yes: yes, force: true)
        try permission.checkThatSomebodyCanAnswer(for: "deleting trips")
        let summaries = try trips.map { trip in
            let id = try trip.number(in: store)
            return try mapped { () throws(StoreError) in try store.trip(id) }
        }
        if !yes {
            var writer = TextOutput.standard
            var printer = TripPrinter(output.form)
            for summary in summaries { try printer.print(summary, &writer) }
            try printer.finish(&writer)
            let question = purge ? "Delete them for good?" : "Delete them?"
            guard try Confirmation(word: "delete").ask(question, interruptedBy: -1)
            else { throw Failure(notConfirmedBy: "delete", "nothing was deleted") }
        }
        if purge {
            for summary in summaries {
                try mapped { () throws(StoreError) in try store.deleteTrip(summary.id) }
            }
        } else {
            try mapped { () throws(StoreError) in try store.deleteTrips(summaries.map(\.id)) }
        }
        let numbers = summaries.map { String($0.id) }.joined(separator: ", ")
        output.note(
            "Deleted: \(numbers)" + (purge ? ", for good." : "; obdscan trips undo brings back."))
    }
}

/// `obdscan trips undo`.
struct TripsUndoCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take the last split, join or delete back.",
        discussion: """
            Run again, it takes back the one before.

            EXAMPLES
              obdscan trips undo
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        let edit = try edited { () throws(TripEditFault) in try store.undoEdit() }
        let others = edit.others.map(String.init).joined(separator: ", ")
        switch edit.action {
        case .split: output.note("Trip \(edit.trip) is whole again, with \(others).")
        case .join: output.note("Trips \(edit.trip) and \(others) are two again.")
        case .delete:
            output.note(
                "Deleted trips are back: "
                    + ([edit.trip] + edit.others).map(String.init).joined(separator: ", ") + ".")
        }
        let shown = edit.action == .split ? [edit.trip] : [edit.trip] + edit.others
        try print(shown, of: store, output)
    }
}

/// Prints trips as `trips list` does.
private func print(_ ids: [Int64], of store: TripStore, _ output: OutputOptions) throws {
    var writer = TextOutput.standard
    var printer = TripPrinter(output.form)
    for id in ids {
        try printer.print(try mapped { () throws(StoreError) in try store.trip(id) }, &writer)
    }
    try printer.finish(&writer)
}

/// Runs `body` and says in our words why trips cannot be edited.
private func edited<Value>(_ body: () throws(TripEditFault) -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        switch error {
        case .store(let error): throw Failure(error)
        case .overlap(let first, let second):
            throw Failure(
                "trips \(first) and \(second) overlap",
                hint: "only trips that follow each other can be joined", status: .usage)
        case .vehicles(let first, let second):
            throw Failure(
                "trips \(first) and \(second) are of two vehicles",
                hint: "obdscan trips list shows whose they are", status: .usage)
        case .outside(let trip):
            throw Failure(
                "the point lies outside trip \(trip)",
                hint: "obdscan trips show \(trip) tells when it was", status: .usage)
        case .nothingToUndo:
            throw Failure(
                "there is nothing to take back",
                hint: "splits, joins and deletions can be, until db compact", status: .usage)
        }
    }
}
