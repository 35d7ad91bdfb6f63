"""What is read of the store at the moment of a scrape; without a store, zeros."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.store.keeper import Keeper


class KeptGauges(Collector):
    """Reads the writer of the store whenever Prometheus asks."""

    def __init__(self, keeper: Keeper | None) -> None:
        self._keeper = keeper

    def collect(self) -> Iterable[Metric]:
        """All families as they are now."""
        writer = self._keeper.writer if self._keeper is not None else None
        fates = writer.fates() if writer is not None else {}
        queued, spooled = writer.waiting() if writer is not None else (0, 0)
        rows = CounterMetricFamily(
            "rigwise_store_rows", "Rows for the store, by what became of them.", labels=("fate",)
        )
        for fate, count in sorted(fates.items()):
            rows.add_metric((fate,), count)
        yield rows
        yield GaugeMetricFamily(
            "rigwise_store_queued", "Rows that wait for the writer.", value=queued
        )
        yield GaugeMetricFamily(
            "rigwise_store_spooled", "Rows that wait on the disk for the database.", value=spooled
        )
        yield GaugeMetricFamily(
            "rigwise_store_away",
            "1 while the database cannot be used.",
            value=float(writer is not None and bool(writer.fault())),
        )
