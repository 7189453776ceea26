import ClientSupport
import Dispatch
import Glibc
import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// NetChainKit in the ways in which it can be used. The sender alone: mode=sender-callback, sender-await.
// The chain as a user builds it, with the route and the sender only, and the typed model: chain-await, chain-main
// (callbacks on the main queue); chain-callback calls them where the nodes run. A chain for
// each request: builder-await, client-await (`ApiClient`), middleware-await and node-await (it adds a header).
// For figures without I/O: pass-ready and pass-later.

extension User: JsonModel {}

struct Failed: Error {}

let arguments = try ClientArguments()

switch arguments.mode {
case "pass-ready": Passes(isReady: true).run()
case "pass-later": Passes(isReady: false).run()
case "sender-callback", "sender-await": run(try Client(arguments, uses: .sender))
case "chain-callback": run(try Client(arguments, uses: .chainWithoutQueues))
case "builder-await": run(try Client(arguments, uses: .builder))
case "client-await": run(try Client(arguments, uses: .apiClient))
case "middleware-await": run(try Client(arguments, uses: .middleware))
case "node-await": run(try Client(arguments, uses: .node))
case "chain-await", "chain-main": run(try Client(arguments, uses: .chain))
default: throw ClientArguments.Invalid(argument: "mode=\(arguments.mode)")
}

func run(_ client: Client) {
    if arguments.idle > 0 { wait { try await client.startIdleRequests() } }
    switch arguments.mode {
    case "sender-await", "chain-await", "builder-await", "client-await", "middleware-await", "node-await":
        wait { try await runTasks(arguments) { try await client.request() } }
    case "chain-main":
        DispatchQueue.global().async {
            client.runCallbacks()
            exit(0)
        }
        dispatchMain()
    default: client.runCallbacks()
    }
}
