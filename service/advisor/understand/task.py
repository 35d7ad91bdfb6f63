"""What is to be done: training, fine-tuning, serving, tables; from cue words in five languages."""

from __future__ import annotations

import re

from service.advisor.types import Family, Stated, Task
from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    assumed,
    cue,
    cues,
    stated,
)

_BOOSTING = r"xg-?boost|light-?gbm|cat-?boost|gradient[- ]boost\w*|boosted trees|\bgbdt\b|\bgbm\b|boosting rounds"
_CLASSICAL = r"scikit(?:-learn)?|\bsklearn\b|random[- ]forests?|logistic regression|linear (?:model|regression)|\bsvms?\b|k-?means|classical (?:ml|machine learning)"
_TABLES = r"(?<!dgx )\bspark\b|\bpyspark\b|\bpandas\b|\betl\b|\bjoins\b|aggregations?|\bdask\b|\bpolars\b|data (?:preparation|cleaning|wrangling)|feature engineering"
_QLORA = r"\bq-?(?:lo|do)ra\b|\bqlroa\b"
_LORA = r"\b(?:lo|do)ra\b|\badapters?\b|\bpeft\b"
_PRETRAIN = r"\bpre-?train\w*|from scratch|vortrainier\w*|preentren\w*|pré-?entraîn\w*|预训练"
_FULL = (
    r"\bfull[- ](?:parameter |weight )?(?:fine?-?\s?tun\w*|train\w*|ft\b)|\bfft\b|full-parameter|every weight|all (?:the |of the )?(?:weights|parameters)|全参数|全量|"
    r"\bfull\b[^.?!]{0,20}fine?-?\s?tun\w*|\b(?:complete|entire|whole)[- ](?:fine?-?\s?tun\w*|model train\w*)|zero[- ]?(?:stage )?[123](?!\d)|optimi[sz]er states?|"
    r"vollständig\w*[^.?!]{0,20}(?:fine-?tun\w*|finetun\w*|feinabstimm\w*)|\balle (?:gewichte|parameter)\b|\btodos los (?:pesos|parámetros)\b|ajuste fino completo|"
    r"\btous les (?:poids|paramètres)\b|fine-?tuning (?:completo|complet)"
)
_FINETUNE = r"fine?-?\s?tun\w*|fin tunn?ing|feinabstimm\w*|nachtrainier\w*|afinar|ajust\w* fino|\baffin(?:er|age)\b|微调|ファインチューニング|дообуч\w*|dreambooth"
_TRAIN = r"\btrain\w*|\bupdating\b|\bretrain\w*|trainier\w*|\bentren\w*|\bentraîn\w*|\btreinar\b|\baddestra\w*|训练|学習|обуч\w*|teach"
_SERVE = (
    r"\b(?:serv(?:e|es|ed|ing)|chat\w*|inference|host\w*|deploy\w*|generat(?:e|es|ion|ing)|summar\w+|answer\w*|assistant|run(?:s|ning)?|load(?:s|ed)?|"
    r"caption\w*|transcrib\w*|detect(?:s|ing)?)\b|ausführen|laufen|betreiben|ejecutar|servir|exécuter|héberger|faire tourner|\blancer\b|\bcorrer\b|\brodar\b|\bexecutar\b|\beseguire\b|推理|部署|运行|推論|動か|запуст\w*"
)
_ONLY_RUN = r"\binference\b|real[- ]?time|\bdeploy\w*|\bserv(?:e|ing)\b|\bpredict\w*|推理|部署"
_RUN_IT = r"\bedge\b|\brun(?:s|ning)?\s+(?:an?\s+|the\s+|my\s+|our\s+)?(?:\w+[\s-]+)?(?:object|image|detect\w*|yolo\w*|resnet\w*|vision|segment\w*|model)"
_EMBED = r"\bembed(?:ding)?s?\b|vector search|\bsemantic search\b"
_NETWORKS = r"\bcnns?\b|convolutional|image classif\w+|\bvision\b|\bresnets?\b"
_PRETRAINING_TOKENS = 1e9
_MANY = 16
_VISION: frozenset[Family] = frozenset({"cnn", "detector", "vit"})


