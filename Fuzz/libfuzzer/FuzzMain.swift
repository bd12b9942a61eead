import Glibc

/// The fuzzer's main loop; it calls `body` with each input.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

extension FuzzTarget {
    /// The target of this process: `OBDSCAN_FUZZ_TARGET`.
    static let chosen: FuzzTarget = {
        guard let name = getenv("OBDSCAN_FUZZ_TARGET"),
            let target = FuzzTarget(rawValue: String(cString: name))
        else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("OBDSCAN_FUZZ_TARGET must be one of \(names)")
        }
        return target
    }()
}

@main
struct FuzzMain {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        _ = FuzzTarget.chosen
        exit(
            runFuzzer(&count, &arguments) { bytes, count in
                FuzzTarget.chosen.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }
}
