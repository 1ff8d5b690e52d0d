"""Abbreviations that keep a full stop from ending a sentence, by how they behave.

All are written without their last stop and in lower case, for English, German, French, Spanish, Portuguese,
Russian and Ukrainian. Words that are also common words (``art``, ``app``) stand only where a number must follow.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words("""
    e.g i.e eg ie cf vs viz ibid fig figs eq eqs eqn eqns approx ca circa resp incl excl suppl supp op.cit
    loc.cit bzw vgl ggf evtl abb nr hrsg bspw inkl exkl sog gem z.b d.h u.a o.ä i.d.r s.o s.u p.ex env éd pág
    págs núm aprox p.ej см рис табл стр гл проф акад им ул напр ср т.е т.к ред вып доц ст мал
""")
"""What stands before something by its meaning, so that no sentence ends there."""

TITLES = _words("""
    dr mr mrs ms mx prof st gen rev hon col lt capt sgt mt ft pres gov sen rep messrs dra sr sra srta mme mlle
""")
"""What stands before a name when it is written with a capital."""

BEFORE_NUMBER = _words("""
    p pp no nos nr n c s fol f ff l ll v vv art arts sect sects sec secs ch chap chaps tab tbl tbls app appx vol
    vols pt para paras def thm lem cor prop alg ver ser ref refs ext est jan feb mar apr jun jul aug sep sept
    oct nov dec max min avg bd jg jhd mai с т ч п д г б capp fn vers cap caps lib
""")
"""What does not end a sentence when a number or a bracket follows."""

BEFORE_NAME = _words("""
    etc al inc ltd co corp jr sr ph.d m.d b.a m.a b.sc m.sc a.m p.m u.s u.k e.u u.s.a u.n d.c bros ed eds trans
    dept univ assn sp spp subsp cv usw u.s.w г гг др пр т.д т.п н.э в вв руб ee uu ee.uu s.a s.l
""")
"""What may end a sentence: it does when a word follows that sentences often begin with."""

STARTERS = _words("""
    the this these those that there they we it its in on at by to of for from with without as an a and but or so
    if when while where whereas although though however moreover furthermore therefore thus hence here then also
    after before during since until because such some many most several few all both each every another other
    others our their his her he she you i my your one two three first second third finally next later overall
    similarly conversely nevertheless nonetheless meanwhile instead indeed additionally consequently accordingly
    besides specifically notably importantly interestingly recently currently recent previous prior according
    given despite what which who how why not no only even still yet once under over between among through across
    using based whether either neither unlike like let see note consider participants patients results studies
    der die das ein eine es er sie wir ich im am auf bei mit nach von zu aber und oder dies diese dieser dieses
    le la les un une il elle ils elles nous ce cette ces dans en pour par sur mais et ou el los las una y pero
    он она оно они мы вы я это эти этот эта в во на по с со из к о об от для при за но и а или как так также
    однако затем поэтому после до если когда где потом следующее
""")
"""Words that sentences often begin with: a capital on one of them is that of a sentence, not of a name."""

MONTHS = _words("januar jänner februar märz april mai juni juli august september oktober november dezember")
"""German months: before them a number with a stop is a day."""
