"""The exercises of the lessons, a module for each: ``TASKS`` by number, with their truths and their usual mistakes."""
