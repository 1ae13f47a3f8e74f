// All that pages do beyond HTML: keep themselves up to date, wait for work in the background, draw pictures.
// Every page works without it, but for pictures and for rows that are added to the form of a new study.
"use strict";

const LIVE = 3000; // milliseconds between looks at the study
const REDRAWN = 15000; // between drawings of a picture while a run goes on: they cost the run's own machine time
const SOON = 700; // between looks at work in the background

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Whether the server is there: a quiet line says when it is not, and goes when it is back

const GONE = "The server does not answer: it has ended, or the connection is lost. What you see may be old; what you typed stays here.";
const ANEW = "The server was started anew: open the address that it has printed.";
let leaving = false;
addEventListener("beforeunload", () => { leaving = true; });

function lost(text) {
  const line = document.querySelector("[data-lost]");
  if (leaving || line.textContent === text) return;
  line.textContent = text;
  line.hidden = !text;
}

async function reach(address, how = {}) {
  let answer;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...how });
  } catch (error) {
    lost(GONE);
    throw error;
  }
  lost(answer.status === 401 ? ANEW : "");
  return answer;
}

async function json(address) {
  const answer = await reach(address, { headers: { accept: "application/json" } });
  if (!answer.ok && answer.status !== 422 && answer.status !== 409) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

// Light and dark

function switchTheme() {
  const next = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("pfes-theme", next); } catch { /* it lasts as long as the page, then */ }
  drawAll();
}

// Pictures

const drawn = new WeakMap();

async function draw(figure) {
  const turn = (drawn.get(figure) || 0) + 1; // a newer wish overtakes an older one
  drawn.set(figure, turn);
  const canvas = figure.querySelector(".canvas");
  for (let seconds = 0; ; ) {
    let answer;
    try {
      const how = `dark=${dark()}&width=${canvas.clientWidth}`;
      answer = await json(`/pictures/${encodeURIComponent(figure.dataset.picture)}?${how}`);
    } catch {
      return say(canvas, "The picture could not be fetched.");
    }
    if (drawn.get(figure) !== turn) return;
    if (answer.state === "done") return show(canvas, answer).catch((error) => say(canvas, error.message));
    if (answer.state === "failed" || answer.error) return say(canvas, answer.error);
    const taken = Math.round(answer.seconds || seconds);
    const why = taken > 5 ? ". The first time after an installation takes about a minute, while code is compiled." : "";
    if (!canvas.querySelector(".drawing")) say(canvas, `Drawing … ${taken} s${why}`);
    await later(SOON);
    seconds += SOON / 1000;
  }
}

// Plotly is large: the page is there before it. It starts while pictures are fetched; then they are drawn one at a time,
// each shown before the next is begun, in the order of the page as far as they are there.
let loading = null;
let drawing = Promise.resolve();

const shown = () => new Promise((done) => { // hidden pages have no frames
  const limit = setTimeout(done, 100);
  requestAnimationFrame(() => setTimeout(() => { clearTimeout(limit); done(); }));
});

function inTurn(work) {
  const mine = drawing.then(work);
  drawing = mine.catch(() => {}).then(shown);
  return mine;
}

function plotly() {
  loading ||= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = document.getElementById("plotly").href;
    script.addEventListener("load", done);
    script.addEventListener("error", () => failed(new Error("Plotly could not be loaded.")));
    document.head.append(script);
  });
  return loading;
}

function say(canvas, text) {
  const line = document.createElement("p");
  line.className = "wait";
  line.textContent = text;
  canvas.replaceChildren(line);
}

// On paper pictures are scaled to its width, and light ones are made of dark ones (see the sheet): both need to be known.
function scalable(plot) {
  for (const drawing of plot.querySelectorAll(".main-svg")) {
    drawing.setAttribute("viewBox", `0 0 ${drawing.getAttribute("width")} ${drawing.getAttribute("height")}`);
  }
}

async function show(canvas, answer) {
  canvas.dataset.drawn = dark() ? "dark" : "light";
  if (answer.svg) {
    const parsed = new DOMParser().parseFromString(answer.svg, "image/svg+xml");
    canvas.replaceChildren(document.importNode(parsed.documentElement, true));
    canvas.firstElementChild.classList.add("drawing");
    return;
  }
  await plotly();
  await inTurn(() => react(canvas, answer));
  performance.mark(`drawn ${canvas.parentElement.dataset.picture}`); // benchmarks/pages.py looks for it
}

async function react(canvas, answer) {
  let plot = canvas.querySelector(".plot");
  if (!plot) {
    plot = document.createElement("div");
    plot.className = "plot drawing";
    canvas.replaceChildren(plot);
  }
  plot.style.minWidth = answer.columns > 1 ? `${answer.columns * 300}px` : "";
  plot.style.height = answer.rows > 1 ? `${answer.rows * 260}px` : "";
  const layout = { ...answer.figure.layout, autosize: true, height: plot.clientHeight || 380 };
  delete layout.width;
  layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0, 0, 0, 0)"; // the card's own colour shows through
  const config = { responsive: true, displayModeBar: false };
  await Plotly.react(plot, answer.figure.data, layout, config);
  scalable(plot);
  plot.removeAllListeners("plotly_afterplot");
  plot.on("plotly_afterplot", () => scalable(plot));
}

function drawAll() {
  if (document.getElementById("plotly")) plotly().catch(() => {}); // whoever needs it says so
  document.querySelectorAll("[data-picture]").forEach(draw);
}

