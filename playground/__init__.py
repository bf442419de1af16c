"""The playground: ask a question in the browser, look into every step, change it, run it again."""
