"""The page: games for people and bots over HTTP, kept in a database. Needs the extra `web`; `carc serve` begins it."""
