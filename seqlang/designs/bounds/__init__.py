"""What no test can do better, enclosures of what a design does, and classic boundaries."""
