"""What each pane says at a moment, as lines without colours or widgets. Must not know Textual."""
