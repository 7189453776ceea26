import NodeCore

print("NodeCore")
