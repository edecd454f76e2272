"""SCIM 2.0 (RFC 7643, 7644): a firm's directory says who has an account and is in which group."""
