"""The web page: games for people and bots over HTTP, kept in a database. It needs the extra `web`; `carc serve` starts
it.
"""
