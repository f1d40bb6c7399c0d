"""The support vector machines of the growth suite."""
from machines import *  # noqa: F401,F403
