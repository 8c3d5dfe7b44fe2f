"""Complaint: "My RNN trains on the first piece of text and dies on the second: Trying to backward through the graph a
second time. I call backward once per piece!"

A recurrent net reads a sentence, four characters at a time, and learns to foretell the next character.
"""

import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

TEXT = "the cat sat on the mat and that was that. "
PIECE = 4

mg.manual_seed(0)
letters = sorted(set(TEXT))
codes = mg.tensor([letters.index(letter) for letter in TEXT])
embedding = nn.Embedding(len(letters), 8)
cell = nn.RNNCell(8, 16)
reader = nn.Linear(16, len(letters))
optimizer = optim.Adam([*embedding.parameters(), *cell.parameters(), *reader.parameters()], lr=0.02)

for epoch in range(20):
    hidden = mg.zeros(16)
    total = 0.0
    for start in range(0, len(codes) - PIECE, PIECE):
        losses = []
        for place in range(start, start + PIECE):
            hidden = cell(embedding(codes[place]), hidden)
            losses.append(F.cross_entropy(reader(hidden), codes[place + 1]))
        loss = mg.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 19 == 0:
        print(f"epoch {epoch:2d}: loss {total / (len(codes) // PIECE):.2f}")
