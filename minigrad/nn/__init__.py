"""Layers, losses and what modules are made of, under PyTorch's names.

>>> import minigrad as mg
>>> from minigrad import nn
>>> model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
>>> sum(p.numel() for p in model.parameters())
17
"""

from minigrad.nn import functional, init
from minigrad.nn.activation import LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from minigrad.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from minigrad.nn.dropping import Dropout, Dropout1d, Dropout2d, Dropout3d
from minigrad.nn.linear import Flatten, Identity, Linear, Unflatten
from minigrad.nn.lookup import Embedding
from minigrad.nn.losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from minigrad.nn.module import Module
from minigrad.nn.parameter import Buffer, Parameter

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "Buffer",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "Flatten",
    "HuberLoss",
    "Identity",
    "L1Loss",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Tanh",
    "Unflatten",
    "functional",
    "init",
]
