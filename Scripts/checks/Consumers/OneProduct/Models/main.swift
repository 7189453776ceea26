import Models

struct User: Codable, JsonModel {
    let name: String
}

print("Models: \(try User.from(raw: ["name": "Ada"]).name)")
