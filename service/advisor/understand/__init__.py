"""Understand a workload: every field from the words of a question, from an assumption, or missing."""

from __future__ import annotations

from service.advisor.understand.workload import Missing, Understood, Vocabulary, understand

__all__ = ["Missing", "Understood", "Vocabulary", "understand"]
