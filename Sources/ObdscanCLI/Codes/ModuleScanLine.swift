import VehicleScan

/// One line on the terminal that shows the progress of a scan of all modules.
struct ModuleScanLine {
    private let isShown: Bool

    init(_ output: OutputOptions) {
        isShown = StatusLine.isWatched(output) && !output.verbose
    }

    func show(_ progress: ModuleScanProgress) {
        guard isShown else { return }
        switch progress {
        case .asking(let done, let all, let answered):
            StatusLine.show("asking address \(done) of \(all), \(answered) answered")
        case .reading(let number, let all):
            StatusLine.show("reading module \(number) of \(all)")
        }
    }

    func clear() {
        if isShown { StatusLine.clear() }
    }
}
