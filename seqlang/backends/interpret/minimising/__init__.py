"""The argument at which a convex expression is least, by its gradients."""
