import ResponseProcessing

print("ResponseProcessing")
