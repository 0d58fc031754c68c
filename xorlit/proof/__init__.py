"""The one-step theorem, lemma by lemma: every inequality is a function that returns both sides.

`exact` holds what is equal (the decomposition of the gradient), `bounds` the constants and the
probabilities, `lemmas` the inequalities on one instance.  Chapters *The proof* and *The collision
theorem* state and prove what is computed here.
"""

from xorlit.proof.bounds import (
    Constants,
    cap,
    collision_limit,
    constants,
    failure_bound,
    isotropy,
    norm_tail,
    slow_step,
)
from xorlit.proof.exact import Instance, instance
from xorlit.proof.lemmas import CHECKS, Sides, event, smallest_rho

__all__ = [
    "CHECKS",
    "Constants",
    "Instance",
    "Sides",
    "cap",
    "collision_limit",
    "constants",
    "event",
    "failure_bound",
    "instance",
    "isotropy",
    "norm_tail",
    "slow_step",
    "smallest_rho",
]
