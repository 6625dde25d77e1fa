"""What hung ranks leave, and who waits for whom.

flight recorder ─▶ RankDump ─┐
stacks ─▶ RankStacks ────────┴▶ DumpSet ─▶ Hang ─▶ lines that signatures know
"""
