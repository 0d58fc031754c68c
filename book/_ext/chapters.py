"""Chapters executed side by side, one for every processor, into the cache the pages read from."""

import logging

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_nb.core.read import is_myst_markdown_notebook


def execute(app, env, docnames):
    """Execute what is to be read and not in the cache. A chapter that raises is not stored:
    myst-nb then executes it again, alone, and fails the build with its message."""
    config = env.mystnb_config
    cache = get_cache(config.execution_cache_path)
    read_as = {"type": "plugin", "name": "myst_nb_md"}
    paths = [path for path in map(env.doc2path, docnames) if _is_notebook(path)]
    for path in paths:
        cache.add_nb_to_project(path, read_data=read_as)
    logger = logging.getLogger(__name__)
    logger.setLevel(logging.INFO)  # progress
    load_executor("temp-parallel", cache, logger).run_and_cache(
        filter_uris=paths, timeout=config.execution_timeout
    )


def _is_notebook(path):
    with open(path, encoding="utf-8") as lines:
        return is_myst_markdown_notebook(lines)
