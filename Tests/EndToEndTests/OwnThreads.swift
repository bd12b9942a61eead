import Foundation
import Testing

/// Runs a suite's tests on threads of their own.
///
/// What a test does next must not wait until other tests, which compute or block, leave it one of
/// the few threads of the common pool: programs, adapters and their timeouts do not wait.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadAJob.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    /// Tests do not wait for the common pool.
    static var ownThreads: Self { OwnThreads() }
}

/// A new thread for every piece of work between two suspensions.
private final class ThreadAJob: TaskExecutor {
    static let shared = ThreadAJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
}
