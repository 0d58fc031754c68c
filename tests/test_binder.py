"""What mybinder.org builds: the recipe, and a chapter opened and run in a real JupyterLab."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from pathlib import Path

import jupytext
import pytest
from conftest import ROOT, copy_tree, run
from playwright.sync_api import expect, sync_playwright

# Where this environment keeps the JupyterLab extensions and settings of jupytext and ipywidgets.
PREFIX = Path(jupytext.__file__).parents[4]
NOTEBOOK = "jupyterapp.shell.currentWidget"


def test_the_recipe_of_the_image_is_understood():
    process = run(
        sys.executable, "-m", "repo2docker", "--no-build", "--debug", "--user-id", "1000",
        "--user-name", "reader", str(ROOT), cwd=ROOT,
    )  # fmt: skip
    recipe = process.stdout + process.stderr
    assert process.returncode == 0, recipe[-3000:]
    assert "binder/requirements.txt" in recipe
    assert "./binder/postBuild" in recipe
    python = (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    assert f"conda environment for python={python}" in recipe


@pytest.fixture
def lab(tmp_path):
    """JupyterLab as Binder would start it: extra requirements, postBuild, the repository."""
    repository = copy_tree(tmp_path / "repository")
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True, symlinks=True)
    site = next((environment / "lib").glob("python*/site-packages"))
    (site / "shared.pth").write_text("\n".join(p for p in sys.path if p.endswith("-packages")))
    variables = {
        "HOME": str(tmp_path), "JUPYTER_PATH": str(PREFIX / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(PREFIX / "etc" / "jupyter"),
        "PATH": os.pathsep.join([f"{environment}/bin", f"{PREFIX}/bin", os.environ["PATH"]]),
    }  # fmt: skip
    variables = os.environ | variables
    wanted = (ROOT / "binder" / "requirements.txt").read_text()
    extra = re.findall(r"^\w[^#\n]*==[^#\n]*$", wanted, re.M)
    for command in (["pip", "install", "--quiet", *extra], ["bash", "binder/postBuild"]):
        subprocess.run(command, cwd=repository, env=variables, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["python", "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
         "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"],
        cwd=repository, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api").close()
                break
            except OSError:
                assert server.poll() is None, "JupyterLab did not start"
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait()


def test_a_chapter_opens_as_a_notebook_on_binder_and_runs(lab):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.set_default_timeout(300_000)
        expect.set_options(timeout=300_000)
        page.goto(f"{lab}/lab/tree/book/one-step.md")
        expect(page.locator(".jp-NotebookPanel")).to_be_visible()
        page.wait_for_function(f"{NOTEBOOK}.sessionContext.session?.kernel?.status == 'idle'")
        page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
        player = page.locator(".jp-OutputArea .widget-vbox").first
        player.scroll_into_view_if_needed()
        # The live twin of a player: the arrow key reaches the kernel, and the picture is redrawn.
        said = player.locator(".widget-html").last
        before = said.text_content()
        player.locator(".noUi-handle, [role=slider]").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(said).not_to_have_text(before)
        cells = f"[...{NOTEBOOK}.content.model.cells].filter(c => c.type == 'code')"
        page.wait_for_function(f"{cells}.every(c => c.executionCount)")
        outputs = page.evaluate(f"{cells}.flatMap(c => c.outputs.toJSON())")
        browser.close()
    assert [o for o in outputs if o["output_type"] == "error"] == []
