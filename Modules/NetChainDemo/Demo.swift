import NetChainKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows NetChainKit on real requests, against the demo's own server or, for a plain GET, another one.
@main
struct Demo {
    static func main() async {
        do {
            let arguments = try DemoArguments(Array(CommandLine.arguments.dropFirst()))
            if let help = arguments.help { return print(help) }
            let terminal = DemoTerminal()
            let steps =
                try arguments.baseUrl.map { DemoSteps.plainGet($0) }
                ?? DemoSteps.all(DemoServer(), terminal, outputFolder: arguments.outputFolder)
            let failed = await run(steps, terminal)
            exit(failed == 0 ? 0 : 1)
        } catch {
            writeToStandardError("NetChainDemo: \(error)\n")
            exit(2)
        }
    }

    /// Runs the steps in order and prints the result of each. Returns the number of failed steps.
    private static func run(_ steps: [DemoStep], _ terminal: DemoTerminal) async -> Int {
        let start = ContinuousClock.now
        var failed = 0
        for (index, step) in steps.enumerated() {
            terminal.title("\(index + 1). \(step.title)")
            do {
                try await step.run()
            } catch {
                failed += 1
                terminal.line("FAILED: \(error)")
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let tenths = Int((seconds * 10).rounded())
        print(
            "\nNetChainDemo: \(steps.count - failed) of \(steps.count) steps passed in \(tenths / 10).\(tenths % 10) s")
        return failed
    }
}

/// One step of the demo. It throws if the result is not the expected one.
struct DemoStep: Sendable {
    let title: String
    let run: @Sendable () async throws -> Void
}

/// An unexpected result of a step, or an invalid argument.
struct DemoError: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, _ expectation: String) throws {
    guard condition else { throw DemoError(description: "expected \(expectation)") }
}
