"""A gradient by hand: e = (a·b + a)², and what reaches a and b."""

import minigrad as mg

a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)

c = a * b  # 6: keeps a and b, for each is the other's derivative
d = c + a  # 8: keeps nothing; a sum passes its gradient on as it is
e = d * d  # 64: keeps d, twice

# Before you look: what is de/dd, and along how many paths does a gradient reach a?
e.backward()

print(f"de/da = {a.grad.item()}, by hand 2·d·(b + 1) = {2 * 8 * (3 + 1)}")
print(f"de/db = {b.grad.item()}, by hand 2·d·a = {2 * 8 * 2}")
