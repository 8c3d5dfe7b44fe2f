"""Anomaly mode, under the name of PyTorch's module."""

from minigrad.autograd.modes import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
