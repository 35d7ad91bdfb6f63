"""Where it may run: cloud, own rooms, purchase; providers, regions, privacy, power, noise and form."""

from __future__ import annotations

import re
from typing import Any

from service.advisor.types import Placement, Stated
from service.advisor.understand.words import (
    amount_of,
    amount_pattern,
    blank,
    compiled,
    cue,
    cues,
    denied,
    stated,
)

_N = amount_pattern()
_LEAVE = (
    r"(?:(?:may|must|can|should|do(?:es)?|will|allowed to)\s?(?:not|n?['’]?t)|cannot|never|not allowed to)\s+(?:ever\s+)?(?:leave|be uploaded|go (?:to|into) the cloud|be sent)|"
    r"\b(?:stays?|remains?|kept|keep|must be|must stay)\s+(?:\w+\s+)?(?:in|on|at|inside|within)\s+(?:our|the|my|a|your)?\s*(?:\w+\s+)?(?:data[- ]?cent(?:er|re)|premises|building|hospital|"
    r"house|home|desk|office|site|network|company|country|rack|server room)|\bon[- ]prem-?only\b|air-?gapped|air gap|"
    r"nothing (?:goes )?(?:in|into|to) the cloud|(?:no|not(?: in)?|without(?: the)?|never(?: in)?) (?:the )?(?:public )?cloud|cloud sells|"
    r"nicht in die cloud|keine cloud|(?:haus|gebäude|klinik|firma)\s+nicht\s+verlassen|sin nube|no (?:pueden?|debe\w*) salir|pas de cloud|ne (?:doivent|peuvent) pas (?:quitter|sortir)|"
    r"(?:nothing|no (?:data|records|files|documents|scans|notes))\s+(?:may|can|must|should|is allowed to|are allowed to)\s+(?:ever\s+)?(?:go|get|be sent|leave|cross)|"
    r"(?:may|must|can|should)\s?(?:not|n['’]?t|never)\s+(?:ever\s+)?(?:go|get) (?:outside|out of|beyond)|\b(?:stays?|remains?) in-?\s?house\b|不出(?:医院|公司|内网)|不能上云|不能离开|不允许上云|本地部署|only local|local(?:ly)? only|nothing leaves"
)
_REGULATED = r"\bhipaa\b|\bgdpr\b|\bdsgvo\b|\bphi\b|patient\w*|medical records|clinical notes|confidential|personal data|regulated data|classified"
_CLOUD = (
    r"\bcloud\b|\brent(?:ing|al|ed)?\b|\bon[- ]demand\b|\bspot\b|\baws\b|\bazure\b|\bgcp\b|google cloud|\brunpod\b|\blambda (?:labs|cloud)\b|\bnebius\b|\bverda\b|\bec2\b|\bvast\.ai\b|\bcoreweave\b|\bpaperspace\b|\bsagemaker\b|\bvertex ai\b|\bcolab\b|\bscaleway\b|\bovh(?:cloud)?\b|\boracle cloud\b|"
    r"\binstances?\b(?! segment)|\bmieten\b|\balquilar\b|\blouer\b|云上|租|\bnuage\b|\bnube\b"
)
_BUY = r"(?<!must i )(?<!have to )(?<!need to )(?<!must we )(?<!wants to )(?<!should i )(?<!some say )(?<!without )\bbuy(?:ing)?\b|\bpurchas\w+|\bkaufen\b|\bcomprar\b|\bacheter\b|购买|\bbuild (?:a|one|my|our)\b"
_LOCAL = (
    r"\bat home\b|\bliving[- ]room\b|\bmy desk\b|\bthe desk\b|\bin (?:our|my|the) office\b|\bdesktop\b|\bworkstation\b|\blaptop\b|\bnotebook\b(?! gpus)|\bmy (?:pc|computer|machine)\b|\bthe pc\b|"
    r"\blocal(?:ly|es|en)?\b|\bzu hause\b|\blokal\b|\blocalement\b|\ben casa\b|\bem casa\b|\ba casa\b|\bchez moi\b|\b(?:mi|meu|mio) (?:pc|ordenador|computadora?|portátil|portatile)\b|\bmon (?:pc|ordinateur)\b|\bmein(?:em|en)? (?:pc|rechner)\b|本地|家里|office socket|gaming pc"
)
_ONPREM = r"\bon[- ]prem\w*|server[- ]room|\brack\b|\bdata[- ]?cent(?:er|re)\b|\bin-?house\b|rechenzentrum|serverraum|机房|\bour (?:own )?(?:servers?|cluster)\b|own hardware"
_ORGANIZATION = r"\b(?:hospital|patients?|building|clinic|clinicians|clinical|company|bank|law firm|team|group|department|university|institute|klinik|firma|krankenhaus|empresa|entreprise|hôpital)\b|医院|公司"
_PROVIDERS = {
    "aws": r"\baws\b|\bamazon\b|\bec2\b",
    "azure": r"\bazure\b",
    "gcp": r"\bgcp\b|\bgoogle cloud\b",
    "lambda": r"\blambda(?: labs| cloud)?\b",
    "nebius": r"\bnebius\b",
    "runpod": r"\brunpod\b",
    "verda": r"\bverda\b|\bdatacrunch\b",
}
_REGION = r"\b(?:us|eu|ap|ca|sa|me|af|il|mx)-(?:gov-)?(?:(?:north|south)?(?:east|west)|north|south|central)-\d\b|\b(?:us|europe|asia|northamerica|southamerica|australia|me|africa)-(?:(?:north|south)?(?:east|west)|north|south|central)\d\b"
_RESIDENCY = {
    "US": r"\b(?:in|within|inside|leave) the (?:us|usa|united states)\b",
    "DE": r"\b(?:in|leave|within) (?:germany|deutschland|frankfurt|berlin|munich|münchen)\b",
    "FR": r"\b(?:in|en|leave|within) france\b",
    "GB": r"\bin the (?:uk|united kingdom)\b",
    "EU": r"\b(?:in|within|inside|stay in|leave) (?:the )?(?:eu|europe|european union)\b|\beu[- ](?:region|only|hosted)\b",
    "JP": r"\bin japan\b",
    "IN": r"\bin india\b",
    "CA": r"\bin canada\b",
    "AU": r"\bin australia\b",
}
_COUNTRY = r"\s*(?:in |the )*(?:eu\b|europe|european union|us\b|usa\b|united|uk\b|germany|deutschland|france|japan|india|canada|australia|country)"
_FORMS = (
    (
        "silent",
        r"\bsilent\b|\bquiet\b|\bnoise should be low\b|\blow[- ]noise\b|\bleise\b|\bsilencio\w+|\bsilencieu\w+|安静",
    ),
    ("one_box", r"\bone box\b|\bsingle box\b|\ball[- ]in[- ]one\b"),
    ("laptop", r"\blaptop\b(?!\s*\d{4})|\bnotebook computer\b|\bportable\b"),
    (
        "server_room",
        r"server[- ]room|\brack\b|\bdata[- ]?cent(?:er|re)\b|serverraum|rechenzentrum|机房",
    ),
    ("low_profile", r"\blow[- ]profile\b|\bsmall form factor\b|\bsff\b"),
)
_NO_CARD = r"(?:no|without (?:a|any)?|kein\w*|ohne|sin|sans) ?(?:dedicated |discrete )?(?:graphics card|gpu|grafikkarte|tarjeta gráfica|carte graphique)\b"
_NO_PURCHASE = r"\bno (?:new |further |more )?purchase|without (?:buying|purchasing)|\b(?:do not|don't|won't|cannot|can't) (?:want to )?buy\b|\bbuy nothing\b|ohne (?:etwas )?(?:zu )?kauf\w*|sin comprar|sans (?:rien )?acheter|不买"
_CIRCUIT = r"(?P<volts>1[012]\d|2[0-4]\d)\s?v(?:olts?)?\b[^.?!]{0,20}?(?P<amps>\d{1,2})\s?a(?:mps?|mperes?)?\b"
_WATTS = rf"(?:about |at most |only |max(?:imum)? )?{_N}\s?(?P<unit>k?w(?:atts?)?)\b\s*(?:for everything|in total|total|circuit|available|limit|at most|max)?"
_BREAKER_SHARE = 0.8


