import pytest


@pytest.fixture
def uri(tmp_path):
    return str(tmp_path / "array")
