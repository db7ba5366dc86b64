"""The web page and its server: games for people and bots over HTTP, stored in a database. `carc serve` starts the
server, which needs the extra `web`.
"""
