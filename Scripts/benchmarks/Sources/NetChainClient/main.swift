import ClientSupport

// NetChainKit: mode=sender is the sender alone. The others decode a typed model: client is `ApiClient`, awaited; chain and
// callbacks keep a chain, awaited and with callbacks on the main queue; fast-models is chain with models that read
// themselves. In sender-thread and client-thread, the tasks run on the sender's thread. pass-ready, pass-later and build
// need no server.

let arguments = try ClientArguments()

func run<Model: Decodable & Sendable>(_ model: Model.Type) throws {
    let client = try Client(arguments, decoding: model)
    switch arguments.mode {
    case "pass-ready": Passes(isReady: true).run()
    case "pass-later": Passes(isReady: false).run()
    case "build": Building().run()
    case "sender": try client.runSender()
    case "sender-thread": try client.runSender(on: client.sender.taskExecutor)
    case "client": try client.runClient()
    case "client-thread": try client.runClient(on: client.sender.taskExecutor)
    case "chain", "fast-models": try client.runChain()
    case "callbacks": try client.runCallbacks()
    default: throw ClientArguments.Invalid(argument: "mode=\(arguments.mode)")
    }
}

switch arguments.model {
case .user: try run(User.self)
case .users where arguments.mode == "fast-models": try run([FastUser].self)
case .users: try run([User].self)
}
