"""The m-range programs of DiPAut's m_range_examples, as text: 2n thresholds, drawn first, and coordinate step % n."""


def m_range(n: int) -> str:
    """DiPAut proves weight 1 for every n: in 0.23 s for n = 1, 506 s for n = 80 (CCS 2023)."""
    numbers = range(1, n + 1)
    lows, highs = [f"low{j}" for j in numbers], [f"high{j}" for j in numbers]
    lines = [f'algorithm m_range_{n} "m-Range of {n} (DiPAut m_range_examples)"', "", "param eps > 0 = 1"]
    lines += [f"param {name} = 0" for name in lows] + [f"param {name} = 1" for name in highs]
    lines += ["", "stream f in real", "adjacent every f within 1", "model flat: f ~ point(0.5)", ""]
    for j in numbers:
        turn = f"step % {n} == {j % n} and " if n > 1 else ""
        lines.append(f"stop when {turn}f >= high{j} return top")
        lines.append(f"stop when {turn}f < low{j} return bottom")
    lines += [
        "",
        f"attach laplace({4 * n} / eps) to {', '.join(lows + highs)} once",
        "attach laplace(4 / eps) to f",
        "",
        "claim strong pure(eps)",
    ]
    return "\n".join(lines) + "\n"
