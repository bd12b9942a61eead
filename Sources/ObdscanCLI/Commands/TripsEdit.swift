import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import SystemIO
import TripStore

struct TripsSplitCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Split a trip in two, or at every stop.",
        discussion: """
            --at splits at one point in time. --gap splits where no ECU answered for this time, \
            and --standstill where speed and engine speed were 0 for this time before the vehicle \
            moved on; these are the rules of log --until-off. Raw data is not changed: obdscan \
            trips undo reverts the split.

            \(Self.ruleText)

            EXAMPLES
              obdscan trips split 12 --at +25m
              obdscan trips split 12 --at 2026-11-21T08:40:00
              obdscan trips split 12 --gap 10m --standstill 15m
            """)

    @Argument(help: ArgumentHelp("The trip's number or name.", valueName: "trip"))
    var trip: TripReference

    @Option(
        help: ArgumentHelp(
            "Split here: +25m after the start, or 2026-11-25T15:43.", valueName: "time"))
    var at: TripMoment?

    @Option(
        help: ArgumentHelp("Split where no ECU answered for this time.", valueName: "time"))
    var gap: DurationArgument?

    @Option(
        help: ArgumentHelp("Split where the vehicle stood still for this time.", valueName: "time"))
    var standstill: DurationArgument?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("choose where to split: --at TIME, --gap TIME or --standstill TIME") {
            $0.at == nil && $0.gap == nil && $0.standstill == nil
        },
        OptionRule("--at splits once: leave --gap and --standstill out") {
            $0.at != nil && ($0.gap != nil || $0.standstill != nil)
        },
    ]

    func run() throws {
        let store = try database.open(.readWrite)
        let id = try trip.number(in: store)
        var parts = [id]
        if let at {
            let start = try store.trip(id).start
            let time = try at.time(since: start)
            parts.append(
                try edited { () throws(TripEditFault) in try store.splitTrip(id, at: time) })
        } else {
            let rule = TripEndRule.Limits(
                silence: gap?.duration, standstill: standstill?.duration)
            parts += try edited { () throws(TripEditFault) in try store.splitTrip(id, by: rule) }
            if parts.count == 1 { output.note("Trip \(id) has no such stop. Nothing was split.") }
        }
        try print(parts, of: store, output)
    }
}

struct TripsJoinCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join trips that follow each other into one.",
        discussion: """
            The joined trip has the number of the earliest one, and the tags and notes of all. \
            Either all are joined or none; obdscan trips undo reverts it.

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
        let parts = try ids.map { try store.trip($0) }.sorted { $0.anchor.utc < $1.anchor.utc }
        let joined = try edited { () throws(TripEditFault) in try store.joinTrips(ids) }
        let pauses = zip(parts, parts.dropFirst()).map { part, next in
            Double(next.anchor.utc.microseconds &- part.end.microseconds) / 1e6
        }
        if let longest = pauses.max(), longest >= 600 {
            output.note(
                "The pause of \(durationText(longest)) between them is a part of the trip now. "
                    + "\"obdscan trips undo\" splits them again.")
        }
        try print([joined], of: store, output)
    }
}

/// The length of a shift: `+2d`, `-90s`.
struct ShiftArgument: ExpressibleByArgument, Hashable, Sendable {
    var duration: Duration

    init?(argument: String) {
        let sign = argument.prefix { "+-".contains($0) }
        let text = argument.dropFirst(sign.count)
        guard sign.count < 2, let length = text == "0s" ? .zero : Duration(text: String(text))
        else { return nil }
        duration = sign == "-" ? .zero - length : length
    }
}

struct TripsShiftCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "shift", abstract: "Move the times of trips whose clock was wrong.",
        discussion: """
            A machine without a battery clock continues from its last shutdown until the network or \
            satellites set its clock. obdscan marks the trips of that time, and puts them right \
            when the clock is set before the next boot. This command corrects the other trips, and \
            publish then delivers them. --by 0s accepts the times as they are. Points that \
            were delivered before stay in the engine with their old times, and publish delivers the \
            trip again with the new ones. obdscan trips undo reverts the shift.

            EXAMPLES
              obdscan trips shift 12 13 --by +2d
              obdscan trips shift 12 --by -1h30m
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips.", valueName: "trip"))
    var trips: [TripReference]

    @Option(
        name: .customLong("by"), parsing: .unconditional,
        help: ArgumentHelp("Move them by this time: +2d, -1h30m.", valueName: "time"))
    var step: ShiftArgument

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        let ids = try trips.map { try $0.number(in: store) }
        try mapped { () throws(StoreError) in try store.shiftTrips(ids, by: step.duration) }
        let now = SystemClock.utc
        let early = try ids.filter { try store.trip($0).end > now }
        if !early.isEmpty {
            output.note(
                "By the clock of this machine, \(counted(early.count, "trip ends", "trips end")) in the future now: "
                    + early.map(String.init).joined(separator: ", ")
                    + "; \"obdscan trips undo\" reverts the shift")
        }
        try print(ids, of: store, output)
    }
}

