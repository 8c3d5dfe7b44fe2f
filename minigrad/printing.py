def tensor_text(t): return f"tensor({t.array.tolist()})"
