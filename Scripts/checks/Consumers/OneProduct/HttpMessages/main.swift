import HttpMessages

let headers: HttpHeaders = ["Accept": "application/json"]
print("HttpMessages: \(HttpMethod.get) with \(headers)")
