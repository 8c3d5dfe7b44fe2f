"""Optimisers and schedules of the learning rate, under PyTorch's names.

>>> import minigrad as mg
>>> from minigrad import nn, optim
>>> model = nn.Linear(2, 1)
>>> optimizer = optim.SGD(model.parameters(), lr=0.1)
>>> model(mg.ones(1, 2)).sum().backward()
>>> optimizer.step()
>>> optimizer.zero_grad()
"""

from minigrad.optim import lr_scheduler
from minigrad.optim.adam import Adam, AdamW
from minigrad.optim.lbfgs import LBFGS
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.others import Adagrad, RMSprop
from minigrad.optim.sgd import SGD

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
