"""The gate: ask a private table, get only what is safe for you to know. Stands beside `reviews`, under `cli`."""
