"""Optimisers and schedules of the learning rate, under PyTorch's names.

>>> import minigrad as mg
>>> from minigrad import nn, optim
>>> model = nn.Linear(2, 1)
>>> optimizer = optim.SGD(model.parameters(), lr=0.1)
>>> model(mg.ones(1, 2)).sum().backward()
>>> optimizer.step()
>>> optimizer.zero_grad()
"""

from typing import NoReturn

from minigrad.missing import lacking
from minigrad.optim import lr_scheduler
from minigrad.optim.adam import Adam, AdamW
from minigrad.optim.lbfgs import LBFGS
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.others import Adagrad, RMSprop
from minigrad.optim.relatives import Adadelta, Adamax, NAdam, RAdam
from minigrad.optim.sgd import SGD
from minigrad.optim.signs_and_means import ASGD, Rprop

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
