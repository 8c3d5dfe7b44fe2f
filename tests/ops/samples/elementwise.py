"""Samples of functions of one number: exponentials, powers, angles, rounding, signs, complex parts, special
functions.
"""

from __future__ import annotations

from tests.ops.sample import Table, elementwise, real, sample, whole

POSITIVE = {"low": 0.2, "high": 3.0}
UNIT = {"low": -0.9, "high": 0.9}
VALUES = {"kinds": "", "special": False}
ORDERS = "[0.5, 2.0, 5.5]"
"""Of incomplete gamma functions and of zeta, which have no derivative in them."""

SAMPLES: Table = {
    "exp": elementwise("m.exp(x)"),
    "exp2": elementwise("m.exp2(x)"),
    "expm1": elementwise("m.expm1(x)"),
    "log": elementwise("m.log(x)", **POSITIVE),
    "log2": elementwise("m.log2(x)", **POSITIVE),
    "log10": elementwise("m.log10(x)", **POSITIVE),
    "log1p": elementwise("m.log1p(x)", **POSITIVE),
    "sqrt": elementwise("m.sqrt(x)", **POSITIVE),
    "rsqrt": elementwise("m.rsqrt(x)", **POSITIVE),
    "logaddexp": elementwise("m.logaddexp(x, y)", kinds="i"),
    "logaddexp2": elementwise("m.logaddexp2(x, y)", kinds="i"),
    "sigmoid": elementwise("m.sigmoid(x)"),
    "log_odds": [
        *elementwise("m.logit(x)", low=0.1, high=0.9, kinds="i", special=False),
        *elementwise("m.logit(x, 0.2)", low=0.05, high=0.95, kinds="i", special=False),
        *elementwise("m.logit(x)", low=-0.5, high=1.5, kinds="", smooth=False, special=False),
    ],
    "smooth_relu": [
        sample("m.nn.functional.softplus(x)", x=(2, 3), kinds=""),
        sample("m.nn.functional.softplus(x, 2.0, 1.0)", x=(2, 3), kinds=""),
    ],
    "pow_number": [
        *elementwise("x ** 2"),
        *elementwise("x ** 3"),
        *elementwise("m.pow(x, 0)"),
        *elementwise("m.pow(x, 1)"),
        *elementwise("m.pow(x, -1.5)", **POSITIVE, special=False),
        *elementwise("m.pow(x, 0.5)", **POSITIVE, special=False),  # PyTorch goes by way of rsqrt, for which −∞ is NaN.
        *elementwise("m.square(x)"),
    ],
    "pow_pair": [*elementwise("x ** y", **POSITIVE), *elementwise("m.pow(x, y)", **POSITIVE)],
    "number_pow": [
        *elementwise("2 ** x"),
        *elementwise("m.pow(0.5, x)"),
        *elementwise("0 ** x", **POSITIVE, kinds="i", second=False),
    ],
    # --- angles
    "sin": elementwise("m.sin(x)"),
    "cos": elementwise("m.cos(x)"),
    "tan": elementwise("m.tan(x)", low=-1, high=1),
    "asin": elementwise("m.asin(x)", **UNIT),
    "acos": elementwise("m.acos(x)", **UNIT),
    "atan": elementwise("m.atan(x)"),
    "sinh": elementwise("m.sinh(x)"),
    "cosh": elementwise("m.cosh(x)"),
    "tanh": elementwise("m.tanh(x)"),
    "asinh": elementwise("m.asinh(x)"),
    "acosh": elementwise("m.acosh(x)", low=1.2, high=3, special=False),
    "atanh": elementwise("m.atanh(x)", **UNIT),
    "atan2": elementwise("m.atan2(x, y)", kinds="i"),
    "deg2rad": elementwise("m.deg2rad(x)", kinds="i"),
    "rad2deg": elementwise("m.rad2deg(x)", kinds="i"),
    "hypot": elementwise("m.hypot(x, y)", kinds="i"),
    "sinc": elementwise("m.sinc(x)"),
    # --- signs and whole numbers
    "floor": elementwise("m.floor(x)", kinds="i"),
    "ceil": elementwise("m.ceil(x)", kinds="i"),
    "trunc": elementwise("m.trunc(x)", kinds="i"),
    "frac": elementwise("m.frac(x)", kinds=""),
    "round_whole": elementwise("m.round(x)", kinds="i"),
    "round_decimals": [
        *elementwise("m.round(x, decimals=1)", kinds=""),
        *elementwise("m.round(x * 100, decimals=-1)", kinds=""),
    ],
    "sign": elementwise("m.sign(x)", kinds="i"),
    "sgn": elementwise("m.sgn(x)"),
    "absolute": [*elementwise("m.abs(x)"), *elementwise("abs(x)")],
    "copysign_pair": elementwise("m.copysign(x, y)", kinds="i"),
    "copysign_number": elementwise("m.copysign(x, -1.0)", kinds="i"),
    # --- complex numbers
    "conjugate_physically": [sample("m.conj_physical(m.complex(x, y))", x=(2, 3), y=(2, 3), kinds="")],
    "polar": elementwise("m.polar(x, y)", low=0.2, high=3, kinds="", special=False),
    "conjugate": [sample("m.complex(x, y).conj()", x=(2, 3), y=(2, 3), kinds="")],
    "view_as_real": [
        sample("m.view_as_real(m.complex(x, y))", x=(2, 3), y=(2, 3), kinds=""),
        sample("m.complex(x, y).real", x=(2, 3), y=(2, 3), kinds=""),
        sample("m.complex(x, y).T.imag", x=(2, 3), y=(2, 3), kinds=""),
    ],
    "view_as_complex": [
        sample("m.view_as_real(m.view_as_complex(x))", x=(3, 2), kinds=""),
        sample("m.view_as_real(m.view_as_complex(x[1:])).t()", x=(3, 2), kinds=""),
    ],
    "angle": elementwise("m.angle(x)"),
    "join_parts": elementwise("m.complex(x, y)", kinds=""),
    # --- special functions
    "erf": elementwise("m.erf(x)", kinds="i"),
    "erfc": elementwise("m.erfc(x)", kinds="i"),
    "erfinv": elementwise("m.erfinv(x)", **UNIT, kinds="i"),
    "lgamma": [
        *elementwise("m.lgamma(x)", low=0.3, high=12, kinds="i"),
        *elementwise("m.lgamma(x)", low=-0.9, high=-0.1, kinds="i"),
    ],
    "digamma": [
        *elementwise("m.digamma(x)", low=0.3, high=12, kinds="i"),
        *elementwise("m.digamma(x)", low=-0.9, high=-0.1),
    ],
    "polygamma_of": [
        *elementwise("m.polygamma(1, x)", low=0.3, high=9, kinds="", special=False),
        *elementwise("m.polygamma(2, x)", low=0.3, high=9, kinds="", special=False),
    ],
    "xlogy": elementwise("m.xlogy(x, y)", **POSITIVE, kinds="i"),
    "xlog1py": elementwise("m.special.xlog1py(x, y)", **POSITIVE, kinds="i"),
    "erfcx": elementwise("m.special.erfcx(x)", kinds="i"),
    "ndtr": elementwise("m.special.ndtr(x)", kinds="i"),
    "log_ndtr": [
        *elementwise("m.special.log_ndtr(x)", kinds="i", special=False),
        *elementwise("m.special.log_ndtr(x)", low=-7, high=-5, kinds="", special=False),
    ],
    "ndtri": [
        *elementwise("m.special.ndtri(x)", low=0.01, high=0.99, kinds=""),
        *elementwise("m.special.ndtri(x * 1e-30)", low=0.5, high=1, kinds="", smooth=False, special=False),
    ],
    "i0": [*elementwise("m.i0(x)", kinds="i"), *elementwise("m.i0(x)", low=25, high=35, kinds="")],
    "i0e": [*elementwise("m.special.i0e(x)", kinds="i"), *elementwise("m.special.i0e(x)", low=-40, high=40, kinds="")],
    "i1": [*elementwise("m.special.i1(x)", kinds="i"), *elementwise("m.special.i1(x)", low=-35, high=-25, kinds="")],
    "i1e": [*elementwise("m.special.i1e(x)", kinds="i"), *elementwise("m.special.i1e(x)", low=-40, high=40, kinds="")],
    "igamma": [
        sample(f"m.igamma(m.tensor({ORDERS}, dtype=x.dtype), x)", x=real(2, 3, low=0.1, high=9), **VALUES),
        sample("m.igamma(m.tensor([95.0], dtype=x.dtype), x * 100)", x=real(5, low=0.8, high=1.2), **VALUES),
    ],
    "igammac": [
        sample(f"m.igammac(m.tensor({ORDERS}, dtype=x.dtype), x)", x=real(2, 3, low=0.1, high=9), **VALUES),
    ],
    "several_lgamma": [
        *elementwise("m.mvlgamma(x, 1)", low=0.6, high=9, kinds="i", special=False),
        *elementwise("m.special.multigammaln(x, 3)", low=1.6, high=9, kinds="", special=False),
    ],
    "zeta": [
        sample(f"m.special.zeta(m.tensor({ORDERS}, dtype=x.dtype) + 1, x)", x=real(2, 3, low=0.3, high=9), **VALUES),
    ],
    # --- taken apart
    "taken_apart": elementwise("m.frexp(x)", kinds="", special=False),
    "ldexp": elementwise("m.ldexp(x, y)", low=0, high=3),
    "nextafter": elementwise("m.nextafter(x, y)", kinds="", smooth=False),
    "gcd": [sample("m.gcd(x, y)", x=whole(2, 3, low=-20, high=20), y=whole(3, low=-20, high=20))],
    "lcm": [sample("m.lcm(x, y)", x=whole(2, 3, low=-20, high=20), y=whole(3, low=-20, high=20))],
    "entr": elementwise("m.special.entr(x)", **POSITIVE, kinds="i"),
}
