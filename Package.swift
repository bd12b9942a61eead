// swift-tools-version: 6.2
import Foundation
import PackageDescription

// obdscan links SQLite and BlueZ. Without their headers the compiler would bury the reason under
// pages of module errors. SwiftPM does not cache a manifest that fails, so that each build looks again.
let systemHeaders = ["sqlite3.h", "bluetooth/bluetooth.h"]
let includeFolders =
    ["/usr/include", "/usr/local/include"]
    + (Context.environment["CPATH"]?.split(separator: ":").map(String.init) ?? [])
let hasSystemPackages = systemHeaders.allSatisfy { header in
    includeFolders.contains { FileManager.default.fileExists(atPath: "\($0)/\(header)") }
}
if !hasSystemPackages {
    let packages = "libsqlite3-dev libbluetooth-dev"
    let message = "\nobdscan needs \(packages): sudo apt-get install \(packages)\n"
    FileHandle.standardError.write(Data(message.utf8))
    exit(1)
}

/// How the program is linked.
///
/// Nothing looks for symbols in it, so it starts sooner without them. With glibc 2.36
/// or newer its relocations are packed: 21 KB instead of 2.5 MB, which saves time and memory, too.
var linking = ["-Xlinker", "--no-export-dynamic"]
#if canImport(Glibc)
    var library = [CChar](repeating: 0, count: 32)
    confstr(Int32(_CS_GNU_LIBC_VERSION), &library, library.count)
    let name = String(decoding: library.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    let version = name.drop { !$0.isNumber }.split(separator: ".")
    if !version.compactMap({ Int($0) }).lexicographicallyPrecedes([2, 36]) {
        linking += ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
    }
#endif

// The program as it is shipped, from the modules that the tests use: `--static-swift-stdlib` would compile
// all of them again. These are the parts of FoundationEssentials, which ArgumentParser needs; the compiler
// only names them with that option.
if Context.environment["OBDSCAN_STATIC"] != nil {
    linking += ["-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims"]
}

/// Warnings are errors in every target of this package.
///
/// SwiftPM drops the setting for packages that
/// are used as dependencies, so users of the library are never stopped by a newer compiler.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Tests are not optimised: that takes longer than it saves.
let unoptimised: [SwiftSetting] =
    strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: unoptimised)
}

func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: "\(name)Support", dependencies: dependencies, path: "Tests/\(name)Support",
        swiftSettings: strict)
}

