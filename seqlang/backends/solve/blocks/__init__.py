"""Programs that look at their data in blocks: nothing is shown, stopped or remembered until a public report ends the
block, and then a sum over the block is shown with noise. A block is one move of a chain on the memories, and takes as
many steps as it has entries: `block_plan` recognises such programs, `block_moves` computes the moves from given states,
`block_chain` follows them. Everything else goes step by step, by `states`.
"""
