"""The panes: each draws one part of a moment, and tells the app what the reader did in a message."""
