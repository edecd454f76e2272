"""What depends on the operating system; no other room asks which one it is.

Linux, macOS and Windows are supported. Each function says what it does where a system lacks what
the others have; `confinement.missing_protections` lists what that leaves unprotected.
"""
