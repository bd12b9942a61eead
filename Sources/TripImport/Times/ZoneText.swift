/// The time zone at the end of a time: `Z`, `+01:00`, `GMT+2`, `EST`, `Europe/Berlin`.
struct ZoneText: Hashable {
    /// A zone that an abbreviation may mean.
    struct Candidate: Hashable {
        /// How far the clock is ahead of UTC; unit: minutes.
        var minutes: Int64
        /// A zone of the tz database that has such clocks.
        var place: String

        /// Unit: µs.
        var shift: Int64 { minutes * 60_000_000 }
        /// `UTC-06:00 (America/Chicago)`.
        var text: String { "UTC\(ZoneText.sign(minutes)) (\(place))" }
    }

    enum Meaning: Hashable {
        /// How far the clock is ahead of UTC; unit: µs.
        case shift(Int64)
        /// One of several zones.
        case several([Candidate])
        /// A zone of the tz database by its name.
        case place(String)
        case unknown
    }

    var text: String
    var meaning: Meaning

    init(_ text: Substring, _ meaning: Meaning) {
        self.text = String(text)
        self.meaning = meaning
    }

    /// The zone that a word names; a word that no zone has is ``Meaning/unknown``.
    init(_ word: Substring) {
        text = String(word)
        let upper = text.uppercased()
        if let shift = Self.shift(word) {
            meaning = .shift(shift)
        } else if let candidates = Self.several[upper] {
            meaning = .several(candidates)
        } else if let minutes = Self.names[upper] {
            meaning = .shift(minutes * 60_000_000)
        } else {
            meaning =
                Self.places[upper].map { .place($0) }
                ?? (word.contains("/") ? .place(text) : .unknown)
        }
    }

    /// The distance from UTC that a word shows: `Z`, `UTC`, `GMT+2`, `UTC+05:30`, `+01`, `-0330`; unit: µs,
    /// nil for anything else.
    static func shift(_ word: Substring) -> Int64? {
        var rest = word
        let name = ["Z", "UTC", "GMT"].first { rest.hasPrefix($0) }
        rest = rest.dropFirst(name?.count ?? 0)
        guard let sign = rest.first else { return name == nil ? nil : 0 }
        guard "+-−".contains(sign), name != "Z" || rest.isEmpty else { return nil }
        let parts = rest.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2,
            parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let found: (hours: Substring, minutes: Substring)
        switch (first.count, parts.count) {
        case (1, 1) where name != nil: found = (first, "0")
        case (2, 1): found = (first, "0")
        case (4, 1): found = (first.prefix(2), first.suffix(2))
        case (1, 2) where name != nil, (2, 2): found = (first, parts[1])
        default: return nil
        }
        guard let hours = Int64(found.hours), hours < 24, let minutes = Int64(found.minutes),
            minutes < 60, parts.count == 1 || parts[1].count == 2
        else { return nil }
        return (hours * 60 + minutes) * (sign == "+" ? 60_000_000 : -60_000_000)
    }

    /// `+05:30`.
    private static func sign(_ minutes: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let size = abs(minutes)
        return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
    }

    /// Abbreviations with one meaning in logs, in minutes ahead of UTC.
    ///
    /// They are those of RFC 5322, which gives PST and EST to North America, those of the tz database, and the
    /// German ones of phones.
    private static let names: [String: Int64] = [
        "UT": 0, "UCT": 0, "WET": 0, "WEZ": 0, "WEST": 60, "WESZ": 60, "CET": 60, "MEZ": 60,
        "CEST": 120, "MESZ": 120, "EET": 120, "OEZ": 120, "EEST": 180, "OESZ": 180, "TRT": 180,
        "IDT": 180,
        "WAT": 60, "CAT": 120, "SAST": 120, "EAT": 180, "PKT": 300, "NPT": 345, "ICT": 420,
        "WIB": 420, "WITA": 480, "WIT": 540, "HKT": 480, "SGT": 480, "MYT": 480, "PHT": 480,
        "AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "AEST": 600, "CHST": 600, "ACDT": 630,
        "AEDT": 660, "NZST": 720, "NZDT": 780, "HST": -600, "HDT": -540, "AKST": -540,
        "AKDT": -480, "PST": -480, "PDT": -420, "MST": -420, "MDT": -360, "CDT": -300,
        "EST": -300, "EDT": -240, "NST": -210, "NDT": -150, "BRT": -180, "ART": -180, "COT": -300,
        "PET": -300,
    ]

    /// Abbreviations of zones in several countries.
    private static let several: [String: [Candidate]] = [
        "CST": [
            Candidate(minutes: -360, place: "America/Chicago"),
            Candidate(minutes: 480, place: "Asia/Shanghai"),
        ],
        "IST": [
            Candidate(minutes: 330, place: "Asia/Kolkata"),
            Candidate(minutes: 120, place: "Asia/Jerusalem"),
            Candidate(minutes: 60, place: "Europe/Dublin"),
        ],
        "BST": [
            Candidate(minutes: 60, place: "Europe/London"),
            Candidate(minutes: 360, place: "Asia/Dhaka"),
            Candidate(minutes: 660, place: "Pacific/Bougainville"),
        ],
        "AST": [
            Candidate(minutes: -240, place: "America/Halifax"),
            Candidate(minutes: 180, place: "Asia/Riyadh"),
        ],
        "ADT": [
            Candidate(minutes: -180, place: "America/Halifax"),
            Candidate(minutes: 240, place: "Asia/Baghdad"),
        ],
        "GST": [
            Candidate(minutes: 240, place: "Asia/Dubai"),
            Candidate(minutes: -120, place: "Atlantic/South_Georgia"),
        ],
        "SST": [
            Candidate(minutes: -660, place: "Pacific/Pago_Pago"),
            Candidate(minutes: 480, place: "Asia/Singapore"),
        ],
        "AMT": [
            Candidate(minutes: -240, place: "America/Manaus"),
            Candidate(minutes: 240, place: "Asia/Yerevan"),
        ],
        "WST": [
            Candidate(minutes: 480, place: "Australia/Perth"),
            Candidate(minutes: 780, place: "Pacific/Apia"),
        ],
    ]

    /// Abbreviations whose distance from UTC has changed.
    private static let places = ["MSK": "Europe/Moscow"]
}
