# The compiled module. What it takes, python/src/module.cpp says; the files beside it are its only users.
from typing import Any

def __getattr__(name: str) -> Any: ...
