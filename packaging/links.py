"""Says which links between the files of a folder of HTML lead nowhere: links.py FOLDER."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page leads to, and the places in it that others may lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    checked, broken = 0, []
    for path, page in pages.items():
        # These two are shown in the place of others: their links are from the root.
        base = folder if path.name in ("404.html", "toc.html") else path.parent
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("/"):
                continue
            target = (base / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].places
            checked += 1
            if not target.exists() or not known:
                broken.append(f"{path.relative_to(folder)}: {link}")
    print(f"{len(pages)} pages, {checked} links")
    for line in broken:
        print(f"leads nowhere: {line}", file=sys.stderr)
    return 1 if broken or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
