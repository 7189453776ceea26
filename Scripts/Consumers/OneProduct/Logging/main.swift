import Logging

print("Logging")
