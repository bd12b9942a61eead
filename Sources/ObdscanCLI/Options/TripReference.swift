import ArgumentParser
import Formats
import Glibc
import OBDCore
import Reports
import SystemIO
import TripStore

/// A trip by its number, its name, or `latest`.
struct TripReference: ExpressibleByArgument, Hashable, Sendable {
    var text: String

    init?(argument: String) {
        if argument.isEmpty { return nil }
        text = argument
    }

    /// Refuses a name that commands would understand as a number or as `latest`.
    static func check(name: String) throws(ValidationError) {
        if TripSummary.number(name) != nil {
            throw ValidationError(
                "\"\(name)\" looks like a trip's number: add a word to it")
        }
        if name == "latest" {
            throw ValidationError("\"latest\" already means the latest trip: choose another name")
        }
    }

    /// Refuses words that are probably meant as something other than a tag.
    static func check(tags: [String]) throws(ValidationError) {
        for tag in tags {
            if tag.trimmed.isEmpty { throw ValidationError("a tag needs a letter or more") }
            if tag.split(separator: ",").contains(where: { Int64($0) != nil }) || tag == "latest" {
                throw ValidationError(
                    "\"\(tag)\" names a trip: tag one trip at a time, and use a word as the tag")
            }
        }
    }

    /// Asks about tags that nearly are the purpose of a trip, which the logbook adds up.
    static func doubt(_ tags: [String], _ output: OutputOptions) {
        let purposes = Logbook.Purpose.allCases.map(\.rawValue)
        for tag in tags where !purposes.contains(tag.lowercased()) {
            guard let near = nearestName(to: tag, among: purposes) else { continue }
            output.note(
                "\"\(tag)\" is not a purpose in the logbook; did you mean \(near)? Purposes: "
                    + purposes.joined(separator: ", "))
        }
    }

    /// The trip's number; a number is never taken for a name.
    func number(in store: TripStore) throws(Failure) -> Int64 {
        if let number = TripSummary.number(text) { return number }
        if text == "latest" { return try store.latestTrip() }
        var filter = TripStore.TripFilter(withScans: true)
        filter.name = text
        let found = try mapped { () throws(StoreError) in try store.trips(filter) }
        guard let trip = found.last else {
            throw Failure(
                "no trip is called \"\(text)\"",
                hint: ["last", "newest"].contains(text)
                    ? "did you mean latest?" : "\"obdscan trips\" lists them",
                status: .usage)
        }
        guard found.count == 1 else {
            throw Failure(
                "\(found.count) trips are called \"\(text)\"",
                hint: "name one by its number, such as \(trip.id)", status: .usage)
        }
        return trip.id
    }
}

extension Failure {
    /// There is nothing at the wanted time, but `trips` exist.
    init(noRecordsIn trips: [TripSummary]) {
        guard let first = trips.map(\.start).min(), let last = trips.map(\.end).max() else {
            self.init(
                "no trip matches", hint: "\"obdscan trips\" lists them", status: .noInput)
            return
        }
        self.init(
            "nothing was recorded at this time",
            hint:
                "the earliest reading is of \(localTime(first)), the latest of \(localTime(last))",
            status: .noInput)
    }
}

extension TripMoment: ExpressibleByArgument {
    /// The point in time; `start` is the start of the trip.
    func time(since start: UTC? = nil) throws(Failure) -> UTC {
        guard let time = utc(since: start) else {
            if start != nil {
                throw Failure(
                    "a time such as 5m may count from the trip's start or from now",
                    hint: "+5m counts from the start", status: .usage)
            }
            throw Failure(
                "a time such as +5m needs one trip that it counts from",
                hint: "give a date and a time: 2026-11-21T08:15:02", status: .usage)
        }
        return time
    }
}

extension TripMonth: ExpressibleByArgument {}
extension AgeArgument: ExpressibleByArgument {}
extension SpaceArgument: ExpressibleByArgument {}

extension TripStore {
    /// Refuses a vehicle that no record is of.
    func check(vehicle: String?) throws(Failure) {
        guard let vehicle, try !mapped({ () throws(StoreError) in try knows(vehicle: vehicle) })
        else { return }
        let known = try mapped { () throws(StoreError) in try vehicles() }
        let near = nearestName(to: vehicle, among: known.compactMap { $0.name ?? $0.vin?.text })
        throw Failure(
            "the vehicle \"\(vehicle)\" is unknown",
            hint: (near.map { "did you mean \"\($0)\"? " } ?? "")
                + "\"obdscan trips --all\" shows the vehicles", status: .noInput)
    }

    /// Refuses a choice of a vehicle that no record is of, or of a tag that no trip has and that is near one of others.
    func check(_ choice: TripChoice) throws(Failure) {
        try check(vehicle: choice.vehicle)
        guard let tag = choice.tag else { return }
        var filter = TripFilter(withScans: true)
        let known = try mapped { () throws(StoreError) in Set(try trips(filter).flatMap(\.tags)) }
        filter.tag = tag
        guard try mapped({ () throws(StoreError) in try trips(filter) }).isEmpty else { return }
        // A tag that no trip has selects no trip. A tag that is nearly like another one was mistyped.
        guard let near = nearestName(to: tag, among: known.sorted()) else { return }
        throw Failure(
            "no trip has the tag \"\(tag)\"", hint: "did you mean \"\(near)\"?", status: .noInput)
    }

    /// The trips that match `filter`; if none match, the failure lists the existing ones.
    func existing(_ filter: TripFilter) throws(Failure) -> [TripSummary] {
        let found = try mapped { () throws(StoreError) in try trips(filter) }
        if !found.isEmpty { return found }
        var always = filter
        (always.from, always.to) = (nil, nil)
        let others = try mapped { () throws(StoreError) in try trips(always) }
        if others.isEmpty { try check(vehicle: filter.vehicle) }
        throw Failure(noRecordsIn: others)
    }

    /// The number of the latest drive.
    func latestTrip() throws(Failure) -> Int64 {
        var filter = TripFilter()
        filter.latest = 1
        let found = try mapped { () throws(StoreError) in try trips(filter) }
        guard let latest = found.last else {
            throw Failure(
                "\(path): there are no trips yet", hint: "\"obdscan log\" records one",
                status: .noInput)
        }
        return latest.id
    }
}
