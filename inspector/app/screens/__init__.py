"""The screens: the desk with all panes, and the sheets that lie on it for a moment."""
