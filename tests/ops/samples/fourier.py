"""Samples of Fourier transforms. Where more than one operation takes part, a copy ends it."""

from __future__ import annotations

from tests.ops.sample import Table, sample

SAMPLES: Table = {
    "transformed": [
        sample("m.fft.fft(x + 0j)", x=(2, 5), kinds="c", special=False),
        sample("m.fft.ifft(x + 0j, n=4, dim=0, norm='ortho')", x=(3, 2), kinds="", special=False),
        sample("m.fft.fftn(x + 0j, s=(3, 5), norm='forward')", x=(2, 4, 4), kinds="", special=False),
        sample("m.fft.ifft2(x + 0j).clone()", x=(2, 3, 4), kinds="c", special=False),
        sample("m.fft.fft(x, norm='none')", x=(2,), kinds=""),
    ],
    "half_transformed": [
        sample("m.fft.rfft(x)", x=(2, 5), kinds="i", special=False),
        sample("m.fft.rfft(x, n=6, norm='ortho')", x=(4,), kinds="", special=False),
        sample("m.fft.rfftn(x).clone()", x=(2, 3, 4), kinds="", special=False),
        sample("m.fft.ihfft(x, norm='forward').clone()", x=(2, 5), kinds="", special=False),
        sample("m.fft.rfft(x + 0j)", x=(2,), kinds=""),
    ],
    "real_transformed": [
        sample("m.fft.irfft(x + 0j)", x=(2, 4), kinds="c", special=False),
        sample("m.fft.irfft(x + 0j, n=5, norm='ortho')", x=(2, 3), kinds="c", special=False),
        sample("m.fft.hfft(x + 0j, n=4)", x=(3,), kinds="c", special=False),
        sample("m.fft.irfftn(x + 0j, s=(3, 4)).clone()", x=(2, 3, 3), kinds="c", special=False),
    ],
}
