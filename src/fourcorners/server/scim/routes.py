"""The addresses that a directory calls, under /scim/v2, with a token of the scope `scim`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError
from scim2_models import (
    Context as Exchange,
)
from scim2_models import (
    Error,
    ListResponse,
    NotFoundException,
    PatchOp,
    Resource,
    ResourceType,
    ResponseParameters,
    Schema,
    SCIMException,
    SearchRequest,
)

from fourcorners.errors import FourcornersError
from fourcorners.operations.errors import NotAllowed, Refusal
from fourcorners.operations.principal import Role
from fourcorners.server.auth.identity import SCIM
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import NotSignedIn, TooManyRequests, error_for_caller
from fourcorners.server.rate_limit import REQUESTS_PER_MINUTE, RateLimiter
from fourcorners.server.scim.directory import Directory
from fourcorners.server.scim.resources import MAX_RESULTS, POLICY, SERVICE, Group, User

_log = logging.getLogger("fourcorners.server")
_MEDIA = "application/scim+json"
_Payload = Annotated[dict[str, Any], Body()]


class ScimRoute(APIRoute):
    """A route whose refusals are SCIM's own."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def run(request: Request) -> Response:
            try:
                return await handle(request)
            except SCIMException as error:
                return _refusal(error.to_error())
            except RequestValidationError:
                return _refusal(Error(status=400, scim_type="invalidSyntax"))
            except ValidationError as error:
                return _refusal(Error.from_validation_errors(error)[0])
            except FourcornersError as error:
                known = error_for_caller(error)
                status = known.status if isinstance(known, Refusal) else 400
                answer = _refusal(Error(status=status, detail=known.message))
                if isinstance(known, NotSignedIn):
                    answer.headers["WWW-Authenticate"] = "Bearer"
                if isinstance(known, TooManyRequests):
                    answer.headers.update(known.headers)
                return answer
            except Exception:  # noqa: BLE001 - a program gets SCIM, not a page
                _log.exception("a defect")
                return _refusal(Error(status=500, detail="something went wrong on the server."))

        return run


