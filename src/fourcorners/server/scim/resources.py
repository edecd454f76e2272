"""What a directory may say of a person or a group; the rest of SCIM's schemas is not read."""

from __future__ import annotations

from typing import Annotated, Any

from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    ETag,
    Filter,
    GroupMember,
    Mutability,
    Patch,
    Required,
    Resource,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

MAX_RESULTS = 200
"""Resources of one answer, at most."""


class User(Resource[Any]):
    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true, Mutability.immutable] = None
    active: bool | None = None


class Group(Resource[Any]):
    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[GroupMember] | None = None


POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
)
"""Entra and Okta send more than is stored here, and Entra removes members by value."""

SERVICE = ScimProvider(
    models=[User, Group],
    config=ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=MAX_RESULTS),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=False),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="API token",
                description="A token of the scope scim, made by an administrator.",
                primary=True,
            )
        ],
    ),
)
