"""Settings of hypothesis: the same examples in every run, so that a failure can be repeated."""

import hypothesis

hypothesis.settings.register_profile("fourfold", deadline=None, derandomize=True, max_examples=150)
hypothesis.settings.load_profile("fourfold")
