"""Signing in through an OpenID Connect provider, beside the accounts with passwords.

The authorization code flow with PKCE, state and nonce. The provider is believed only as far as its
ID token proves: who somebody is comes from nowhere else.

- `provider.py`: what the provider says of itself, and the calls of it; all leave by `net`.
- `keys.py`, `tokens.py`: whether an ID token is the provider's, for this server, and for this flow.
- `flow.py`: what is kept of a sign-in between its two halves, so that neither can be replayed.
- `people.py`: which account someone is, and which roles their groups give them.
"""

from __future__ import annotations

from fourcorners.server.auth.oidc.flow import SignInFlow
from fourcorners.server.auth.oidc.provider import Provider

__all__ = ["Provider", "SignInFlow"]
