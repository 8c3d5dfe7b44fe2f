"""The trace: what happened, fact by fact, and the state of it at any step. Knows neither minigrad nor any screen."""
