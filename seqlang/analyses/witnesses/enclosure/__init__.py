"""Enclosures of an event's probability: written without the integrator that the search uses."""
