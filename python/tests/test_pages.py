"""The Python in the pages runs: blocks ```python. Blocks ```py need a GPU."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    "python/README.md",
    *(f"docs/{name}.md" for name in ["python", "from-dreamplace", "from-pyfftw", "from-torch-dct"]),
]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, capsys):
    names, ran, left_out = {}, 0, set()
    for needs, code in re.findall(r"^```python ?(\w*)\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S):
        try:
            needs and __import__(needs)
        except ImportError:
            left_out.add(needs)
            continue
        exec(compile(code, page, "exec"), names)
        ran += 1
    assert ran or left_out, "the page has no Python"
    if left_out:
        pytest.skip(f"{ran} blocks ran; others need {', '.join(sorted(left_out))}")
