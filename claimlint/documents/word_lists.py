"""The word lists that decide about sentences: labels, names, function words. All in lower case."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERED = _words(
    """
    algorithm annex appendices appendix arm article articles axiom block box case category chapter chapters class
    clause cohort condition corollary criterion day definition directive document eq eqn eqs equation equations
    example exercise experiment fig figs figure figures footnote grade grades group hypothesis item lemma level
    line lines listing model module note page pages panel para paragraph part parts phase phases position pp p
    problem proposition protocol question questions ref reference regulation remark room round row rows rule
    sample scenario section sections session sheet site slide stage stages step steps study table tables tbl
    theme theorem tier type types vol volume wave week zone building bus
    agreement accession approval award build catalog catalogue commit contract contribution cve cwe grant grants
    id ids isbn issn issue issues no nos nr number numbers patent pmid pmcid policy pr prs project projects
    release releases request requests revision ticket v ver version versions
    ansi css cuda din doi gpt html http ieee iso nist pep pm rfc sdg sql tls usb utf xml
    """
)
"""A number behind one of these names a thing: a part of a document, a file of an office, a standard, a version."""

LOOSELY_NUMBERED = _words(
    """
    arm building bus case cohort condition contract example exercise experiment group issue issues item line lines
    listing model module number numbers policy position problem project projects question questions round row rows
    sample scenario session site study week day wave
    """
)
"""Of these, the ones behind which a number may count what follows: *in the control group 12 patients left*."""

NOT_PRODUCTS = _words(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday mean median total age score range about approximately over around
    nearly only all at from between of in to another every each usd eur gbp
    """
)
"""Capitalised words that make no product name with the number behind them."""

FUNCTION_WORDS = _words(
    """
    and or but is are was were has have had can will would may might must should does do did in on at by for from
    to of with without as that which who when while where if than then because since so through via into onto
    under over using uses used use be been also both not itself
    """
)
"""Words that a number in front of them does not count."""

LY_ADJECTIVES = _words(
    """
    family early elderly daily weekly monthly yearly quarterly only friendly assembly supply reply anomaly italy
    july fly ally belly bully homily monopoly
    """
)
"""Words in *-ly* that are no adverbs, so that *most* in front of them counts."""

CROSS_REFERENCE_COLON = _words(
    """
    fig figs figure sfig suppfig supfig tbl tbls tab table stbl supptbl suptbl sec section eq eqn equation lst
    listing code thm theorem lem lemma cor prp prop cnj def exm exr ex sol rem prf alg algo algorithm vid video
    app apx appendix chap ch chapter part page note box nte tip wrn imp cau
    """
)
"""Prefixes of cross-reference keys before a colon: pandoc-crossref, pandoc-xnos, bookdown, MyST."""

CROSS_REFERENCE_HYPHEN = _words(
    """
    fig tbl tab sec eq lst thm lem cor prp cnj def exm exr sol rem prf alg vid nte tip wrn imp cau apx app suppfig
    supptbl suppsec
    """
)
"""Prefixes of cross-reference keys before a hyphen: those that Quarto reserves."""

NO_AUTHORS = _words(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec spring summer autumn fall winter monday tuesday wednesday thursday friday saturday
    sunday since in until by from after before during between circa about around as of on the and or to at q1 q2
    q3 q4 figure fig table tab section chapter appendix version release year years ad ce bc copyright accessed
    updated data wave phase part step stage equation eq note
    """
)
"""Words before a year that are no author."""

ET_AL = _words("al colleagues collaborators coworkers co-workers others")
"""The ends of an author list cut short."""

ARTICLES = _words("the a an this that our its their")
"""Words before a name that make it a thing, as in *the Act (2010)*."""

COMMON_NAMES = _words(
    "python r julia matlab java javascript rust fortran c++ jupyter github linux markdown the a an"
)
"""Names in titles that are hardly ever the work's own."""

ARTEFACTS = (
    r"package|library|software|toolbox|toolkit|tool|framework|program|platform|module|plugin|extension|pipeline"
    r"|workflow|simulator|solver|app|application|interface|wrapper|codebase|code|dataset|data\sset|database|corpus"
    r"|benchmark|model|architecture|algorithm|language|system|infrastructure|service|repository|registry|notebook"
    r"|API|suite|client|server|engine|parser|compiler|linter|collection"
)
"""What a paper can be about that has a name of its own; alternatives of a pattern."""

DOCUMENTS = (
    r"paper|study|article|work|review|survey|manuscript|report|thesis|chapter|analysis|dissertation|essay|project"
    r"|preprint|contribution|tutorial|case\sstudy|meta-analysis|experiment|trial"
)
"""What authors call the text they write; alternatives of a pattern."""

POINTS = (
    r"advances|advantages|approaches|aspects|benefits|caveats|challenges|considerations|difficulties|directions"
    r"|disadvantages|drawbacks|examples|features|goals|issues|kinds|limitations|lines|objectives|opportunities"
    r"|options|points|possibilities|problems|properties|questions|reasons|requirements|respects|shortcomings"
    r"|sorts|steps|strategies|themes|ways"
)
"""Nouns that announce what the text goes on to list; alternatives of a pattern."""
