// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The part of the package to declare; nil for all of it.
///
/// Elsewhere than on Linux, only the libraries that need no system exist.
var part = Context.environment["OBDSCAN_PART"]
#if !os(Linux)
    part = part ?? "decode"
#endif

// obdscan links SQLite and BlueZ. Without their headers the compiler would bury the reason under
// pages of module errors. SwiftPM does not cache a manifest that fails, so that each build looks again.
// A package that depends on obdscan may need only the libraries that link nothing.
let systemHeaders = ["sqlite3.h", "bluetooth/bluetooth.h"]
let includeFolders =
    ["/usr/include", "/usr/local/include"]
    + (Context.environment["CPATH"]?.split(separator: ":").map(String.init) ?? [])
let hasSystemPackages = systemHeaders.allSatisfy { header in
    includeFolders.contains { FileManager.default.fileExists(atPath: "\($0)/\(header)") }
}
// SwiftPM reads the manifest of a dependency from its repository first, where no file is on the disk.
let isDependency =
    Context.packageDirectory.contains("/checkouts/")
    || !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Package.swift")
// The Swift Package Index builds packages on machines without the headers.
if !hasSystemPackages, Context.environment["SPI_BUILD"] != nil { part = part ?? "decode" }
if !hasSystemPackages, !isDependency, part != "decode", part != "pure" {
    let packages = "libsqlite3-dev libbluetooth-dev"
    let message = """

        obdscan needs \(packages): sudo apt-get install \(packages)
        The library OBDDecode needs none of them: OBDSCAN_PART=decode swift build

        """
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
                "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan", "OBDScan",
            ]),
        .library(name: "OBDDecode", targets: ["OBDDecode"]),
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
        module("Adapters", ["OBDCore", "VehicleLink"]),
        module("Diagnostics", ["OBDCore"]),
        module("ScanTool", ["OBDCore", "VehicleLink", "Adapters"]),
        .target(
            name: "PIDTables", dependencies: ["OBDCore", "Diagnostics"], exclude: ["pids"],
            swiftSettings: strict,
            plugins: ["EmbedFilesPlugin"]),
        module("Formats", ["OBDCore", "Diagnostics"]),
        module("TripImport", ["OBDCore", "VehicleLink", "Diagnostics", "Formats"]),
        module("TableImport", ["OBDCore", "Diagnostics"]),
        module(
            "Conversation",
            ["OBDCore", "VehicleLink", "Adapters", "Diagnostics", "PIDTables", "TripImport"]),
        // What a user of these libraries imports.
        module(
            "OBDDecode",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "PIDTables", "Conversation",
            ]),
        module("Publishing", ["OBDCore", "Diagnostics", "Formats"]),
        .target(
            name: "Simulator", dependencies: ["OBDCore", "VehicleLink", "Adapters"],
            exclude: ["vehicles"], swiftSettings: strict,
            plugins: ["EmbedFilesPlugin"]),

        // The edges.
        .systemLibrary(
            name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CSystem"),
        .target(name: "CEngines"),
        module("SystemIO", ["OBDCore", "CSystem"]),
        module("Accessory", ["OBDCore", "VehicleLink", "CSystem", "SystemIO", "CBluetooth"]),
        module(
            "ScanSession",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory",
            ]),
        module(
            "LocalLinks",
            ["OBDCore", "VehicleLink", "Adapters", "Simulator", "CSystem", "SystemIO", "Accessory"]),
        module(
            "VehicleScan",
            [
                "OBDCore", "Adapters", "Diagnostics", "ScanTool", "SystemIO", "Accessory",
                "ScanSession", "PIDTables",
            ]),
        // What a user of the libraries imports.
        module(
            "OBDScan",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan",
            ]),
        .target(
            name: "TripStore", dependencies: ["OBDCore", "Diagnostics", "SystemIO", "CSQLite"],
            exclude: ["migrations"], swiftSettings: strict,
            plugins: ["EmbedFilesPlugin"]),
        module(
            "TripRecorder",
            [
                "OBDCore", "Adapters", "Diagnostics", "SystemIO", "Accessory", "ScanSession",
                "VehicleScan", "TripStore", "Formats",
            ]),
        module(
            "Reports",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "Simulator",
                "SystemIO", "Accessory", "ScanSession", "PIDTables", "VehicleScan", "TripStore",
                "Formats", "TripRecorder", "TripImport", "TableImport", "Conversation",
                "Publishing",
            ]),
        module(
            "Settings",
            [
                "OBDCore", "Accessory", "ScanSession", "Formats", "TripStore", "TripRecorder",
                "Publishing", "Reports",
            ]),
        module(
            "Engines",
            [
                "OBDCore", "Diagnostics", "SystemIO", "PIDTables", "VehicleScan", "TripStore",
                "Formats", "Publishing", "Reports", "CEngines", "Settings",
            ]),
        module(
            "TerminalView",
            [
                "OBDCore", "Diagnostics", "ScanTool", "CSystem", "SystemIO", "ScanSession",
                "PIDTables", "VehicleScan", "Formats", "TripRecorder", "Reports",
            ]),
        module("WebServer", ["OBDCore", "CSystem", "SystemIO"]),
        .target(
            name: "Dashboard",
            dependencies: [
                "OBDCore", "Diagnostics", "SystemIO", "Accessory", "ScanSession", "PIDTables",
                "VehicleScan", "TripStore", "Formats", "TripRecorder", "Reports", "WebServer",
            ], exclude: ["Page/web"], swiftSettings: strict,
            plugins: ["EmbedFilesPlugin"]),
        .target(
            name: "ObdscanCLI",
            dependencies: [
                "OBDCore", "Adapters", "Diagnostics", "ScanTool", "Simulator", "CSystem",
                "SystemIO", "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan",
                "TripStore", "Formats", "TripRecorder", "TripImport", "TableImport", "Conversation",
                "Publishing", "Reports", "Settings", "Engines", "TerminalView", "WebServer",
                "Dashboard",
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

        // What several of the tests share.
        support("Test", ["OBDCore", "VehicleLink", "Diagnostics"]),
        support("ScanToolTest", ["OBDCore", "VehicleLink", "Adapters", "ScanTool"]),
        support("SimulatorTest", ["OBDCore", "Adapters", "Diagnostics", "ScanTool", "Simulator"]),

        tests("OBDCore", ["OBDCore"]),
        tests("VehicleLink", ["OBDCore", "VehicleLink", "TestSupport"]),
        tests("Adapters", ["OBDCore", "VehicleLink", "Adapters", "TestSupport"]),
        tests("Diagnostics", ["OBDCore", "Diagnostics", "TestSupport"]),
        tests(
            "ScanTool", ["OBDCore", "Adapters", "ScanTool", "TestSupport", "ScanToolTestSupport"]),
        .testTarget(
            name: "PIDTablesTests",
            dependencies: ["OBDCore", "Diagnostics", "PIDTables", "TestSupport"],
            exclude: ["Diagnostic/code-meanings.tsv"], swiftSettings: unoptimised),
        tests("Formats", ["OBDCore", "Diagnostics", "Formats", "TestSupport"]),
        .testTarget(
            name: "TripImportTests",
            dependencies: ["OBDCore", "Diagnostics", "PIDTables", "TripImport", "TestSupport"],
            exclude: ["Logs"], swiftSettings: unoptimised),
        tests(
            "TableImport", ["OBDCore", "Diagnostics", "PIDTables", "TableImport", "TestSupport"]),
        tests(
            "Conversation",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "PIDTables", "Conversation",
                "TestSupport",
            ]),
        tests("Publishing", ["OBDCore", "Diagnostics", "PIDTables", "Publishing"]),
        tests(
            "Simulator",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "Simulator",
                "PIDTables", "TestSupport", "SimulatorTestSupport",
            ]),
        tests("Accessory", ["OBDCore", "VehicleLink", "CSystem", "SystemIO", "Accessory"]),
        tests(
            "ScanSession",
            [
                "OBDCore", "Adapters", "Diagnostics", "ScanTool", "CSystem", "SystemIO",
                "Accessory", "ScanSession", "TestSupport", "ScanToolTestSupport",
            ]),
        tests(
            "LocalLinks",
            ["OBDCore", "VehicleLink", "Simulator", "SystemIO", "Accessory", "LocalLinks"]),
        tests(
            "VehicleScan",
            [
                "OBDCore", "Adapters", "Diagnostics", "ScanTool", "Simulator", "SystemIO",
                "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan",
                "SimulatorTestSupport",
            ]),
        .testTarget(
            name: "TripStoreTests",
            dependencies: [
                "OBDCore", "Diagnostics", "SystemIO", "PIDTables", "CSQLite", "TripStore",
                "TestSupport",
            ],
            exclude: ["Schemas"], swiftSettings: unoptimised),
        tests(
            "TripRecorder",
            [
                "OBDCore", "Adapters", "Diagnostics", "SystemIO", "Accessory", "ScanSession",
                "LocalLinks", "PIDTables", "VehicleScan", "TripStore", "TripRecorder", "Reports",
                "TestSupport",
            ]),
        tests(
            "Reports",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "Simulator", "SystemIO",
                "PIDTables", "TripStore", "Formats", "TripImport", "Reports", "TestSupport",
            ]),
        tests("Settings", ["PIDTables", "VehicleScan", "Settings", "TestSupport"]),
        tests(
            "Engines",
            [
                "OBDCore", "Diagnostics", "SystemIO", "PIDTables", "VehicleScan", "TripStore",
                "Publishing", "Settings", "Engines", "TestSupport",
            ]),
        tests("TerminalView", ["OBDCore", "Formats", "TerminalView", "TestSupport"]),
        tests("WebServer", ["OBDCore", "CSystem", "SystemIO", "WebServer"]),
        tests(
            "Dashboard",
            [
                "OBDCore", "Diagnostics", "SystemIO", "Accessory", "ScanSession", "LocalLinks",
                "PIDTables", "VehicleScan", "Formats", "WebServer", "Dashboard", "TestSupport",
            ]),
        tests(
            "ObdscanCLI",
            [
                "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "SystemIO",
                "Accessory", "ScanSession", "LocalLinks", "PIDTables", "VehicleScan", "TripStore",
                "Formats", "TripRecorder", "TripImport", "Reports", "Settings", "Engines",
                "TerminalView", "Dashboard", "ObdscanCLI", "TestSupport",
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
                "home_assistant_vehicles.py", "publish_faults.py", "webhook.py", "abrp.py",
                "alert_rules.py",
                "engines.py", "used_cars.py",
                "certificates", "fake_clock.c",
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
// tests alone. OBDSCAN_PART=decode is the product that needs no library of the system.
if let part {
    let machine = [
        "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool",
    ]
    let pure = [
        "Simulator", "PIDTables", "Formats", "TripImport", "TableImport", "Conversation",
        "Publishing", "OBDDecode",
        "EmbedFiles", "EmbedFilesPlugin", "SimulatorTestSupport",
    ]
    let decode = [
        "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "PIDTables", "Formats", "TripImport",
        "Conversation", "OBDDecode", "EmbedFiles", "EmbedFilesPlugin", "TestSupport",
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
        part == "decode"
        ? decode
        : machine + support + (part == "threads" ? threads : part == "gate" ? gate : pure)
    let tested =
        switch part {
        case "decode": decode
        case "threads": threads
        case "gate": machine + ["Simulator", "VehicleScan"]
        default: modules
        }
    package.products.removeAll { part != "decode" || $0.name != "OBDDecode" }
    package.dependencies = []
    package.targets = package.targets.filter { target in
        target.type == .test
            ? tested.contains(String(target.name.dropLast(5))) : modules.contains(target.name)
    }
}

// What reads bytes from outside is fuzzed: with seeds and changed seeds by a test target, and without an end by
// libFuzzer (`scripts/fuzz`, OBDSCAN_FUZZ=1), which compiles the readers with its coverage.
let fuzzed = [
    "OBDCore", "VehicleLink", "Adapters", "Diagnostics", "ScanTool", "Simulator", "PIDTables",
    "Formats", "TripImport", "TableImport", "Conversation", "TripRecorder", "WebServer",
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
} else if part == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzing, path: "Fuzz",
            exclude: ["seeds", "libfuzzer"],
            sources: ["targets", "tests"], swiftSettings: unoptimised))
}
