extension LiveModel.Page {
    /// What the keys do.
    static let help = LiveModel.Page(
        title: "Keys",
        lines: [
            "",
            "  ↑ ↓  PgUp PgDn    choose a signal",
            "  a                 add a signal by its name: rpm, coolant-temp, 01:0C",
            "  d                 take the chosen signal away; it is not asked for any more",
            "  K J               move the chosen signal up, down",
            "  u                 units: metric, imperial, US",
            "  r                 begin minimum, maximum and trend anew",
            "  p                 pause: what is shown stands still",
            "  m                 mark this moment in the trip (--log)",
            "  c                 codes and readiness",
            "  q  Ctrl-C         quit",
            "",
            "  !  before a signal: an alarm, its value is beyond a limit",
        ])
}