// A phone that is turned: names of axes are folded anew. (Its bars come and go, which changes heights alone.)
let [width, turned] = [innerWidth, 0];
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(turned);
  turned = setTimeout(drawAll, 400);
});

// Pages that keep themselves up to date

async function live() {
  const first = document.querySelector("[data-live][data-events]");
  let seen = first ? Number(first.dataset.events) : null;
  let [stale, last] = [false, Date.now()];
  for (;;) {
    await later(LIVE);
    if (document.hidden) continue;
    try {
      if (!first) { // nothing here changes by itself, but the server may be gone
        await reach("/live");
        continue;
      }
      const { events } = await json("/live");
      if (events !== seen) {
        seen = events;
        stale = true;
        await refresh(false);
      }
      if (stale && Date.now() - last > REDRAWN) {
        [stale, last] = [false, Date.now()];
        drawAll();
      }
    } catch { /* the server is being restarted, or gone: the page says so; look again */ }
  }
}

async function refresh(pictures = true) {
  const answer = await reach(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of document.querySelectorAll("[data-live][id]")) {
    const part = fresh.getElementById(old.id);
    if (part && !old.contains(document.activeElement)) old.replaceWith(document.importNode(part, true));
  }
  if (pictures) drawAll();
}

// Work in the background

async function follow(card) {
  const elapsed = card.querySelector("[data-elapsed]");
  for (;;) {
    try {
      const job = await json(`/api/jobs/${card.dataset.job}`);
      if (job.state === "done" || job.state === "failed" || !job.state) {
        return card.closest("[data-live]") ? await refresh(false) : location.reload();
      }
      elapsed.textContent = `… ${Math.round(job.seconds)} s`;
    } catch { /* look again */ }
    await later(SOON);
  }
}

// The form of a new study

function kinds(root) {
  for (const select of root.querySelectorAll("[data-kind]")) {
    const update = () => {
      for (const field of select.closest(".row").querySelectorAll("[data-for]")) {
        field.hidden = !field.dataset.for.split(" ").includes(select.value);
      }
    };
    select.addEventListener("change", update);
    update();
  }
  for (const button of root.querySelectorAll("[data-remove]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const row = button.closest(".row");
      if (row.parentElement.children.length > 1) row.remove();
    });
  }
}

function addRow(letter) {
  const rows = document.querySelector(`[data-rows="${letter}"]`);
  const numbers = [...rows.querySelectorAll("[name]")].map((field) => parseInt(field.name.slice(1), 10));
  const next = Math.max(-1, ...numbers.filter(Number.isFinite)) + 1;
  const made = document.querySelector(`[data-template="${letter}"]`).content.cloneNode(true);
  for (const node of made.querySelectorAll("[id], [for], [name]")) {
    for (const part of ["id", "for", "name"]) {
      if (node.hasAttribute(part)) node.setAttribute(part, node.getAttribute(part).replace("NN", next));
    }
  }
  rows.append(made);
  const row = rows.lastElementChild;
  kinds(row);
  return row;
}

const EXAMPLE = {
  p: [
    { name: "fraction", type: "real", low: "0", high: "1" },
    { name: "temperature", type: "integer", low: "300", high: "900", step: "10", unit: "K" },
    { name: "dopant", type: "choice", values: "Er, Nb, W" },
  ],
  o: [
    { name: "conductivity", goal: "max", cost: "5", unit: "mS/cm" },
    { name: "energy", goal: "min", cost: "1", unit: "eV" },
  ],
};

function example() {
  document.getElementById("study_name").value = "battery";
  const space = document.getElementById("kind-space");
  space.checked = true;
  for (const [letter, rows] of Object.entries(EXAMPLE)) {
    document.querySelector(`[data-rows="${letter}"]`).replaceChildren();
    for (const values of rows) {
      const row = addRow(letter);
      for (const [what, value] of Object.entries(values)) row.querySelector(`[name$="_${what}"]`).value = value;
      row.querySelector("[data-kind]")?.dispatchEvent(new Event("change"));
    }
  }
  parts();
}

function parts() {
  const chosen = document.querySelector("[data-shows]:checked")?.dataset.shows;
  for (const part of document.querySelectorAll("[data-part]")) part.hidden = part.dataset.part !== chosen;
}

// What is too large is said before it is sent

function weigh(field) {
  const limit = 0.98 * Number(document.body.dataset.limit); // a form has some words of its own
  const parts = field.files ? [...field.files] : [field.value];
  const size = new Blob(parts).size;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  field.setCustomValidity(size > limit ? `This has ${megabytes(size)}, and ${megabytes(limit)} are taken at most: try it in parts.` : "");
  if (size > limit) field.reportValidity();
}

// Everything is wired up here

document.querySelectorAll('input[type="file"], textarea').forEach((it) => it.addEventListener("change", () => weigh(it)));

document.querySelectorAll("[data-theme-switch]").forEach((it) => it.addEventListener("click", switchTheme));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.querySelectorAll("[data-job]").forEach(follow);
document.querySelectorAll("[data-add]").forEach((it) => {
  it.hidden = false;
  it.addEventListener("click", () => addRow(it.dataset.add).querySelector("input").focus());
});
document.querySelectorAll("[data-example]").forEach((it) => {
  it.hidden = false;
  it.addEventListener("click", example);
});
document.querySelectorAll("[data-shows]").forEach((it) => it.addEventListener("change", parts));
kinds(document);
parts();
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener("submit", () => setTimeout(() => { // one click, one request
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  }));
}
addEventListener("pageshow", () => document.querySelectorAll("form button").forEach((it) => { it.disabled = false; }));
drawAll();
live();
