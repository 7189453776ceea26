import Models

print("Models")
