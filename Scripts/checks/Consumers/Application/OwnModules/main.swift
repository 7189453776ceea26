import Logging
import Models
import NetChainKit

let json = try Json(encoding: User(name: "Ada"))
let request = ApiClient("https://api.example.com") { $0.log.sink = .silent }.post("users").body(User(name: "Ada"))
write("\(json) \(request.chain(as: Json.self).chain.names.count)")
