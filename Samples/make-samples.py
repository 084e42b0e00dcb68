#!/usr/bin/env python3
"""Makes the sample documents that ProviderFS ships; standard library only.

    make-samples.py                 write them into documents/ beside this script
    make-samples.py --check         compare what is there with what would be written; exit 1 on a difference
    make-samples.py --large FILE    write a PDF of about 5 MB into FILE (not stored: it is made when needed)

The same bytes every time, on every machine: no clock, no random numbers but a seeded generator, and no
compressor, since zlib and its replacements differ in what they put out. All texts are our own.
"""

import argparse
import os
import struct
import sys
import zlib
from pathlib import Path

DOCUMENTS = Path(__file__).resolve().parent / "documents"
LARGE = "Grain Study.pdf"


# ---- PDF


class PDF:
    """Numbered objects and the table that says where each begins."""

    def __init__(self):
        self.objects = []

    def add(self, body):
        self.objects.append(body if isinstance(body, bytes) else body.encode("ascii"))
        return len(self.objects)

    def reserve(self):
        """A number now, its body later: pages and their tree point at each other."""
        return self.add(b"")

    def fill(self, number, body):
        self.objects[number - 1] = body.encode("ascii")

    def stream(self, dictionary, data):
        return self.add(f"<< {dictionary} /Length {len(data)} >>\nstream\n".encode("ascii") + data + b"\nendstream")

    def bytes(self, catalog, info):
        out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self.objects, start=1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n".encode("ascii") + body + b"\nendobj\n"
        table = len(out)
        # Each entry is 20 bytes, its end of line included.
        out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode("ascii")
        for offset in offsets:
            out += f"{offset:010} 00000 n \n".encode("ascii")
        out += f"trailer\n<< /Size {len(offsets) + 1} /Root {catalog} 0 R /Info {info} 0 R >>\n".encode("ascii")
        out += f"startxref\n{table}\n%%EOF\n".encode("ascii")
        return bytes(out)


def pdf_string(text):
    return "(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"


def page_text(heading, lines, footer):
    """A heading, lines of running text, and a footer, as PDF text operators on an A5 page."""
    operators = ["BT", "/F2 18 Tf", "48 520 Td", pdf_string(heading) + " Tj", "/F1 11 Tf", "0 -30 Td", "15 TL"]
    operators += [pdf_string(line) + " Tj T*" for line in lines]
    operators += ["ET", "BT", "/F1 9 Tf", "48 36 Td", pdf_string(footer) + " Tj", "ET"]
    return "\n".join(operators).encode("ascii")