def place_fields(text: str, *, regions: frozenset[str]) -> dict[str, Any]:
    """The fields of a workload that say where it may run."""
    private, regulated = compiled(_LEAVE).search(text), cue(_REGULATED, text)
    residency, providers = _residency(text), _providers(text)
    if private is not None and compiled(_COUNTRY).match(text[private.end() :]):
        private = None
    fields: dict[str, Any] = {
        "placement": _placement(text, private),
        "privacy": stated("the data must stay on the asker's premises", private)
        if private
        else None,
        "providers": providers,
        "region": _region(text, regions),
        "residency": residency,
        "form": _form(text),
        "watts_max": _watts(text),
        "new_only": stated(value=True, match=found)
        if (
            found := cue(
                r"\bbrand[- ]new\b|\bnew only\b|\bno(?:t|thing)? used\b|\bnot second[- ]hand\b",
                text,
            )
        )
        else None,
    }
    if providers is not None and fields["placement"] is None and not names_home(text):
        fields["placement"] = stated("cloud", providers.words)
    if private is None and regulated is not None:
        fields["privacy"] = stated("regulated data: a cloud needs a contract for it", regulated)
    return fields


def _residency(text: str) -> Stated[str] | None:
    rows = ((code, compiled(pattern).search(text)) for code, pattern in _RESIDENCY.items())
    return next((stated(code, found) for code, found in rows if found is not None), None)


