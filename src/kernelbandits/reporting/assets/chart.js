// One panel: axes, curves with bands and markers, and a cursor that reads values.

const MARGIN = { top: 24, right: 12, bottom: 40 };
const MARKER_SIZE = 3.6;
const MARKERS = {
  o: "M-1,0 a1,1 0 1,0 2,0 a1,1 0 1,0 -2,0",
  s: "M-.9,-.9 h1.8 v1.8 h-1.8 z",
  "^": "M0,-1.1 L1.1,.9 H-1.1 z",
  v: "M0,1.1 L1.1,-.9 H-1.1 z",
  D: "M0,-1.3 L1.3,0 L0,1.3 L-1.3,0 z",
  P: "M-.4,-1.1 h.8 v.7 h.7 v.8 h-.7 v.7 h-.8 v-.7 h-.7 v-.8 h.7 z",
  X: "M-1,-.5 L-.5,-1 L0,-.5 L.5,-1 L1,-.5 L.5,0 L1,.5 L.5,1 L0,.5 L-.5,1 L-1,.5 L-.5,0 z",
  "<": "M-1.1,0 L.9,1.1 V-1.1 z",
  ">": "M1.1,0 L-.9,1.1 V-1.1 z",
  p: "M0,-1.15 L1.1,-.35 L.68,.93 H-.68 L-1.1,-.35 z",
  d: "M0,-1.35 L.85,0 L0,1.35 L-.85,0 z",
  "*": "M0,-1.3 L.32,-.42 L1.24,-.4 L.51,.16 L.76,1.05 L0,.52 L-.76,1.05 L-.51,.16 L-1.24,-.4 L-.32,-.42 z",
};

