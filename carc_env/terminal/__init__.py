"""Games in a terminal: `play` sits a person down with bots, `watch` shows two bots at play; both also line by line
through pipes.
"""
