import NetChainTestKit

print("NetChainTestKit")