class ScimGuard:
    """Counts requests, and refuses whoever brings no token: a browser's cookie opens nothing."""

    def __init__(self) -> None:
        self._rate = RateLimiter(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE // 2)

    def __call__(self, request: Request, context: Context) -> None:
        """Look at one request; its answer tells how many more there may be.

        Raises:
            NotAllowed: If the token is another's than an administrator's.
            NotSignedIn: If there is none.
            TooManyRequests: If the directory has asked too often.
        """
        if not request.headers.get("authorization", "").casefold().startswith("bearer "):
            raise NotSignedIn("a token of the scope 'scim' is needed.")
        request.state.rate_status = self._rate.spend(context.principal.name)
        if not context.principal.may_everywhere(Role.ADMIN):
            raise NotAllowed("the owner of this token does not administer the library.")


router = APIRouter(prefix=SCIM, route_class=ScimRoute)


def install(app: FastAPI) -> None:
    """Give an application these addresses."""
    app.include_router(router, dependencies=[Depends(ScimGuard())], include_in_schema=False)


@contextmanager
def _directory(context: RequestContext) -> Iterator[Directory]:
    with context.access() as access, POLICY:
        library = access.full_library(Role.ADMIN)
        yield Directory(library, context.state.settings.oidc, by=context.principal.name)


@router.get("/Users")
def list_users(context: Context, request: Request) -> Response:
    with _directory(context) as directory:
        asked = SearchRequest[User].model_validate(dict(request.query_params))
        return _list(User, asked, directory.list_users(asked.filter))


@router.post("/Users")
def create_user(context: Context, payload: _Payload) -> Response:
    with _directory(context) as directory:
        asked = User.model_validate(payload, scim_ctx=Exchange.RESOURCE_CREATION_REQUEST)
        return _resource(directory.add_user(asked), Exchange.RESOURCE_CREATION_RESPONSE)


@router.get("/Users/{name}")
def get_user(context: Context, request: Request, name: str) -> Response:
    with _directory(context) as directory:
        return _resource(directory.get_user(name), Exchange.RESOURCE_QUERY_RESPONSE, request)


@router.put("/Users/{name}")
def replace_user(context: Context, name: str, payload: _Payload) -> Response:
    with _directory(context) as directory:
        asked = User.model_validate(payload, scim_ctx=Exchange.RESOURCE_REPLACEMENT_REQUEST)
        changed = directory.set_user(name, asked)
        return _resource(changed, Exchange.RESOURCE_REPLACEMENT_RESPONSE)


@router.patch("/Users/{name}")
def update_user(context: Context, name: str, payload: _Payload) -> Response:
    with _directory(context) as directory:
        user = directory.get_user(name)
        _patch(User, payload).patch(user)
        return _resource(directory.set_user(name, user), Exchange.RESOURCE_PATCH_RESPONSE)


@router.delete("/Users/{name}")
def delete_user(context: Context, name: str) -> Response:
    with _directory(context) as directory:
        directory.delete_user(name)
    return Response(status_code=204)


@router.get("/Groups")
def list_groups(context: Context, request: Request) -> Response:
    with _directory(context) as directory:
        asked = SearchRequest[Group].model_validate(dict(request.query_params))
        return _list(Group, asked, directory.list_groups(asked.filter))


@router.post("/Groups")
def create_group(context: Context, payload: _Payload) -> Response:
    with _directory(context) as directory:
        asked = Group.model_validate(payload, scim_ctx=Exchange.RESOURCE_CREATION_REQUEST)
        return _resource(directory.set_group("", asked), Exchange.RESOURCE_CREATION_RESPONSE)


@router.get("/Groups/{group}")
def get_group(context: Context, request: Request, group: str) -> Response:
    with _directory(context) as directory:
        return _resource(directory.get_group(group), Exchange.RESOURCE_QUERY_RESPONSE, request)


@router.put("/Groups/{group}")
def replace_group(context: Context, group: str, payload: _Payload) -> Response:
    with _directory(context) as directory:
        asked = Group.model_validate(payload, scim_ctx=Exchange.RESOURCE_REPLACEMENT_REQUEST)
        directory.get_group(group)
        changed = directory.set_group(group, asked)
        return _resource(changed, Exchange.RESOURCE_REPLACEMENT_RESPONSE)


@router.patch("/Groups/{group}")
def update_group(context: Context, group: str, payload: _Payload) -> Response:
    with _directory(context) as directory:
        changed = directory.get_group(group)
        _patch(Group, payload).patch(changed)
        return _resource(directory.set_group(group, changed), Exchange.RESOURCE_PATCH_RESPONSE)


@router.delete("/Groups/{group}")
def delete_group(context: Context, group: str) -> Response:
    with _directory(context) as directory:
        directory.delete_group(group)
    return Response(status_code=204)


@router.get("/ServiceProviderConfig")
def get_config() -> Response:
    """Say what of SCIM is there."""
    assert SERVICE.config is not None  # noqa: S101 - it is given there
    return _resource(SERVICE.config, Exchange.RESOURCE_QUERY_RESPONSE)


@router.get("/Schemas")
def list_schemas() -> Response:
    return _list(Schema, SearchRequest(), list(SERVICE.schemas))


@router.get("/Schemas/{urn}")
def get_schema(urn: str) -> Response:
    return _resource(_find(SERVICE.schemas, urn), Exchange.RESOURCE_QUERY_RESPONSE)


@router.get("/ResourceTypes")
def list_resource_types() -> Response:
    return _list(ResourceType, SearchRequest(), list(SERVICE.resource_types))


@router.get("/ResourceTypes/{name}")
def get_resource_type(name: str) -> Response:
    return _resource(_find(SERVICE.resource_types, name), Exchange.RESOURCE_QUERY_RESPONSE)


def _find(resources: Sequence[Any], identifier: str) -> Resource[Any]:
    for each in resources:
        if str(each.id) == identifier:
            return each  # type: ignore[no-any-return]
    raise NotFoundException(detail="There is no such resource.")


def _patch(kind: type[Any], payload: dict[str, Any]) -> PatchOp[Any]:
    model: type[PatchOp[Any]] = PatchOp[kind]  # type: ignore[valid-type]
    return model.model_validate(payload, scim_ctx=Exchange.RESOURCE_PATCH_REQUEST)


def _resource(
    resource: Resource[Any], exchange: Exchange, request: Request | None = None
) -> Response:
    asked: ResponseParameters[Any] = ResponseParameters.model_validate(
        dict(request.query_params) if request else {}
    )
    shown = resource.model_dump(scim_ctx=exchange, response_parameters=asked)
    is_new = exchange is Exchange.RESOURCE_CREATION_RESPONSE
    headers = {"Location": str(resource.meta.location)} if is_new and resource.meta else None
    return JSONResponse(shown, 201 if is_new else 200, headers, media_type=_MEDIA)


def _list(kind: type[Any], asked: SearchRequest[Any], found: list[Any]) -> Response:
    first = max(asked.start_index or 1, 1) - 1
    count = MAX_RESULTS if asked.count is None else max(min(asked.count, MAX_RESULTS), 0)
    page = found[first : first + count]
    answer = ListResponse[kind](  # type: ignore[valid-type]
        total_results=len(found), start_index=first + 1, items_per_page=len(page), resources=page
    )
    shown = answer.model_dump(scim_ctx=Exchange.RESOURCE_QUERY_RESPONSE, response_parameters=asked)
    return JSONResponse(shown, media_type=_MEDIA)


def _refusal(error: Error) -> Response:
    return JSONResponse(error.model_dump(), int(error.status or 400), media_type=_MEDIA)