let package = Package(
    name: "obdscan",
    products: [
        .library(
            name: "OBDScan",
            targets: [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan",
            ]),
        .library(name: "OBDTrips", targets: ["TripStore", "Formats", "TripRecorder"]),
        .executable(name: "obdscan", targets: ["obdscan"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // Pure: no system call, no clock, no Foundation, no global variable.
        module("OBDCore"),
        module("VehicleLink", ["OBDCore"]),
        module("DoIPWire"),
        module("Adapters", ["OBDCore", "VehicleLink", "DoIPWire"]),
        module("Conversation", ["OBDCore", "VehicleLink", "Adapters"]),
        module("Diagnostics", ["OBDCore"]),
        module("ScanTool", ["OBDCore", "VehicleLink", "Adapters"]),
        module("Positioning", ["OBDCore"]),
        module("FuelFigures"),
        module("WebProtocol", ["OBDCore"]),
        module("Publishing", ["OBDCore", "Diagnostics", "Formats"]),
        .target(
            name: "Simulator", dependencies: ["OBDCore", "VehicleLink", "DoIPWire", "Adapters"],
            exclude: ["vehicles"], swiftSettings: strict, plugins: ["EmbedFilesPlugin"]),

        // The edges.
        .systemLibrary(
            name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .target(name: "CSystem"),
        module("SystemIO", ["OBDCore", "CSystem"]),
        module("Accessory", ["OBDCore", "DoIPWire", "SystemIO", "CSystem", "CBluetooth"]),
        module(
            "ScanSession",
            [
                "OBDCore", "DoIPWire", "VehicleLink", "Adapters", "Diagnostics", "ScanTool",
                "SystemIO",
                "Accessory",
            ]),
        .target(
            name: "PIDTables", dependencies: ["OBDCore", "Diagnostics"], exclude: ["pids"],
            swiftSettings: strict, plugins: ["EmbedFilesPlugin"]),
        module(
            "Decoding",
            [
                "OBDCore", "VehicleLink", "Adapters", "Conversation", "Diagnostics", "PIDTables",
                "TripImport",
            ]),
        module(
            "VehicleScan",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory", "ScanSession", "PIDTables",
            ]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "TripStore", dependencies: ["OBDCore", "Diagnostics", "SystemIO", "CSQLite"],
            exclude: ["migrations"], swiftSettings: strict, plugins: ["EmbedFilesPlugin"]),
        module("Formats", ["OBDCore", "Diagnostics"]),
        .target(name: "CEngines"),
        module(
            "Engines",
            [
                "OBDCore", "Diagnostics", "SystemIO", "Formats", "TripStore", "Publishing",
                "CEngines",
            ]),
        module(
            "TripReports",
            [
                "OBDCore", "DoIPWire", "Adapters", "Diagnostics", "SystemIO", "PIDTables",
                "TripStore",
                "Formats", "FuelFigures", "Publishing",
            ]),
        module(
            "TripRecorder",
            [
                "OBDCore", "Diagnostics", "Adapters", "ScanTool", "SystemIO", "Accessory",
                "ScanSession", "VehicleScan", "TripStore", "Formats", "Positioning",
            ]),
        module("TripImport", ["OBDCore", "VehicleLink", "Diagnostics", "Formats"]),
        module("TableImport", ["OBDCore", "Diagnostics"]),
        module(
            "TableReports",
            [
                "OBDCore", "Adapters", "Diagnostics", "SystemIO", "PIDTables", "TableImport",
                "Simulator", "Formats",
            ]),
        module(
            "TripIntake",
            [
                "OBDCore", "Diagnostics", "SystemIO", "Formats", "TripImport", "TripStore",
                "Simulator",
            ]),
        module(
            "LocalLinks",
            ["OBDCore", "DoIPWire", "Adapters", "Simulator", "CSystem", "SystemIO", "Accessory"]),
        module(
            "Settings",
            [
                "OBDCore", "Accessory", "ScanSession", "Positioning", "FuelFigures", "Formats",
                "Publishing",
            ]),
        module(
            "TerminalView",
            [
                "SystemIO", "OBDCore", "Diagnostics", "ScanTool", "ScanSession", "PIDTables",
                "VehicleScan",
                "Formats",
            ]),
        module(
            "VehicleReports",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory", "ScanSession", "PIDTables", "Decoding", "VehicleScan", "TripStore",
                "Formats", "TripReports", "TripRecorder",
            ]),
        module(
            "LiveSession",
            [
                "OBDCore", "Diagnostics", "Accessory", "ScanTool", "CSystem", "SystemIO",
                "ScanSession", "PIDTables", "VehicleScan", "Formats", "TripRecorder", "TripReports",
                "VehicleReports", "TerminalView",
            ]),
        module(
            "Delivery",
            [
                "OBDCore", "Diagnostics", "SystemIO", "PIDTables", "VehicleScan", "TripStore",
                "Formats", "TripReports", "Publishing", "Engines", "Settings",
            ]),
        module("WebServer", ["OBDCore", "CSystem", "SystemIO", "WebProtocol"]),
        module(
            "Dashboard",
            [
                "OBDCore", "Diagnostics", "ScanTool", "SystemIO", "Accessory", "ScanSession",
                "PIDTables", "Formats", "FuelFigures", "TripStore", "TripReports", "VehicleScan",
                "VehicleReports", "WebProtocol", "WebServer", "WebPage",
            ]),
        .target(
            name: "WebPage", exclude: ["web"], swiftSettings: strict, plugins: ["EmbedFilesPlugin"]),
        .target(
            name: "ObdscanCLI",
            dependencies: [
                "OBDCore", "VehicleLink", "DoIPWire", "Adapters", "Diagnostics", "ScanTool",
                "Accessory", "ScanSession", "PIDTables", "VehicleScan", "TripStore", "Formats",
                "TripImport", "TableImport", "TableReports", "TripIntake", "Conversation",
                "Decoding",
                "LocalLinks", "Settings", "TripReports", "TripRecorder",
                "VehicleReports", "TerminalView", "LiveSession", "Dashboard", "Simulator",
                "Positioning",
                "FuelFigures",
                "CSystem",
                "SystemIO", "WebProtocol",
                "WebServer",
                "WebPage", "Publishing", "Engines", "Delivery",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["completions"], swiftSettings: strict, plugins: ["EmbedFilesPlugin"]),
        .executableTarget(
            name: "obdscan", dependencies: ["ObdscanCLI"], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(linking)]),

        // `pids/`, `vehicles/`, `migrations/`, `web/` and `completions/` become string literals at build time.
        .executableTarget(name: "EmbedFiles", swiftSettings: strict),
        .plugin(
            name: "EmbedFilesPlugin", capability: .buildTool(), dependencies: ["EmbedFiles"]),

        tests("OBDCore", ["OBDCore"]),
        tests("Positioning", ["OBDCore", "Positioning", "TestSupport"]),
        tests("FuelFigures", ["FuelFigures"]),
        tests("WebProtocol", ["OBDCore", "WebProtocol"]),
        tests("WebServer", ["OBDCore", "SystemIO", "CSystem", "WebProtocol", "WebServer"]),
        // What several of the tests share.
        support("Test", ["OBDCore", "VehicleLink", "Diagnostics"]),
        support("ScanToolTest", ["OBDCore", "VehicleLink", "Adapters", "ScanTool"]),
        support(
            "SimulatorTest",
            ["OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "Simulator"]),

        tests("VehicleLink", ["OBDCore", "VehicleLink", "TestSupport"]),
        tests("DoIPWire", ["DoIPWire"]),
        tests("Adapters", ["OBDCore", "VehicleLink", "DoIPWire", "Adapters", "TestSupport"]),
        tests(
            "Conversation", ["OBDCore", "VehicleLink", "Adapters", "Conversation", "TestSupport"]),
        tests("Diagnostics", ["OBDCore", "VehicleLink", "Diagnostics", "TestSupport"]),
        .testTarget(
            name: "TripStoreTests",
            dependencies: [
                "OBDCore", "Diagnostics", "PIDTables", "SystemIO", "TripStore", "TestSupport",
                "CSQLite",
            ],
            exclude: ["Schemas"], swiftSettings: unoptimised),
        tests("Formats", ["OBDCore", "Diagnostics", "Formats", "TestSupport"]),
        .testTarget(
            name: "TripImportTests",
            dependencies: ["OBDCore", "Diagnostics", "PIDTables", "TripImport", "TestSupport"],
            exclude: ["Logs"], swiftSettings: unoptimised),
        tests(
            "TableImport", ["OBDCore", "Diagnostics", "PIDTables", "TableImport", "TestSupport"]),
        tests("Publishing", ["OBDCore", "Diagnostics", "PIDTables", "Formats", "Publishing"]),
        tests(
            "Engines",
            [
                "OBDCore", "Diagnostics", "PIDTables", "SystemIO", "TripStore", "Publishing",
                "Engines",
            ]),
        tests(
            "Delivery",
            [
                "OBDCore", "PIDTables", "VehicleScan", "SystemIO", "TripStore", "Publishing",
                "Engines", "Settings", "Delivery",
            ]),
        tests(
            "TripIntake",
            [
                "OBDCore", "Diagnostics", "PIDTables", "Simulator", "SystemIO", "TripImport",
                "TripIntake", "TripStore",
            ]),
        tests(
            "Decoding",
            ["OBDCore", "Adapters", "Conversation", "Diagnostics", "PIDTables", "Decoding"]),
        tests(
            "LocalLinks",
            ["OBDCore", "DoIPWire", "Accessory", "LocalLinks", "Simulator", "SystemIO"]),
        tests(
            "TripReports",
            [
                "OBDCore", "DoIPWire", "Adapters", "Diagnostics", "FuelFigures", "PIDTables",
                "SystemIO",
                "Formats", "TripReports", "TripStore", "TestSupport",
            ]),
        tests("Settings", ["FuelFigures", "PIDTables", "Settings", "VehicleScan", "TestSupport"]),
        tests("PIDTables", ["OBDCore", "Diagnostics", "PIDTables", "TestSupport"]),
        .testTarget(
            name: "DiagnosticTablesTests", dependencies: ["OBDCore", "Diagnostics", "PIDTables"],
            exclude: ["code-meanings.tsv"], swiftSettings: unoptimised),
        tests(
            "Simulator",
            [
                "OBDCore", "VehicleLink", "DoIPWire", "Adapters", "Diagnostics", "ScanTool",
                "PIDTables", "Simulator", "SimulatorTestSupport", "TestSupport",
            ]),
        tests(
            "ScanTool",
            [
                "OBDCore", "VehicleLink", "Adapters", "ScanTool", "ScanToolTestSupport",
                "TestSupport",
            ]),
        tests("Accessory", ["OBDCore", "CSystem", "SystemIO", "Accessory"]),
        tests(
            "ScanSession",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "CSystem",
                "SystemIO", "Accessory", "ScanSession", "ScanToolTestSupport", "TestSupport",
            ]),
        tests(
            "VehicleScan",
            [
                "OBDCore", "Adapters", "Diagnostics", "ScanTool", "SystemIO", "Accessory",
                "ScanSession", "Simulator", "SimulatorTestSupport", "PIDTables", "LocalLinks",
                "VehicleScan",
            ]),
        tests(
            "ObdscanCLI",
            [
                "ObdscanCLI", "LiveSession", "OBDCore", "Diagnostics", "Adapters", "Accessory",
                "PIDTables",
                "LocalLinks", "ScanSession", "ScanTool", "Settings", "SystemIO", "VehicleScan",
                "Dashboard", "TerminalView", "Formats", "TripRecorder", "TripReports",
                "TripStore", "VehicleReports", "TestSupport",
            ]),
        tests(
            "Dashboard",
            [
                "OBDCore", "Accessory", "Diagnostics", "LocalLinks", "PIDTables", "ScanSession",
                "SystemIO", "Dashboard", "Formats", "TestSupport", "VehicleScan", "WebPage",
                "WebProtocol",
            ]),
        tests("TerminalView", ["Formats", "OBDCore", "TerminalView", "TestSupport"]),
        tests(
            "TripRecorder",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "PIDTables", "ScanSession",
                "SystemIO",
                "LocalLinks", "Accessory", "Formats", "FuelFigures", "TripRecorder", "TripReports",
                "TripStore",
                "VehicleScan",
            ]),
        // Serving, with foreign programs as its clients; needs the built program.
        .testTarget(
            name: "PeersTests",
            dependencies: ["OBDCore", "Simulator"],
            path: "Tests/Peers",
            exclude: [
                "python_obd.py", "second_decoder.py", "validate_json.py", "disagreements.tsv",
                "doip_client.py",
            ],
            swiftSettings: unoptimised),
        // The built program as a process, with real and foreign adapters at its other end.
        .testTarget(
            name: "EndToEndTests", dependencies: ["CSystem", "TestSupport"],
            exclude: [
                "recorded_answers.py", "foreign_readers.py", "until_at_work.py", "deliveries.py",
                "dashboard_queries.py", "analysis.py", "home_assistant.py",
                "home_assistant_vehicles.py", "publish_faults.py", "engines.py", "certificates",
            ],
            swiftSettings: unoptimised),
    ],
    swiftLanguageModes: [.v6]
)

// Benchmarks are no part of anybody's build: OBDSCAN_BENCHMARKS=1 swift run -c release obdscan-bench
if Context.environment["OBDSCAN_BENCHMARKS"] != nil {
    package.targets += [
        .target(
            name: "CFloors", path: "Benchmarks/CFloors",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "obdscan-bench",
            dependencies: [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory",
                "ScanSession", "PIDTables", "TripStore", "Formats", "Conversation", "CFloors",
            ],
            path: "Benchmarks/obdscan-bench", swiftSettings: strict),
    ]
}

// Parts that need no other package and build quickly: OBDSCAN_PART=pure (`scripts/coverage`, `scripts/seeds`),
// OBDSCAN_PART=threads (`scripts/sanitize thread --part`), OBDSCAN_PART=gate (`scripts/mutations`), each with its own
// tests alone.
if let part = Context.environment["OBDSCAN_PART"] {
    let machine = [
        "OBDCore", "VehicleLink", "DoIPWire", "Adapters", "Diagnostics", "ScanTool", "WebProtocol",
    ]
    let pure = [
        "Simulator", "Positioning", "FuelFigures", "PIDTables", "Formats", "TripImport",
        "TableImport", "Conversation", "Decoding", "Publishing",
        "EmbedFiles", "EmbedFilesPlugin", "SimulatorTestSupport",
    ]
    let sessions = ["CSystem", "SystemIO", "CBluetooth", "Accessory", "ScanSession"]
    let threads = sessions + ["WebServer"]
    let support = ["TestSupport", "ScanToolTestSupport"]
    // What requests pass on their way to a simulated vehicle.
    let gate =
        sessions + [
            "Simulator", "PIDTables", "EmbedFiles", "EmbedFilesPlugin", "SimulatorTestSupport",
            "LocalLinks", "VehicleScan",
        ]
    let modules =
        machine + support + (part == "threads" ? threads : part == "gate" ? gate : pure)
    let tested =
        switch part {
        case "threads": threads
        case "gate": machine + ["Simulator", "VehicleScan"]
        default: modules + ["DiagnosticTables"]
        }
    package.products = []
    package.dependencies = []
    package.targets = package.targets.filter { target in
        target.type == .test
            ? tested.contains(String(target.name.dropLast(5))) : modules.contains(target.name)
    }
}

// What reads bytes from outside is fuzzed: with seeds and changed seeds by a test target, and without an end by
// libFuzzer (`scripts/fuzz`, OBDSCAN_FUZZ=1), which compiles the readers with its coverage.
let fuzzed = [
    "OBDCore", "VehicleLink", "DoIPWire", "Adapters", "Diagnostics", "ScanTool", "Simulator",
    "PIDTables",
    "Formats", "TripImport", "TableImport", "Conversation", "Decoding", "Positioning",
    "WebProtocol",
    "SimulatorTestSupport",
]
let fuzzing = (fuzzed + ["Accessory", "TestSupport"]).map { Target.Dependency(stringLiteral: $0) }
if Context.environment["OBDSCAN_FUZZ"] != nil {
    let covered: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]
    for target in package.targets where fuzzed.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + covered
    }
    // What reads the bus is no part of its module's interface.
    for target in package.targets where target.name == "Accessory" {
        target.swiftSettings =
            (target.swiftSettings ?? []) + covered + [.unsafeFlags(["-enable-testing"])]
    }
    package.targets.append(
        .executableTarget(
            name: "obdscan-fuzz", dependencies: fuzzing, path: "Fuzz", exclude: ["seeds", "tests"],
            sources: ["targets", "libfuzzer"], swiftSettings: strict + covered,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
} else if Context.environment["OBDSCAN_PART"] == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzing, path: "Fuzz",
            exclude: ["seeds", "libfuzzer"],
            sources: ["targets", "tests"], swiftSettings: unoptimised))
}
