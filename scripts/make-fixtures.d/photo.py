"""Renders Fixtures/photo.jpg: a harbour at dusk, so that the project has its own photo to send.

Needs Pillow, which it installs into a throw-away virtual environment. The scene is the same each time (fixed seed);
the bytes depend on Pillow's JPEG encoder.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def render(target: str) -> None:
    import math
    import random

    from PIL import Image, ImageDraw, ImageFilter

    width, height, horizon = 1600, 1000, 560
    dice = random.Random(20261121)
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for y in range(horizon):
        t = y / horizon
        draw.line([(0, y), (width, y)], fill=(int(30 + 215 * t**1.6), int(40 + 110 * t), int(90 + 10 * t)))
    draw.ellipse([(1050, 430), (1170, 550)], fill=(255, 214, 150))
    for layer, shade in enumerate([(92, 62, 92), (62, 44, 74), (38, 30, 56)]):
        phase, base = dice.random() * 9, horizon - 110 + 45 * layer
        ridge = [
            (x, base + 40 * math.sin(x / 170 + phase) + 14 * math.sin(x / 37 + 2 * phase) + dice.gauss(0, 1))
            for x in range(0, width + 1, 4)
        ]
        draw.polygon(ridge + [(width, horizon), (0, horizon)], fill=shade)
    sky = image.crop((0, 2 * horizon - height, width, horizon)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    image.paste(sky.filter(ImageFilter.GaussianBlur(3)).point(lambda v: int(v * 0.72)), (0, horizon))
    for _ in range(2600):
        y = horizon + int((height - horizon) * dice.random() ** 1.4)
        length, x = 8 + (y - horizon) // 5, dice.randrange(width)
        glint = 60 if abs(x - 1110) < 90 + (y - horizon) // 3 else 14
        r, g, b = image.getpixel((x, y))
        draw.line([(x, y), (x + length, y)], fill=(min(255, r + glint), min(255, g + glint), min(255, b + glint // 2)))
    for x, mast in [(240, 250), (330, 190), (520, 300), (760, 170)]:
        draw.polygon([(x - 70, 600), (x + 80, 600), (x + 55, 630), (x - 50, 630)], fill=(18, 16, 30))
        draw.line([(x, 600), (x, 600 - mast)], fill=(18, 16, 30), width=5)
        draw.line([(x, 600 - mast), (x + 62, 600)], fill=(18, 16, 30), width=2)
    grain = Image.effect_noise((width, height), 18).convert("RGB")
    Image.blend(image, grain, 0.06).save(target, quality=80, optimize=True)


def make(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = os.path.join(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "Pillow"], check=True)
        subprocess.run([python, __file__, str(target)], check=True)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    render(sys.argv[1])
