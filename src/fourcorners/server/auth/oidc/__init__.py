"""Signing in through an OpenID Connect provider, in addition to accounts with passwords.

The authorization code flow with PKCE, state and nonce. The provider is believed only as far as its
ID token proves: who somebody is comes from nowhere else.
"""

from __future__ import annotations

from fourcorners.server.auth.oidc.flow import SignInFlow
from fourcorners.server.auth.oidc.provider import Provider

__all__ = ["Provider", "SignInFlow"]
