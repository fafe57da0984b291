# SPDX-License-Identifier: Apache-2.0
"""Why a goal is missed, and what to try next: told beside the figure whenever it is. A key that ends with * stands for all
that begin so."""

REASONS = {}


def reason(key):
    if key in REASONS:
        return REASONS[key]
    return next((text for pattern, text in REASONS.items() if pattern.endswith("*") and key.startswith(pattern[:-1])), "")