def _placement(text: str, private: re.Match[str] | None) -> Stated[Placement] | None:
    """Own rooms where privacy asks for them; a cloud or a purchase where only one of the two is named."""
    rest = blank(text, private.span()) if private is not None else text
    cloud, buy = cue(_CLOUD, rest), cue(_BUY, rest)
    local, onprem = cue(_LOCAL, rest), cue(_ONPREM, rest)
    if private is not None:
        shared = onprem is not None or cue(_ORGANIZATION, text) is not None
        return stated("onprem" if shared else "local", private)
    open_choice = cue(r"\bor\b|\boder\b|\bou\b|还是", rest) is not None
    if cloud is not None and open_choice and (buy or local or onprem):
        return None
    free = _is_free(rest)
    rows: tuple[tuple[Placement, re.Match[str] | None], ...] = (
        ("cloud", cloud if not (denied(_BUY, rest) or local or onprem) else None),
        ("onprem", onprem),
        ("local", None if free else local),
        ("buy", None if free else buy),
    )
    return next((stated(place, found) for place, found in rows if found is not None), None)


def names_home(text: str) -> bool:
    """Whether own rooms or a purchase are spoken of too, so that the place is open."""
    return any(cue(pattern, text) is not None for pattern in (_BUY, _LOCAL, _ONPREM))


def _is_free(text: str) -> bool:
    """Whether buying is only one of the ways that the text leaves open."""
    return (
        cue(r"buy or (?:use|rent)|rent or buy|something free|or rent|or (?:the )?cloud", text)
        is not None
    )


def _providers(text: str) -> Stated[tuple[str, ...]] | None:
    named = {name: found for name, pattern in _PROVIDERS.items() if (found := cue(pattern, text))}
    if not named:
        return None
    return stated(tuple(sorted(named)), ", ".join(found.group() for found in named.values()))


def _region(text: str, regions: frozenset[str]) -> Stated[str] | None:
    lowered = text.casefold()
    code = compiled(_REGION).search(text)
    for word in re.findall(r"[a-z][a-z0-9-]{4,}\d?", lowered):
        if word in regions:
            return stated(word, word)
    return stated(code.group().casefold(), code) if code is not None else None


def _form(text: str) -> Stated[tuple[str, ...]] | None:
    found = [(name, each) for name, pattern in _FORMS if (each := cue(pattern, text))]
    without = compiled(_NO_CARD).search(text)
    owned = compiled(_NO_PURCHASE).search(text)
    if owned is not None:
        found.append(("own_only", owned))
    names = [name for name, _ in found] + (["no_card"] if without else [])
    if not names:
        return None
    words = ", ".join([each.group() for _, each in found] + ([without.group()] if without else []))
    return stated(tuple(names), words)


def _watts(text: str) -> Stated[float] | None:
    """The continuous load that a circuit takes: 80 % of its breaker; or the watts that are named."""
    circuit = compiled(_CIRCUIT).search(text)
    if circuit is not None:
        return stated(float(circuit["volts"]) * float(circuit["amps"]) * _BREAKER_SHARE, circuit)
    for found in cues(_WATTS, text):
        scale = 1000.0 if found["unit"].lower().startswith("k") else 1.0
        near = text[max(0, found.start() - 50) : found.end() + 30]
        if compiled(
            r"circuit|socket|outlet|supply|psu|everything|power (?:limit|budget)|steckdose|gives us"
        ).search(near):
            return stated(amount_of(found) * scale, found)
    return None


def circuit_of(text: str) -> tuple[float, float, str] | None:
    """Volts and amperes of a circuit that the text names."""
    found = compiled(_CIRCUIT).search(text)
    return (float(found["volts"]), float(found["amps"]), found.group()) if found else None
