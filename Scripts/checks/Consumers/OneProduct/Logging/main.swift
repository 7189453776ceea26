import Logging

print("Logging: \(Redaction.standard.header("Authorization", "Bearer secret"))")
