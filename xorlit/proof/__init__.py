"""The one-step theorem, lemma by lemma: every inequality is a function that returns both sides.

`exact` holds what is equal (the decomposition of the gradient), `bounds` the constants and the
probabilities, `lemmas` the inequalities on one instance, `balance` those of balanced positions.
Chapters *The proof* and *The collision
theorem* state and prove what is computed here.
"""

from xorlit.proof.balance import balanced_bound, balanced_rho, even_part, odd_part
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
from xorlit.proof.exact import Instance, draw, instance
from xorlit.proof.lemmas import CHECKS, Sides, event, smallest_rho

__all__ = [
    "CHECKS",
    "Constants",
    "Instance",
    "Sides",
    "balanced_bound",
    "balanced_rho",
    "cap",
    "collision_limit",
    "constants",
    "draw",
    "even_part",
    "event",
    "failure_bound",
    "instance",
    "isotropy",
    "norm_tail",
    "odd_part",
    "slow_step",
    "smallest_rho",
]