/** An SVG element with these attributes and children. */
function shape(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function markerAt(x, y, marker) {
  const place = `translate(${x.toFixed(1)},${y.toFixed(1)}) scale(${MARKER_SIZE})`;
  return shape("path", { class: "marker", d: MARKERS[marker], transform: place });
}

/** A line with its marker, for the legend and the readout. */
function drawKey(svg, method) {
  svg.replaceChildren(
    shape("line", { class: "line", x1: 1, y1: 6, x2: 33, y2: 6, "stroke-dasharray": method.dash }),
    markerAt(17, 6, method.marker),
  );
}

class Chart {
  constructor(figure, panel, data, state) {
    Object.assign(this, { panel, data, state, rounds: data.rounds, index: null });
    this.svg = figure.querySelector("svg");
    this.readout = figure.querySelector(".readout");
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== this.svg) this.read(null);
    });
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("focus", () => this.read(this.index ?? this.rounds.length - 1));
    this.svg.addEventListener("blur", () => this.read(null));
  }

  get visible() {
    return this.panel.curves.filter((curve) => !this.state.hidden.has(curve.method));
  }

  /** Draw everything anew, at the size that the panel has now. */
  draw() {
    this.width = this.svg.clientWidth;
    this.height = this.svg.clientHeight;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.setScales();
    this.cursor = shape("g", { class: "cursor" });
    const curves = this.visible.map((curve) => this.curve(curve));
    this.svg.replaceChildren(this.axes(), this.mark(), ...curves, this.cursor);
    if (!curves.length) {
      const words = { class: "empty", x: (this.left + this.width) / 2, y: this.height / 2 };
      this.svg.append(shape("text", words, "all methods are hidden"));
    }
    this.read(this.index);
  }

  setScales() {
    const [low, high] = this.range(this.visible.length ? this.visible : this.panel.curves);
    const bottom = this.height - MARGIN.bottom;
    const vertical = this.state.scale === "linear" ? linearScale : logScale;
    this.y = vertical(low, high, bottom, MARGIN.top);
    this.yTicks = this.y.ticks(6);
    this.left = 14 + 6.6 * Math.max(...this.yTicks.map((tick) => tickWords(tick).length), 2);
    const horizontal = this.state.scale === "loglog" ? logScale : linearScale;
    const first = this.state.scale === "loglog" ? 1 : 0;
    this.x = horizontal(first, Math.max(this.data.horizon, first + 1), this.left, this.width - MARGIN.right);
  }

  /** The lowest and highest regret to show: from 0 on a linear axis, from the smallest positive mean on a logarithmic one. */
  range(curves) {
    const tops = curves.flatMap((curve) => curve.mean.map((mean, i) => mean + (curve.error?.[i] ?? 0)));
    const high = Math.max(...tops, 1e-12) * 1.03;
    const means = curves.flatMap((curve) => curve.mean).filter((mean) => mean !== null);
    if (this.state.scale === "linear") return [Math.min(0, ...means), high];
    return [Math.min(high / 10, ...means.filter((mean) => mean > 0)), high];
  }

  axes() {
    const group = shape("g", { class: "axes" });
    const bottom = this.height - MARGIN.bottom;
    const right = this.width - MARGIN.right;
    for (const tick of this.yTicks) {
      const y = this.y.at(tick);
      group.append(shape("line", { class: "grid", x1: this.left, x2: right, y1: y, y2: y }));
      group.append(shape("text", { class: "tick end", x: this.left - 7, y: y + 4 }, tickWords(tick)));
    }
    const room = Math.max(3, Math.floor((right - this.left) / 58));
    for (const tick of this.x.ticks(room)) {
      const x = this.x.at(tick);
      group.append(shape("line", { class: "notch", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
      const words = tickWords(tick);
      const kind = x > right - 12 ? "tick end" : "tick middle";
      group.append(shape("text", { class: kind, x: x > right - 12 ? right + 4 : x, y: bottom + 18 }, words));
    }
    group.append(shape("line", { class: "base", x1: this.left, x2: right, y1: bottom, y2: bottom }));
    group.append(shape("text", { class: "label", x: 2, y: 12 }, "regret"));
    group.append(shape("text", { class: "label end", x: right, y: this.height - 4 }, "round"));
    return group;
  }

  /** The end of exploration. */
  mark() {
    const group = shape("g", { class: "mark" });
    if (this.panel.mark === null || this.panel.mark > this.data.horizon) return group;
    const x = this.x.at(this.panel.mark);
    const onLeft = x < this.width * 0.6;
    group.append(shape("line", { x1: x, x2: x, y1: MARGIN.top - 8, y2: this.height - MARGIN.bottom }));
    const place = { class: onLeft ? "tick" : "tick end", x: x + (onLeft ? 5 : -5), y: 12 };
    group.append(shape("text", place, `round ${withCommas(this.panel.mark, 0)}`));
    return group;
  }

  curve(curve) {
    const method = this.data.methods[curve.method];
    const group = shape("g", { class: `curve c${method.colour}`, "data-method": curve.method });
    const points = this.rounds
      .map((round, i) => ({ round, mean: curve.mean[i], error: curve.error?.[i] ?? 0 }))
      .filter((point) => point.mean !== null && (this.state.scale === "linear" || point.mean > 0));
    const trace = (value) => (point) =>
      `${this.x.at(point.round).toFixed(1)},${this.y.at(Math.max(value(point), this.y.low)).toFixed(1)}`;
    if (curve.error !== null && points.length) {
      const upper = points.map(trace((point) => point.mean + point.error));
      const lower = points.map(trace((point) => point.mean - point.error)).reverse();
      group.append(shape("path", { class: "band", d: `M${upper.concat(lower).join("L")}Z` }));
    }
    const middle = points.map(trace((point) => point.mean));
    const line = { class: "line", d: middle.length ? `M${middle.join("L")}` : "", "stroke-dasharray": method.dash };
    group.append(shape("path", line), ...this.markers(points, curve.method, method.marker));
    return group;
  }

  /** Markers stand at different places for different methods, so that curves on top of each other show both. */
  markers(points, place, marker) {
    const count = this.data.methods.length;
    const right = this.width - MARGIN.right;
    const spots = [0, 1, 2, 3, 4].map((i) => this.left + (right - this.left) * (0.12 + 0.18 * i + (0.15 * place) / count));
    return spots.flatMap((spot) => {
      const near = points.find((point) => this.x.at(point.round) >= spot);
      return near ? [markerAt(this.x.at(near.round), this.y.at(near.mean), marker)] : [];
    });
  }

  point(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const gaps = this.rounds.map((round) => Math.abs(this.x.at(round) - x));
    this.read(gaps.indexOf(Math.min(...gaps)));
  }

  press(event) {
    const last = this.rounds.length - 1;
    const now = this.index ?? last;
    const leap = Math.max(1, Math.round(last / 10));
    const places = {
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      PageDown: now - leap,
      PageUp: now + leap,
      Home: 0,
      End: last,
      Escape: null,
    };
    if (!(event.key in places)) return;
    event.preventDefault();
    const place = places[event.key];
    this.read(place === null ? null : Math.min(Math.max(place, 0), last));
  }

  /** Put the cursor at the index-th of the rounds shown, and say the values there; null takes it away. */
  read(index) {
    this.index = index;
    this.cursor.replaceChildren();
    this.readout.hidden = index === null || !this.visible.length;
    this.announce(index ?? this.rounds.length - 1);
    if (this.readout.hidden) return;
    const round = this.rounds[index];
    const x = this.x.at(round);
    this.cursor.append(shape("line", { x1: x, x2: x, y1: MARGIN.top, y2: this.height - MARGIN.bottom }));
    const curves = this.visible.sort((a, b) => b.mean[index] - a.mean[index]);
    for (const curve of curves) {
      const mean = curve.mean[index];
      if (mean === null || (this.state.scale !== "linear" && mean <= 0)) continue;
      const { colour } = this.data.methods[curve.method];
      this.cursor.append(shape("circle", { class: `c${colour}`, cx: x, cy: this.y.at(mean), r: 3.5 }));
    }
    this.say(round, curves, index);
    this.place(x);
  }

  say(round, curves, index) {
    const heading = document.createElement("p");
    heading.textContent = `round ${withCommas(round, 0)}`;
    const rows = curves.map((curve) => {
      const method = this.data.methods[curve.method];
      const row = document.createElement("div");
      const key = shape("svg", { class: `c${method.colour}`, viewBox: "0 0 34 12" });
      drawKey(key, method);
      const name = document.createElement("span");
      name.textContent = method.name;
      const value = document.createElement("b");
      value.textContent = this.words(curve, index);
      row.append(key, name, value);
      return row;
    });
    this.readout.replaceChildren(heading, ...rows);
    this.readout.dataset.round = round;
  }

  /** For those who do not see the page. */
  announce(index) {
    const values = this.visible.map((curve) => `${this.data.methods[curve.method].name} ${this.words(curve, index)}`);
    this.svg.setAttribute("aria-valuenow", this.rounds[index]);
    this.svg.setAttribute("aria-valuetext", `${this.rounds[index]}: ${values.join(", ") || "all methods are hidden"}`);
  }

  words(curve, index) {
    const mean = curve.mean[index];
    if (mean === null) return "–";
    const error = curve.error === null ? "" : ` ± ${withCommas(curve.error[index], this.panel.decimals)}`;
    return withCommas(mean, this.panel.decimals) + error;
  }

  /** Beside the cursor, on the side with more room, and never beyond the edge of the window. */
  place(x) {
    const plot = this.svg.getBoundingClientRect();
    const { offsetWidth: width } = this.readout;
    const wanted = x < this.width / 2 ? x + 14 : x - 14 - width;
    const room = document.documentElement.clientWidth - plot.left - width - 8;
    this.readout.style.left = `${Math.max(8 - plot.left, Math.min(wanted, room))}px`;
  }
}
