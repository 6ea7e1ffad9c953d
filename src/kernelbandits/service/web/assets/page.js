"use strict";
// Everything that comes from the service is put in as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";
const get = id => document.getElementById(id);
const colour = place => `var(--c${place % 8})`;

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "style") Object.assign(made.style, value); else made.setAttribute(name, value);
  }
  if (text !== undefined) made.textContent = text;
  return made;
}

function row(cells) {
  const made = element("tr");
  for (const cell of cells) {
    const held = element("td");
    held.append(cell instanceof Node ? cell : document.createTextNode(cell));
    made.append(held);
  }
  return made;
}

const number = (value, digits = 3) => value === null || value === undefined ? "–" : Number(value).toPrecision(digits);
const whole = value => Math.round(value || 0).toLocaleString("en");
const percent = value => value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %";
const link = (text, address) => element("a", text, { href: address });

function legend(id, entries) {
  get(id).replaceChildren(...entries.map(([name, ink]) => {
    const held = element("span");
    const mark = element("i");
    mark.style.background = ink;
    held.append(mark, document.createTextNode(name));
    return held;
  }));
}

function merged(history, most) {
  const size = Math.max(1, Math.ceil(history.length / most)), groups = [];
  for (let i = 0; i < history.length; i += size) {
    const group = { n: 0, reward: 0, control_n: 0, control_reward: 0, arms: {} };
    for (const bucket of history.slice(i, i + size)) {
      for (const name of ["n", "reward", "control_n", "control_reward"]) group[name] += bucket[name];
      for (const [arm, n] of Object.entries(bucket.arms)) group.arms[arm] = (group.arms[arm] || 0) + n;
    }
    groups.push(group);
  }
  return groups;
}

function frame(svg) {
  const { width, height } = svg.getBoundingClientRect();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  return { left: 46, top: 12, right: width - 10, bottom: height - 22 };
}

function axis(svg, box, low, high, label) {
  for (let i = 0; i <= 4; i++) {
    const y = box.bottom - (box.bottom - box.top) * i / 4;
    svg.append(shape("line", { x1: box.left, x2: box.right, y1: y, y2: y, style: { stroke: "var(--line)" } }));
    svg.append(shape("text", { x: box.left - 6, y: y + 4, "text-anchor": "end" }, number(low + (high - low) * i / 4, 2)));
  }
  svg.append(shape("text", { x: box.right, y: box.bottom + 16, "text-anchor": "end" }, label));
}

function curve(svg, box, values, low, high, ink, dashed) {
  const step = (box.right - box.left) / Math.max(values.length - 1, 1);
  const height = value => box.bottom - (box.bottom - box.top) * (value - low) / (high - low);
  const points = values.map((value, i) => value === null ? null : `${box.left + i * step},${height(value)}`);
  const line = shape("polyline", { points: points.filter(Boolean).join(" "), fill: "none", "stroke-width": 2.5 });
  line.style.stroke = ink;
  if (dashed) line.setAttribute("stroke-dasharray", "6 5");
  svg.append(line);
}

function drawRewards(history) {
  const svg = get("rewards"), box = frame(svg), groups = merged(history, 24);
  const policy = groups.map(g => g.n ? g.reward / g.n : null);
  const totals = { n: 0, reward: 0 };
  const control = groups.map(g => {
    totals.n += g.control_n; totals.reward += g.control_reward;
    return totals.n ? totals.reward / totals.n : null;
  });
  const known = [...policy, ...control].filter(value => value !== null);
  if (!known.length) return;
  const least = Math.min(...known), most = Math.max(...known), room = Math.max(0.15 * (most - least), 1e-3);
  const low = Math.max(least - room, Math.min(0, least)), high = most + room;
  axis(svg, box, low, high, `${whole(history.reduce((sum, b) => sum + b.n + b.control_n, 0))} outcomes`);
  curve(svg, box, control, low, high, "var(--c1)", true);
  curve(svg, box, policy, low, high, "var(--c0)", false);
  legend("rewards-legend", [["policy", "var(--c0)"], ["control, mean so far", "var(--c1)"]]);
}

function drawShares(history, arms) {
  const svg = get("shares"), box = frame(svg), groups = merged(history, 40).filter(group => group.n);
  if (!groups.length) return;
  axis(svg, box, 0, 1, "share of the policy's decisions");
  const step = (box.right - box.left) / groups.length;
  groups.forEach((group, i) => {
    let top = box.bottom;
    arms.forEach((arm, place) => {
      const height = (box.bottom - box.top) * (group.arms[arm] || 0) / group.n;
      top -= height;
      const bar = shape("rect", { x: box.left + i * step, y: top, width: Math.max(step - 1, 0.5), height });
      bar.style.fill = colour(place);
      svg.append(bar);
    });
  });
  legend("shares-legend", arms.map((arm, place) => [arm, colour(place)]));
}

