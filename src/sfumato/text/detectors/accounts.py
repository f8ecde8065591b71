"""Account numbers: customers', insurers' and health plans'. Those of banks are with the financial
numbers."""

from __future__ import annotations

from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .cued import CuedNumbers, cues
from .declaration import Basis, DetectorDeclaration

_NAMED = CuedNumbers(
    name="accounts",
    kind=ReferenceKind.ACCOUNT,
    cues=cues(
        """
        0.96: account, accounts, acct, acct#, acc, a c, account id, customer, customer id, client, client id
        0.96: subscriber, subscriber id, member, member id, membership, policy, policyholder, beneficiary
        0.96: beneficiary id, health plan, health plan id, plan id, insurance, insurance id, insurance policy
        0.96: insured id, group number, group no, group id, hpbn, hic, hicn, payer id, medicaid, medicaid id, guarantor
        0.96: claim, contract, hmo, ppo, aetna, cigna, humana, kaiser, blue cross, anthem, bcbs, unitedhealthcare, uhc
        0.96: tricare, billing, loan, utility, meter, loyalty
        0.94: versichertennummer, versicherungsnummer, versicherten, krankenkasse, kundennummer, kunden, vertragsnummer
        0.94: mutuelle, police, assuré, contrat, póliza, afiliado, asegurado, cliente, contrato, polizza, apólice
        0.94: utente, polisnummer, klantnummer, verzekerdennummer, kundnummer, försäkringsnummer, asiakasnumero
        """
    ),
    reason="follows the name of an account, a policy or a member's number",
)


class Accounts:
    """By the word before them only: such numbers have every form."""

    name = "accounts"

    def bid(self, document: Document) -> Iterable[Bid]:
        return _NAMED.bid(document)


DECLARATION = DetectorDeclaration(
    key="accounts",
    doc="account numbers of customers, insurers and health plans",
    kinds=(ReferenceKind.ACCOUNT,),
    basis=Basis.FORM,
    make=Accounts,
    order=150,
    gives_way_below=0.6,
)
