import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripRecorder
import TripStore
import VehicleScan
import WebServer

/// Routes the requests to `obdscan serve`: page, objects under `/api/`, and metrics for Prometheus.
///
/// The answers never write to a vehicle. Two addresses begin and end a recording; the others write to the database
/// only to migrate an old one, and to keep what a diagnosis has measured in trips.
package struct WebRoutes: WebHandler {
    /// The greatest number of browsers with an open stream.
    static let mostStreams = 24

    let rules: AccessRules
    /// The local users who may connect; nil = all.
    let users: Set<UInt32>?
    let board: VehicleBoard
    let questions: VehicleQuestions
    let table: PIDTable
    package let sources: WebSources
    /// The limits of unusual values.
    let levels: SignalLevels
    /// Where the page loads a street map from; nil = it shows none.
    let tiles: TileSource?
    /// Records trips; nil without a device.
    let trips: TripSwitch?

    private static let beginning = ["api", "recording", "begin"]
    private static let ending = ["api", "recording", "end"]
    /// The paths that change something.
    package static let commands: Set<[String]> = [beginning, ending]

    /// Routes to `board`, `questions` and `sources`, for clients that `rules` and `users` admit.
    package init(
        rules: AccessRules, users: Set<UInt32>?, board: VehicleBoard, questions: VehicleQuestions,
        table: PIDTable, sources: WebSources, tiles: TileSource?, trips: TripSwitch?
    ) {
        self.trips = trips
        self.rules = rules
        self.users = users
        self.board = board
        self.questions = questions
        self.table = table
        self.sources = sources
        // A fault of the embedded file is found by its test.
        levels = (try? PIDTables.signalLevels()) ?? SignalLevels()
        self.tiles = tiles
    }

    package func answer(_ request: WebRequest, _ response: WebResponse) throws {
        let head = request.head
        switch rules.verdict(head) {
        case .allowed: break
        case .otherMethod:
            var answer = ResponseHead(.methodNotAllowed, StreamedAnswer.jsonLines)
            let methods = rules.methods(of: head.path)
            answer.fields = [("Allow", methods.joined(separator: ", "))]
            let words =
                "only \(methods.joined(separator: " and ")) \(methods.count == 1 ? "is" : "are") answered"
                + (methods.count == 1 ? " at this address" : "")
            try response.send(answer, WebProblem(.methodNotAllowed, words).bytes)
            return
        case .originMissing:
            try send(
                WebProblem(
                    .forbidden, "a request that changes something has to name its page",
                    hint:
                        "the field \"Origin: http://HOST:PORT\" with the address of this server, or "
                        + "\"Authorization: Bearer TOKEN\""), response)
            return
        case .foreignHost:
            try send(
                WebProblem(
                    .forbidden, "this machine does not answer to that name",
                    hint: "\"obdscan serve --host NAME\" adds a name"), response)
            return
        case .foreignOrigin:
            try send(
                WebProblem(.forbidden, "the request came from a page of another site"), response)
            return
        case .tokenMissing where head.path.isEmpty, .tokenWrong where head.path.isEmpty:
            let isWrong = rules.verdict(head) == .tokenWrong
            try sendPage(
                { WebPage.entrance(nonce: $0, isWrong: isWrong) }, .unauthorized,
                [("WWW-Authenticate", "Bearer")], response)
            return
        case .tokenMissing, .tokenWrong:
            var answer = ResponseHead(.unauthorized, StreamedAnswer.jsonLines)
            answer.fields = [("WWW-Authenticate", "Bearer")]
            try response.send(
                answer, WebProblem(.unauthorized, "the token is missing or wrong").bytes)
            return
        }
        if head.hasBody {
            try send(
                WebProblem(.badRequest, "a \(head.method) request must not have a body"), response)
            return
        }
        do {
            try route(head, response)
        } catch let fault as WebFault {
            throw fault
        } catch {
            guard let problem = WebProblem(error), !response.hasBegun else { throw error }
            try send(problem, response)
        }
    }

    package func admits(_ user: UInt32?) -> Bool {
        guard let users else { return true }
        return user.map { users.contains($0) } ?? false
    }

    package func refuse(_ status: ResponseHead.Status) -> (head: ResponseHead, body: [UInt8]) {
        let problem =
            status == .forbidden
            ? WebProblem(
                .forbidden, "only the user who started obdscan is answered",
                hint: "--token generate lets in everyone who knows the token")
            : WebProblem(status, status.title.lowercased())
        return (ResponseHead(status, StreamedAnswer.jsonLines), problem.bytes)
    }

    /// The query parameters of each path; nil for an unknown path.
    private static func parameters(_ path: [String]) -> Set<String>? {
        switch path {
        case []: ["token"]
        case ["api", "live"]: ["every", "units"]
        case ["api", "readings"]: ["units"]
        case ["api", "monitors"]: ["tests"]
        case ["api", "report"]: ["format"]
        case ["api", "codes", "history"], ["api", "monitors", "trend"]: ["vehicle"]
        case ["api", "trips"]: ["all", "vehicle", "tag", "name", "latest"]
        case let path where path.starts(with: ["api", "trips"]):
            switch path.dropFirst(3).first {
            case "plots": ["signal", "units"]
            case "export": ["format", "layout", "signal", "units"]
            case "report": ["format", "units"]
            default: []
            }
        case ["metrics"], ["api", "status"], ["api", "devices"], ["api", "codes"],
            ["api", "codes", "explain"], ["api", "codes", "frames"], beginning, ending,
            ["manifest.webmanifest"], ["icon.svg"]:
            []
        default: nil
        }
    }

    private func route(_ head: RequestHead, _ response: WebResponse) throws {
        if let known = Self.parameters(head.path),
            let other = head.query.first(where: { !known.contains($0.name) })
        {
            throw WebProblem(
                .badRequest, "this address takes no \"\(printable(other.name))\"",
                hint: known.isEmpty ? nil : known.sorted().joined(separator: ", "))
        }
        switch head.path {
        case []: try sendDashboard(response)
        case ["metrics"]: try sendMetrics(response)
        case ["api", "live"]: try stream(head, response)
        case ["api", "status"]: try sendStatus(response)
        case Self.beginning, Self.ending:
            try record(head.path == Self.beginning)
            try sendStatus(response)
        case ["api", "readings"]:
            var objects = LiveObjects(table: table, units: try units(head), levels: levels)
            let bytes = board.channels().channels.flatMap { objects.reading($0) }
            try response.send(ResponseHead(.ok, StreamedAnswer.jsonLines), bytes)
        case ["api", "devices"]:
            try StreamedAnswer.print(response) {
                try sources.accessories(&$0)
            }
        case ["api", "codes"]: try send(try questions.answer(.codes), response)
        case ["api", "codes", "explain"]: try send(try questions.answer(.explanations), response)
        case ["api", "codes", "frames"]: try send(try questions.answer(.frames), response)
        case ["api", "report"]:
            try PrintedAnswer(head, sources.printer, name: "vehicle-report").send(response) {
                try questions.answer(.report($0))
            }
        case ["manifest.webmanifest"]:
            try response.send(
                ResponseHead(.ok, "application/manifest+json"), WebPage.file("manifest.json"))
        case ["icon.svg"]:
            try response.send(ResponseHead(.ok, "image/svg+xml"), WebPage.file("icon.svg"))
        case ["api", "monitors"]:
            let all = head.queryValue("tests") == "true"
            try send(try questions.answer(all ? .monitors : .readiness), response)
        case let path where RecordedAnswers.isRecorded(path):
            try RecordedAnswers(sources: sources, units: try units(head))
                .answer(head, response)
        default:
            throw WebProblem(.notFound, "there is nothing at this address")
        }
    }

    private func sendStatus(_ response: WebResponse) throws {
        let status = board.status
        try send(LiveObjects.status(status, sources.units, at: status.now), response)
    }

    /// Begins or ends a recording.
    private func record(_ begins: Bool) throws {
        guard let trips else {
            throw WebProblem(
                .unavailable, "no adapter is in use, so there is nothing to record",
                hint: "start \"obdscan serve\" with an adapter")
        }
        // A trip that could not store its last rows has ended, too.
        defer { board.record(trips.progress) }
        if begins { try trips.begin() } else { _ = try trips.end() }
    }

    // MARK: The page

    private func sendDashboard(_ response: WebResponse) throws {
        var fields: [(name: String, value: String)] = []
        if let token = rules.token {
            // The browser sends the cookie with every further request, and scripts cannot read it.
            fields.append(
                (
                    "Set-Cookie",
                    "\(rules.cookie)=\(token.word); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
                ))
        }
        let (tiles, printsPDF) = (tiles, sources.printer != nil)
        try sendPage(
            { WebPage.dashboard(nonce: $0, tiles: tiles, printsPDF: printsPDF) }, .ok, fields,
            response, tiles: tiles)
    }

    private func sendPage(
        _ page: (String) -> [UInt8], _ status: ResponseHead.Status,
        _ fields: [(name: String, value: String)], _ response: WebResponse,
        tiles: TileSource? = nil
    ) throws {
        let nonce = AccessToken(random: randomBytes(16)).word
        var answer = ResponseHead(status, "text/html; charset=utf-8")
        answer.contentPolicy = WebPage.policy(nonce: nonce, tiles: tiles)
        answer.fields = fields
        try response.send(answer, page(nonce))
    }

    // MARK: Live

    private func stream(_ head: RequestHead, _ response: WebResponse) throws {
        guard board.watchers < Self.mostStreams else {
            throw WebProblem(
                .unavailable, "\(Self.mostStreams) browsers are already connected",
                hint: "close one of them")
        }
        let text = head.queryValue("every") ?? "100ms"
        guard let period = Duration(text: text) else {
            throw WebProblem(.badRequest, "\"\(text)\" is not a time", hint: "every=500ms")
        }
        var objects = LiveObjects(table: table, units: try units(head), levels: levels)
        try LiveStream(
            board: board, units: sources.units, period: max(period, .milliseconds(50))
        ).run(&objects, response)
    }

    private func sendMetrics(_ response: WebResponse) throws {
        try response.send(
            ResponseHead(.ok, MetricsText.contentType), LiveMetrics.text(board, table))
    }

    // MARK: Objects

    /// The units of `?units=`.
    private func units(_ head: RequestHead) throws -> UnitSystem {
        guard let text = head.queryValue("units") else { return sources.units }
        guard let units = UnitSystem(rawValue: text) else {
            throw WebProblem(
                .badRequest, "there are no units \"\(text)\"",
                hint: UnitSystem.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return units
    }

    private func send(_ problem: WebProblem, _ response: WebResponse) throws {
        var head = ResponseHead(problem.status, StreamedAnswer.jsonLines)
        if problem.status == .unavailable { head.fields = [("Retry-After", "10")] }
        try response.send(head, problem.bytes)
    }

    private func send(_ bytes: [UInt8], _ response: WebResponse) throws {
        try response.send(ResponseHead(.ok, StreamedAnswer.jsonLines), bytes)
    }
}
