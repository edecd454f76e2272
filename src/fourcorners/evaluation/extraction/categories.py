"""Which built-in provision answers which of CUAD's categories."""

from __future__ import annotations

from collections.abc import Mapping

# category -> (playbook, provision)
CATEGORY_PROVISIONS: Mapping[str, tuple[str, str]] = {
    "Document Name": ("commercial-terms", "document-name"),
    "Parties": ("commercial-terms", "parties"),
    "Agreement Date": ("commercial-terms", "agreement-date"),
    "Effective Date": ("due-diligence", "effective-date"),
    "Expiration Date": ("commercial-terms", "expiration-date"),
    "Renewal Term": ("commercial-terms", "renewal-term"),
    "Notice Period To Terminate Renewal": ("commercial-terms", "renewal-notice"),
    "Governing Law": ("due-diligence", "governing-law"),
    "Most Favored Nation": ("due-diligence", "most-favoured-nation"),
    "Competitive Restriction Exception": (
        "commercial-terms",
        "competitive-restriction-exception",
    ),
    "Non-Compete": ("due-diligence", "non-compete"),
    "Exclusivity": ("due-diligence", "exclusivity"),
    "No-Solicit Of Customers": ("commercial-terms", "non-solicitation-of-customers"),
    "No-Solicit Of Employees": ("commercial-terms", "non-solicitation-of-employees"),
    "Non-Disparagement": ("commercial-terms", "non-disparagement"),
    "Termination For Convenience": ("due-diligence", "termination-for-convenience"),
    "Rofr/Rofo/Rofn": ("due-diligence", "right-of-first-refusal"),
    "Change Of Control": ("due-diligence", "change-of-control"),
    "Anti-Assignment": ("due-diligence", "assignment"),
    "Revenue/Profit Sharing": ("commercial-terms", "revenue-sharing"),
    "Price Restrictions": ("commercial-terms", "price-restrictions"),
    "Minimum Commitment": ("due-diligence", "minimum-commitment"),
    "Volume Restriction": ("commercial-terms", "volume-restriction"),
    "Ip Ownership Assignment": ("commercial-terms", "ip-ownership-assignment"),
    "Joint Ip Ownership": ("commercial-terms", "joint-ip-ownership"),
    "License Grant": ("due-diligence", "licence-grant"),
    "Non-Transferable License": ("commercial-terms", "non-transferable-licence"),
    "Affiliate License-Licensor": ("commercial-terms", "affiliate-licence-licensor"),
    "Affiliate License-Licensee": ("commercial-terms", "affiliate-licence-licensee"),
    "Unlimited/All-You-Can-Eat-License": ("commercial-terms", "unlimited-licence"),
    "Irrevocable Or Perpetual License": ("commercial-terms", "irrevocable-licence"),
    "Source Code Escrow": ("due-diligence", "source-code-escrow"),
    "Post-Termination Services": ("commercial-terms", "post-termination-services"),
    "Audit Rights": ("due-diligence", "audit-rights"),
    "Uncapped Liability": ("commercial-terms", "uncapped-liability"),
    "Cap On Liability": ("due-diligence", "cap-on-liability"),
    "Liquidated Damages": ("commercial-terms", "liquidated-damages"),
    "Warranty Duration": ("due-diligence", "warranty-duration"),
    "Insurance": ("due-diligence", "insurance"),
    "Covenant Not To Sue": ("commercial-terms", "covenant-not-to-sue"),
    "Third Party Beneficiary": ("commercial-terms", "third-party-beneficiary"),
}

PLAYBOOKS = ("due-diligence", "commercial-terms")
