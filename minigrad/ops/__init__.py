"""The families of operations: each module defines operations and lends their methods to ``Tensor``."""
