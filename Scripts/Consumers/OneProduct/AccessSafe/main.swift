import AccessSafe

print("AccessSafe")
