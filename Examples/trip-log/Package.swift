// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "trip-log",
    dependencies: [.package(name: "obdscan", path: "../..")],
    targets: [
        .executableTarget(
            name: "trip-log",
            dependencies: [
                .product(name: "OBDScan", package: "obdscan"),
                .product(name: "OBDTrips", package: "obdscan"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
