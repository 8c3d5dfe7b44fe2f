"""Autograd."""
