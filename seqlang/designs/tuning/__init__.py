"""Parameters of any spec under which its claims are proved and an expression in its exact law is least.

`objective` reads what is minimised in the language of claims; `oracle` decides all claims at given values; `search`
looks for the best values, and knows of specs nothing but that function; `tune` puts them together.
"""