function intervalRow(name, address, found, low, high, baseline) {
  const bar = element("div", undefined, { class: "bar" });
  const place = value => Math.min(Math.max((value - low) / (high - low), 0), 1) * 100;
  const range = element("i"), mean = element("b");
  range.style.left = place(found.low) + "%";
  range.style.width = Math.max(place(found.high) - place(found.low), 0.5) + "%";
  mean.style.left = `calc(${place(found.mean)}% - .12rem)`;
  bar.append(range, mean);
  const label = element("span");
  label.append(link(name, address), document.createTextNode(baseline ? " (baseline)" : ""));
  return row([label, whole(found.n), number(found.mean), `${number(found.low)} to ${number(found.high)}`, bar]);
}

function showIntervals(data) {
  const found = data.intervals || {}, [low, high] = data.settings.reward_range || [0, 1], rows = [];
  const baseline = (data.settings.arms || [])[0];
  if (found.policy) rows.push(intervalRow("policy", "/events?control=0", found.policy, low, high));
  if (found.control) rows.push(intervalRow("control, arms at random", "/events?control=1", found.control, low, high));
  for (const arm of data.bandit ? data.bandit.arms : []) {
    const each = found["arm " + arm.name];
    const address = "/events?arm=" + encodeURIComponent(arm.name);
    if (each) rows.push(intervalRow("always " + arm.name, address, each, low, high, arm.name === baseline));
  }
  get("intervals").tBodies[0].replaceChildren(...rows);
  get("intervals").caption.textContent = rows.length ? `Intervals that hold together, at any time, with ${
    percent(data.level)} confidence; of an arm: what it would earn if it were always chosen.` : "";
}

function showCalibration(data) {
  const found = data.bandit ? data.bandit.calibration : {}, listed = [];
  const add = (name, value) => listed.push(element("dt", name), element("dd", value));
  add("compared with their reward", whole(found.n));
  add("variance explained", percent(found.explained));
  add("90 % intervals covered", percent(found.coverage));
  add("drift (mean error)", found.bias === null || found.bias === undefined ? "–"
    : `${number(found.bias, 2)} ± ${number(found.bias_error, 2)}`);
  add("policy would choose the baseline", data.n ? percent(data.agreed / data.n) : "–");
  add("not learned (control or refused)", whole((data.control || 0) + (data.refused || 0)));
  get("calibration").replaceChildren(...listed);
}

function showNewest(data) {
  get("newest").tBodies[0].replaceChildren(...data.newest.map(event => row([
    link(event.id.slice(0, 12), "/events/" + encodeURIComponent(event.id)),
    Math.max(0, (data.time - event.time) / 1e6).toFixed(1) + " s",
    event.arm + (event.control ? " (control)" : ""),
    number(event.propensity), whole(event.version),
    event.settled ? `${number(event.outcome)} (${event.fate})` : "awaited",
  ])));
}

function show(data) {
  get("trouble").hidden = true;
  const bandit = data.bandit, learning = data.settings, arms = bandit ? bandit.arms.map(arm => arm.name) : [];
  get("about").textContent = `${arms.length} arms · mode ${learning.mode} · version ${whole(data.version)} · ${
    bandit ? bandit.policy.split("(")[0] : "no policy yet"} · exploration ${percent(learning.exploration)} · control ${
    percent(learning.control)}`;
  get("n-events").textContent = whole(data.counts.events);
  get("n-rewards").textContent = whole(data.counts.rewards);
  get("n-late").textContent = whole(data.counts.rewards_late);
  get("n-awaiting").textContent = whole(data.awaiting);
  get("n-defaulted").textContent = whole(data.defaulted);
  const ms = value => value === null ? "–" : 1000 * value < 10 ? (1000 * value).toFixed(1) : whole(1000 * value);
  get("latency").textContent = `${ms(data.latency.p50)} / ${ms(data.latency.p99)} ms`;
  drawRewards(data.history || []);
  drawShares(data.history || [], arms);
  showIntervals(data);
  showCalibration(data);
  const health = bandit && bandit.health.length ? bandit.health : ["nothing unusual"];
  get("health").replaceChildren(...health.map(line => element("li", line)));
  showNewest(data);
}

function trouble(text) {
  get("trouble").textContent = text;
  get("trouble").hidden = false;
}

let newest = null;
const source = new EventSource("/stream");
source.onmessage = message => { newest = JSON.parse(message.data); show(newest); };
source.addEventListener("trouble", message => trouble(JSON.parse(message.data)));
source.onerror = () => trouble("The service does not answer; trying again.");
window.addEventListener("resize", () => { if (newest) show(newest); });