def task_of(text: str, *, family: Family | None, precision: str) -> Stated[Task] | None:
    """The task, or None where nothing tells it. `family` is that of the named model, if any."""
    table = _table_task(text)
    if family is None and table is not None:
        return table
    found = _adapting(text, precision) or _training(text, family)
    if found is not None:
        return found
    if family == "encoder" or (family is None and cue(_EMBED, text)):
        mixed = family == "encoder" and cue(_NETWORKS, text) is not None
        embedding = None if mixed else cue(_EMBED, text) or cue(_ONLY_RUN, text)
        return (
            stated("embedding", embedding)
            if embedding
            else assumed("training" if mixed else "full_finetune", "training is the larger need")
        )
    if family in _VISION:
        run = cue(_ONLY_RUN, text) or cue(_RUN_IT, text)
        return (
            stated("inference", run) if run else assumed("training", "training is the larger need")
        )
    served = cue(_SERVE, text)
    if served is not None:
        return stated("inference", served)
    return assumed("inference", "the model is only run") if family is not None else None


def table_task(text: str) -> Stated[Task] | None:
    """The task on tables that a text names beside another, if any."""
    return _table_task(text)


def _table_task(text: str) -> Stated[Task] | None:
    rows: tuple[tuple[Task, str], ...] = (
        ("gradient_boosting", _BOOSTING),
        ("data_preparation", _TABLES),
        ("classical_ml", _CLASSICAL),
    )
    for task, pattern in rows:
        found = cue(pattern, text)
        if found is not None:
            return stated(task, found)
    return None


def _adapting(text: str, precision: str) -> Stated[Task] | None:
    found = cue(_QLORA, text)
    if found is not None and not _is_full_first(text, found):
        return stated("qlora", found)
    found = cue(_LORA, text)
    if found is None or _is_full_first(text, found):
        return None
    return stated("qlora" if precision in {"nf4", "nf4_dq", "int4"} else "lora", found)


def _is_full_first(text: str, adapter: re.Match[str]) -> bool:
    """Whether all weights are meant and adapters are only a contrast ("not LoRA" is negated anyway)."""
    full = cue(r"\bfull[- ](?:parameter )?fine?-?\s?tun\w*|every weight|全参数|全量", text)
    return full is not None and full.start() < adapter.start()


def _training(text: str, family: Family | None) -> Stated[Task] | None:
    vision = family is not None and family not in {"decoder", "encoder", "encoder_decoder"}
    pretrain, tuned = cue(_PRETRAIN, text), cue(_FINETUNE, text)
    if pretrain is not None and not vision:
        return stated("pretraining", pretrain)
    corpus = _whole_corpus(text) if not vision and tuned is None else None
    full = cue(_FULL, text)
    if corpus is not None or full is not None:
        return corpus or stated("training" if vision else "full_finetune", full or "")
    if tuned is not None and family == "decoder" and precision_free(text):
        return assumed(
            "lora",
            f'"{tuned.group()}" is taken as LoRA, the usual way; all weights need several times as much',
        )
    return _trained(text, family, tuned or cue(_TRAIN, text))


def _trained(
    text: str, family: Family | None, trained: re.Match[str] | None
) -> Stated[Task] | None:
    """Training of all weights; several kinds of models together are a training of no kind's own."""
    if trained is None:
        return None
    if family == "encoder" and cue(_NETWORKS, text) is not None:
        return assumed("training", "several kinds of models are trained")
    vision = family not in {"decoder", "encoder", "encoder_decoder"}
    return stated("training" if vision else "full_finetune", trained)


def _whole_corpus(text: str) -> Stated[Task] | None:
    """Pretraining, though it is not called so: billions of tokens, or states sharded over many devices."""
    trained = cue(_TRAIN, text)
    if trained is None:
        return None
    for found in cues(rf"{amount_pattern()}[\s-]*(?:tokens?|tok\b|词元)", text):
        if amount_of(found) >= _PRETRAINING_TOKENS:
            return assumed(
                "pretraining", f'"{found.group()}" is what a model is trained on from scratch'
            )
    many = next(
        (
            each
            for each in cues(
                rf"{amount_pattern()}[\s-]*(?:\w+[\s-]+)?(?:gpus|devices|accelerators)", text
            )
        ),
        None,
    )
    if (
        many is not None
        and amount_of(many) >= _MANY
        and cue(r"\bzero\b|\bfsdp|data[- ]parallel", text)
    ):
        return assumed("pretraining", f'"{many.group()}" and no word of fine-tuning')
    return None


def precision_free(text: str) -> bool:
    """Whether nothing in the text says that optimizer states of all weights are meant."""
    return cue(r"\badam\w*|optimi[sz]er|mixed precision|\bzero-?\d|\bfsdp\b", text) is None
