"""The web page on which people and bots play, and the server of this page. The server offers games over HTTP and stores
them in a database. `carc serve` starts the server, which needs the extra `web`.
"""