def make_pdf(title, pages, pictures=()):
    """`pages` are pairs of heading and lines; `pictures` gives each page (width, height, RGB bytes), if any."""
    pdf = PDF()
    tree = pdf.reserve()
    regular = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    bold = pdf.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    numbers = []
    for index, (heading, lines) in enumerate(pages):
        content = page_text(heading, lines, f"{title} - page {index + 1} of {len(pages)}")
        resources = f"/Font << /F1 {regular} 0 R /F2 {bold} 0 R >>"
        if pictures:
            width, height, pixels = pictures[index]
            image = pdf.stream(
                f"/Type /XObject /Subtype /Image /Width {width} /Height {height} "
                "/ColorSpace /DeviceRGB /BitsPerComponent 8", pixels)
            resources += f" /XObject << /Im1 {image} 0 R >>"
            content += b"\nq 320 0 0 320 50 70 cm /Im1 Do Q"
        stream = pdf.stream("", content)
        numbers.append(pdf.add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 420 595] "
            f"/Resources << {resources} >> /Contents {stream} 0 R >>"))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    pdf.fill(tree, f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>")
    catalog = pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R >>")
    info = pdf.add(f"<< /Title {pdf_string(title)} /Producer (make-samples.py) >>")
    return pdf.bytes(catalog, info)


def xorshift(seed):
    """Marsaglia's 64-bit xorshift (13, 7, 17): eight bytes a step, the lowest first."""
    state = seed
    while True:
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        yield state


def noise(generator, count):
    words = (count + 7) // 8
    return struct.pack(f"<{words}Q", *(next(generator) for _ in range(words)))[:count]


def large_pdf(seed=7):
    """Eight pages with a picture of noise each, so that no compressor along the way makes it small."""
    generator = xorshift(seed)
    side = 456
    pictures = [(side, side, noise(generator, side * side * 3)) for _ in range(8)]
    pages = [
        (f"Plate {index + 1}",
         ["This plate is grain from a seeded generator. It is large on purpose:",
          "a download of it takes long enough to be watched, held and cut off."])
        for index in range(8)]
    return make_pdf("Grain Study", pages, pictures)


# ---- PNG


def stored_zlib(data):
    """A zlib stream of stored blocks: the same from every machine."""
    out = bytearray(b"\x78\x01")
    for start in range(0, len(data), 65535):
        block = data[start:start + 65535]
        last = start + 65535 >= len(data)
        out += struct.pack("<BHH", 1 if last else 0, len(block), len(block) ^ 0xFFFF) + block
    return bytes(out + struct.pack(">I", zlib.adler32(data)))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make_png(width, height, color):
    """`color` gives (red, green, blue) of a pixel."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(color(x, y))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", stored_zlib(bytes(rows))) + chunk(b"IEND", b""))


def blend(a, b, part, whole):
    return tuple((p * (whole - part) + q * part) // whole for p, q in zip(a, b))


def dusk(width, height):
    """A sky from deep blue to orange above a dark ridge, with a low sun."""
    horizon = height * 2 // 3
    sun_x, sun_y, radius = width * 2 // 3, horizon - height // 12, height // 9

    def color(x, y):
        # The ridge is a sum of triangles: whole numbers only, so that no machine rounds otherwise.
        ridge = horizon + abs(x % 61 - 30) // 3 - abs(x % 23 - 11) // 2
        if y >= ridge:
            return blend((46, 38, 70), (12, 14, 30), min(y - ridge, 60), 60)
        distance = (x - sun_x) ** 2 + (y - sun_y) ** 2
        sky = blend((24, 38, 96), (246, 150, 84), min(y, horizon), horizon)
        if distance <= radius ** 2:
            return blend((255, 244, 214), (255, 208, 130), distance, radius ** 2)
        glow = 9 * radius ** 2
        return blend((255, 214, 150), sky, distance, glow) if distance < glow else sky

    return make_png(width, height, color)


# ---- The documents


LETTER = [("A Letter to the Ferry Office", [
    "Dear harbor master,",
    "",
    "last Tuesday I left a green umbrella on the noon ferry, on the",
    "upper deck, near the lifebelts. It has a wooden handle with a",
    "small brass ring. If nobody has claimed it, please keep it until",
    "the end of the month; I cross again on the twenty-eighth.",
    "",
    "The crossing itself was a pleasure. Thank the man who let the",
    "children ring the bell.",
    "",
    "With kind regards,",
    "a passenger"])]

HANDBOOK = [
    ("The Lighthouse Handbook", [
        "For whoever keeps the light after us.",
        "",
        "This handbook is short. What it does not say, the sea will.",
        "",
        "1  The lamp", "2  The log", "3  The fog signal", "4  Visitors"]),
    ("1  The lamp", [
        "Light it half an hour before sunset. Wipe the lenses first:",
        "salt on the glass costs a mile of range.",
        "",
        "Turn the lamp by hand once a week, even if the motor runs.",
        "You will feel a worn bearing long before you can hear it."]),
    ("2  The log", [
        "Write down the hour, the wind and what passed. Write it at",
        "once. A line from memory is a guess in good handwriting.",
        "",
        "Never tear out a page. Cross out, and sign beside it."]),
    ("3  The fog signal", [
        "Two long, one short, every ninety seconds (not every two",
        "minutes: the pilots count on ninety).",
        "",
        "Stop only when the buoy off the north rock can be seen",
        "for ten minutes without a break."]),
    ("4  Visitors", [
        "They may climb to the gallery by day, four at a time.",
        "They may touch everything that is not brass.",
        "",
        "Offer tea. It is two hours to the next kettle."]),
]

TRAIN_TABLE = [("Night Trains in Autumn", [
    "Leaves   Arrives   Remarks",
    "21:10    06:42     runs daily, bicycles in the last car",
    "22:35    07:58     not on Saturdays",
    "23:50    09:15     change at the junction, wait for the lamp"])]

JAPANESE = """\
港町の旅行ガイド

朝いちばんの船に乗ると、霧の中から灯台がゆっくり現れます。
市場は七時に開きますが、パンが焼けるのは七時半です。急がないでください。

おすすめの道順
一、桟橋から坂を上り、古い郵便局の前で海をふり返る。
二、ガラス工房で、風の音のする小さな瓶を見せてもらう。
三、帰りは日が沈む前に。坂の街灯は三本に一本しかつきません。
"""

ROMANIAN = """\
Însemnări de călătorie

Am ajuns în gară pe ploaie, cu două ceasuri mai devreme decât scria în mers.
Șeful gării mi-a împrumutat un scaun și m-a întrebat dacă știu să repar un ceas.
Știam puțin; a fost de-ajuns ca să meargă până la sosirea trenului.

De ținut minte:
- brânza din târg se vinde numai dimineața;
- podul vechi e închis, dar se poate trece pe lângă moară;
- țăranul cu căruța albastră nu primește bani, ci povești.
"""

SHOPPING = """\
For the boat
- rope, thirty meters, the soft kind
- lamp oil
- a second bailer, because the first one floats away
- oranges
"""

NOTES_INFO = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>documentTitle</key>
	<string>Field Notes</string>
	<key>formatVersion</key>
	<integer>1</integer>
	<key>pageCount</key>
	<integer>2</integer>
</dict>
</plist>
"""

NOTES_INDEX = """\
<?xml version="1.0" encoding="UTF-8"?>
<document title="Field Notes">
  <page number="1">
    <text>Counted eleven herons at the weir before breakfast.</text>
    <image source="Data/heron-weir.png"/>
  </page>
  <page number="2">
    <text>The twelfth one was a post. It will be left out of the report.</text>
    <table source="Data/counts.csv"/>
  </page>
</document>
"""

NOTES_COUNTS = """\
date,place,herons
2024-04-02,weir,11
2024-04-03,weir,9
2024-04-03,mill pond,2
"""


def documents():
    notes = "Field Notes.pages/"
    return {
        "Letter.pdf": make_pdf("A Letter to the Ferry Office", LETTER),
        "Lighthouse Handbook.pdf": make_pdf("The Lighthouse Handbook", HANDBOOK),
        "Dusk.png": dusk(216, 144),
        "旅行ガイド.txt": JAPANESE.encode("utf-8"),
        "Însemnări de călătorie.txt": ROMANIAN.encode("utf-8"),
        notes + "Info.plist": NOTES_INFO.encode("utf-8"),
        notes + "index.xml": NOTES_INDEX.encode("utf-8"),
        notes + "preview.png": dusk(60, 80),
        notes + "Data/counts.csv": NOTES_COUNTS.encode("utf-8"),
        notes + "Data/heron-weir.png": dusk(96, 64),
        "Recent/Night Trains.pdf": make_pdf("Night Trains in Autumn", TRAIN_TABLE),
        "Recent/For the boat.txt": SHOPPING.encode("utf-8"),
    }


def write():
    for name, data in documents().items():
        path = DOCUMENTS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def check():
    wanted = documents()
    found = {str(path.relative_to(DOCUMENTS)) for path in DOCUMENTS.rglob("*") if path.is_file()}
    # Not stored, but made into the same folder by `make samples`.
    found.discard(LARGE)
    problems = [f"{name} is missing" for name in sorted(wanted.keys() - found)]
    problems += [f"{name} is not made by this script" for name in sorted(found - wanted.keys())]
    problems += [
        f"{name} differs from what this script makes" for name in sorted(wanted.keys() & found)
        if (DOCUMENTS / name).read_bytes() != wanted[name]]
    for problem in problems:
        print(f"Samples/documents: {problem}; run Samples/make-samples.py", file=sys.stderr)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description="Makes the sample documents; the same bytes every time.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--large", metavar="FILE", help="write a PDF of about 5 MB into FILE instead")
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    if arguments.large:
        # Complete or absent: whoever finds the file may use it.
        part = Path(arguments.large + ".part")
        part.write_bytes(large_pdf())
        os.replace(part, arguments.large)
        return 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
