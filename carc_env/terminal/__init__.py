"""Games in a terminal. In `play`, a person plays against bots; `watch` shows a game between bots. Both commands also
work with pipes instead of a terminal.
"""
