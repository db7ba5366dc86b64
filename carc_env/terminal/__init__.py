"""Games in a terminal. In `play`, a person plays against bots; `watch` shows a game between bots. `play` and `watch`
also work with pipes instead of a terminal.
"""
