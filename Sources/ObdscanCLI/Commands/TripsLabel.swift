import ArgumentParser
import OBDCore
import Publishing
import SystemIO
import TripStore

struct TripsNameCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "name", abstract: "Name a trip, or remove its name.",
        discussion: """
            Commands take the name instead of the number, and --keep never deletes a named trip.

            EXAMPLES
              obdscan trips name 12 "To the sea"
              obdscan trips name 12 ""
            """)

    @Argument(help: ArgumentHelp("The trip's number or name.", valueName: "trip"))
    var trip: TripReference

    @Argument(help: ArgumentHelp("The name; an empty one removes it.", valueName: "name"))
    var name: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try TripReference.check(name: name)
    }

    func run() throws {
        let store = try database.open(.readWrite)
        let id = try trip.number(in: store)
        try store.setName(name, ofTrip: id)
    }
}

struct TripsVehicleCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "vehicle", abstract: "Name a vehicle, or remove its name.",
        discussion: """
            Lists, reports and sinks show the name, and --vehicle takes it instead of the VIN.

            EXAMPLES
              obdscan trips vehicle 1HGCM82633A004352 "Van 1"
            """)

    @Argument(help: ArgumentHelp("The vehicle's VIN or name.", valueName: "vehicle"))
    var vehicle: String

    @Argument(help: ArgumentHelp("The name; an empty one removes it.", valueName: "name"))
    var name: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        switch try store.setName(name.trimmed, of: vehicle) {
        case .named: break
        case .mistaken(let other):
            throw Failure(
                "\"\(name)\" would be mistaken for \"\(other)\", another vehicle",
                hint: "choose a name with other letters (a to z) or digits", status: .usage)
        case .noVehicle:
            throw Failure(
                "no vehicle is called \"\(vehicle)\"",
                hint: "\"obdscan trips\" shows the vehicle of each trip", status: .usage)
        }
    }
}

extension TripStore {
    /// Names a vehicle, a VIN or a name, unless sinks could not distinguish the name from another vehicle's.
    func setName(_ name: String, of vehicle: String) throws(StoreError) -> Naming {
        // Sinks know vehicles by the simple letters and digits of their names.
        try setName(name, ofVehicle: vehicle) {
            $0 == $1 || PublishedName.slug($0) == PublishedName.slug($1)
        }
    }
}

struct TripsTagCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Add tags to a trip, or remove them.",
        discussion: """
            EXAMPLES
              obdscan trips tag 12 commute winter
              obdscan trips tag 12 winter --remove
            """)

    @Argument(help: ArgumentHelp("The trip's number or name.", valueName: "trip"))
    var trip: TripReference

    @Argument(help: ArgumentHelp("Words to find the trip by.", valueName: "tag"))
    var tags: [String]

    @Flag(help: "Remove these tags.")
    var remove = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        // An import may have stored tags that are not valid here; they can still be removed.
        if !remove { try TripReference.check(tags: tags) }
    }

    func run() throws {
        let store = try database.open(.readWrite)
        let id = try trip.number(in: store)
        let known = try store.trip(id).tags
        let rest = known.filter { !tags.contains($0) }
        try store.setTags(remove ? rest : rest + tags, ofTrip: id)
        if !remove { TripReference.doubt(tags, output) }
    }
}

struct TripsNoteCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Add a note to a trip, or to a moment of it.",
        discussion: """
            obdscan trips show prints notes.

            EXAMPLES
              obdscan trips note 12 "winter tyres"
              obdscan trips note 12 "rattles here" --at +12m30s
            """)

    @Argument(help: ArgumentHelp("The trip's number or name.", valueName: "trip"))
    var trip: TripReference

    @Argument(help: ArgumentHelp("The note.", valueName: "text"))
    var text: String

    @Option(
        help: ArgumentHelp(
            "Set the moment: +12m after the start, or 2026-11-25T15:43.", valueName: "time"))
    var at: TripMoment?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if text.isEmpty { throw ValidationError("a note needs a text") }
    }

    func run() throws {
        let store = try database.open(.readWrite)
        let id = try trip.number(in: store)
        let about = try store.trip(id)
        let time = try at?.time(since: about.start)
        // A trip that is being recorded has no final end yet.
        let end = about.endReason == nil ? max(about.end, SystemClock.utc) : about.end
        if let time, time < about.start || time > end {
            throw Failure(
                "the point lies outside trip \(id)",
                hint: "\"obdscan trips show \(id)\" shows when it was", status: .usage)
        }
        try store.addNote(text, toTrip: id, at: time)
    }
}