struct TripsDeleteCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete trips with all their readings.",
        discussion: """
            Deleted trips are hidden. obdscan trips undo restores them until obdscan db compact \
            returns their space to the disk. With --purge they are erased at once.

            EXAMPLES
              obdscan trips delete 12 13
              obdscan trips delete 12 --purge --yes
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips.", valueName: "trip"))
    var trips: [TripReference]

    @Flag(help: "Erase for good; this cannot be undone.")
    var purge = false

    @Flag(help: "Delete also trips that publish has not delivered yet.")
    var force = false

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
            return try store.trip(id)
        }
        if !force { try store.checkThatSinksHave(summaries.map(\.id)) }
        if !yes {
            var writer = TextOutput.standard
            var printer = TripPrinter(output.form)
            for summary in summaries { try printer.print(summary, &writer) }
            try printer.finish(&writer)
            let question = purge ? "Delete them for good?" : "Delete them?"
            try Confirmation(word: "delete").require(question, otherwise: "nothing was deleted")
        }
        if purge {
            for summary in summaries {
                try store.deleteTrip(summary.id)
            }
        } else {
            try store.deleteTrips(summaries.map(\.id))
        }
        let numbers = summaries.map(\.number).joined(separator: ", ")
        output.note(
            "Deleted: \(numbers)"
                + (purge ? ", for good." : "; \"obdscan trips undo\" restores them."))
    }
}

struct TripsUndoCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last split, join, shift or delete.",
        discussion: """
            Run it again to undo the change before.

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
        case .shift:
            let trips = ([edit.trip] + edit.others).map(TripSummary.text(ofNumber:))
            output.note(
                trips.count == 1
                    ? "Trip \(trips[0]) has its old times again."
                    : "Trips \(trips.joined(separator: ", ")) have their old times again.")
        case .delete, .expire:
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
        try printer.print(try store.trip(id), &writer)
    }
    try printer.finish(&writer)
}

/// Runs `body` and converts its errors to messages.
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
        case .between(let trip, let joined):
            let all = (joined.dropLast() + [trip] + joined.suffix(1)).map(String.init)
            throw Failure(
                "trip \(trip) lies between them",
                hint: "join it, too: obdscan trips join " + all.joined(separator: " "),
                status: .usage)
        case .clock(let trip):
            throw Failure(
                "the clock was not set when trip \(trip) was recorded",
                hint: "\"obdscan trips shift \(trip) --by 0s\" accepts its times, +2d moves them",
                status: .usage)
        case .vehicles(let first, let second):
            throw Failure(
                "trips \(first) and \(second) are of two vehicles",
                hint: "\"obdscan trips list\" shows the vehicle of each trip", status: .usage)
        case .outside(let trip):
            throw Failure(
                "the point lies outside trip \(trip)",
                hint: "\"obdscan trips show \(trip)\" shows when it was", status: .usage)
        case .nothingToUndo:
            throw Failure(
                "there is nothing to undo",
                hint: "splits, joins, shifts and deletions can be undone until db compact",
                status: .usage)
        }
    }
}
