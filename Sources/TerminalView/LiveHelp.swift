extension LiveModel.Page {
    /// What the keys do.
    public static let help = LiveModel.Page(
        title: "Keys",
        lines: [
            "  ↑ ↓  PgUp PgDn    choose a signal; Home, End; Esc: none",
            "  a                 add a signal by a part of its name",
            "  d                 take the chosen signal away",
            "  K J               move the chosen signal up, down",
            "  u                 units: metric, imperial, US",
            "  r                 new minimum, maximum, scale, trend",
            "  p                 pause: freeze the screen",
            "  m                 mark this moment in the trip (--log)",
            "  c                 codes and readiness",
            "  q  Ctrl-C         quit",
            "",
            "  !  before a signal: an alarm, its value is beyond a limit",
            "  │150  where the bar ends; │±20: it begins in the middle",
        ])
}
