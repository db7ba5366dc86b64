"""Games in a terminal. The module `play` lets a person play against bots. The module `watch` shows a game between bots.
`play` and `watch` also work with pipes instead of a terminal.
"""
