import Formats
import Testing

@Suite struct `Commands that messages suggest` {
    private static let hint = "hint: \"obdscan db recover --to NEW.db\" saves what is left"

    /// The words of the command line, a message, and the message for the user.
    @Test(
        arguments: [
            (
                ["obdscan", "trips", "--db", "a.db"], hint,
                "hint: \"obdscan db recover --to NEW.db --db a.db\" saves what is left"
            ),
            (
                ["obdscan", "export", "--db=a b.db"], "\"obdscan trips\" lists \"a\"",
                "\"obdscan trips --db 'a b.db'\" lists \"a\""
            ),
            (
                ["obdscan", "import", "--db", "a.db"],
                "x\nhint: obdscan import t.csv --date 2021-11-19",
                "x\nhint: obdscan import t.csv --date 2021-11-19 --db a.db"
            ),
            (
                ["obdscan", "dtc", "--db", "a.db"],
                "\"obdscan dtc\" or \"obdscan dtc explain P0301\" or \"obdscan trips --db b.db\"",
                "\"obdscan dtc --db a.db\" or \"obdscan dtc explain P0301\" or "
                    + "\"obdscan trips --db b.db\""
            ),
            (
                ["obdscan", "import", "--db", "a.db"],
                "\"TZ=Asia/Tokyo obdscan import t.csv\", or TZ=Asia/Seoul",
                "\"TZ=Asia/Tokyo obdscan import t.csv --db a.db\", or TZ=Asia/Seoul"
            ),
            (
                ["obdscan", "trips", "--db", "a.db"], "\"obdscan pids list\"",
                "\"obdscan pids list\""
            ),
        ])
    func `a suggestion repeats the database that the user named`(
        arguments: [String], text: String, expected: String
    ) {
        #expect(SuggestedCommands(arguments)?.completed(text) == expected)
    }

    @Test(arguments: [
        ["obdscan", "trips"], ["obdscan", "send", "--", "--db"], ["obdscan", "--db"],
    ])
    func `without a named database a suggestion stays unchanged`(arguments: [String]) {
        #expect(SuggestedCommands(arguments) == nil)
    }
}
