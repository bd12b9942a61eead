extension LiveModel.Page {
    /// The help about the keys.
    package static let help = LiveModel.Page(
        title: "Keys",
        lines: [
            "  ↑ ↓  PgUp PgDn    choose a signal; Home, End; Esc: none",
            "  Enter             open the chosen signal: its course and where it is from",
            "  x                 put it into the graph, or take it out (three at most)",
            "  + -               show less time in graphs, or more",
            "  v                 dials instead of lines",
            "  s                 sort: as asked for, by name, unusual values first",
            "  f                 show ECUs that say the same, or fold them",
            "  a                 add a signal by a part of its name",
            "  d                 take the chosen signal away",
            "  K J               move the chosen signal up, down",
            "  u                 units: metric, UK, imperial, US",
            "  r                 new minimum, maximum, scale, trend",
            "  p                 pause: freeze the screen",
            "  m                 mark this moment in the trip (--log)",
            "  c                 codes: what they mean, and readiness",
            "  q  Ctrl-C         quit",
            "  Mouse             the wheel scrolls, a click chooses, a second one opens",
            "                    (hold Shift to select text)",
            "",
            "  !  before a signal: an alarm, its value is beyond a limit",
            "  •  before a signal: it is in the graph",
            "  ▲ ▲▲ ▼ ▼▼         after a value: high, too high, low, too low",
            "  •  after a value: worth knowing, such as a cold engine; Enter says why",
            "  │150  where the bar ends; │±20: it begins in the middle",
            "  A line that is dim is old: its ECU has not said it for 5 seconds.",
        ])
}
