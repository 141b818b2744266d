"""Monte Carlo: many runs at once with numpy, or one by one with the interpreter."""
