"use strict";

// Numbers to places, and back to words.

const NICE = [1, 2, 5];

/** Maps [low, high] to [from, to]; `at` gives the place, `ticks` the numbers to write, at most `most` of them. */
function linearScale(low, high, from, to) {
  const at = (value) => from + ((value - low) / (high - low)) * (to - from);
  const ticks = (most) => {
    const raw = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [...NICE, 10].find((nice) => nice * power >= raw * (1 - 1e-9));
    const first = Math.ceil(low / step - 1e-9);
    const last = Math.floor(high / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  };
  return { at, ticks, low, high };
}

/** The same on a logarithmic axis, low > 0. */
function logScale(low, high, from, to) {
  const start = Math.log(low);
  const span = Math.log(high) - start;
  const at = (value) => from + ((Math.log(value) - start) / span) * (to - from);
  const ticks = (most) => {
    const first = Math.floor(Math.log10(low));
    const last = Math.ceil(Math.log10(high));
    const inside = (value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
    const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
    const fine = powers.flatMap((power) => NICE.map((nice) => nice * power)).filter(inside);
    if (fine.length <= most) return fine;
    const coarse = powers.filter(inside);
    const every = Math.ceil(coarse.length / most);
    return coarse.filter((_, i) => i % every === 0);
  };
  return { at, ticks, low, high };
}

/** 1234.5 as 1,234.5. */
function withCommas(value, digits) {
  const [whole, rest] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? grouped : grouped + "." + rest;
}

/** The shortest words for a tick. */
function tickWords(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1) return withCommas(value, Number.isInteger(Number(value.toPrecision(12))) ? 0 : 1);
  return String(Number(value.toPrecision(3)));
}
