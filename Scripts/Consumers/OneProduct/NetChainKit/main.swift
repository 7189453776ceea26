import NetChainKit

print("NetChainKit")
