// The player: shows any frame of a film at once, forwards and back. A frame is a list of slots that turn to a variant;
// what each variant looks like was written, and escaped, beforehand. All else goes in as plain text.
"use strict";
(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const $ = (id) => document.getElementById(id);
  const graph = $("graph");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const SECTIONS = ["value", "saved", "gradients", "node"];
  const TITLES = { value: "Tensor", node: "Node", saved: "Saved", gradients: "Gradients" };
  const BEAT = 800; // milliseconds a step, at speed 1

  // One backward pass and what led up to it: its picture, and where in it we are.
  class Chapter {
    constructor(data, root) {
      Object.assign(this, data);
      this.root = root;
      this.svg = root.querySelector("svg");
      this.size = [this.svg.viewBox.baseVal.width, this.svg.viewBox.baseVal.height];
      this.at = -1;
      this.now = this.slots.map((slot) => slot[1]);
      this.elements = this.slots.map(() => []);
      for (const one of root.querySelectorAll("[data-slot]")) this.elements[one.dataset.slot].push(one);
      this.cards = new Map();
      for (const card of root.querySelectorAll(".card")) this.cards.set(card.dataset.key, card);
      this.ties = [...root.querySelectorAll("[data-tail]")];
      this.undo = this.undoing();
      this.slots.forEach((_, slot) => this.draw(slot));
      this.dim();
    }

    // What each frame's turns take the place of, so that going back is as quick as going on.
    undoing() {
      const now = [...this.now];
      return this.turns.map((turns) => {
        const back = [];
        for (let i = 0; i < turns.length; i += 2) {
          back.push(turns[i], now[turns[i]]);
          now[turns[i]] = turns[i + 1];
        }
        return back;
      });
    }

    seek(frame) {
      const dirty = new Set();
      const turn = (turns) => {
        for (let i = 0; i < turns.length; i += 2) {
          this.now[turns[i]] = turns[i + 1];
          dirty.add(turns[i]);
        }
      };
      while (this.at < frame) turn(this.turns[++this.at]);
      while (this.at > frame) turn(this.undo[this.at--]);
      let looks = false;
      for (const slot of dirty) {
        this.draw(slot);
        looks = looks || this.slots[slot][0] === "look";
      }
      if (looks) this.dim();
      this.point();
    }

    variant(slot) {
      return film.pool[this.slots[slot][2][this.now[slot]]];
    }

    draw(slot) {
      const kind = this.slots[slot][0];
      if (kind === "told") return;
      const is = this.variant(slot);
      for (const element of this.elements[slot]) {
        if (kind === "row") element.innerHTML = is;
        else if (kind === "look") this.drawLook(element, is);
        else if (kind === "way") this.drawWay(element, is);
        else element.classList.toggle("absent", !is);
      }
    }

    drawLook(card, [classes, border]) {
      const kept = ["focus", "chosen"].filter((name) => card.classList.contains(name));
      card.setAttribute("class", [classes, ...kept].join(" "));
      card.querySelector(":scope > .border").innerHTML = border;
    }

    drawWay(element, [run, label, weight]) {
      if (element.classList.contains("label")) {
        element.classList.toggle("absent", !label);
        element.querySelector("text").textContent = label;
        return;
      }
      element.classList.toggle("unrun", !run);
      element.querySelector("path").setAttribute("stroke-width", weight);
    }

    // A line to what is not there yet is as faint as that.
    dim() {
      const faint = (key) => this.cards.get(key)?.classList.contains("future");
      for (const tie of this.ties) tie.classList.toggle("future", faint(tie.dataset.tail) || faint(tie.dataset.head));
    }

    // Point at what the step is about.
    point() {
      for (const old of this.root.querySelectorAll(".focus, .lit")) old.classList.remove("focus", "lit");
      const card = this.cards.get(this.focus[this.at]);
      if (card) card.classList.add("focus");
      for (const way of this.elements[this.lit[this.at]] || []) way.classList.add("lit");
    }

    // The frame that shows a step of the trace.
    frameOf(step) {
      let low = 0;
      let high = this.steps.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.steps[middle] <= step) low = middle;
        else high = middle - 1;
      }
      return low;
    }
  }

  const roots = [...document.querySelectorAll(".chapter")];
  const chapters = film.chapters.map((_, index) => index);
  let number = -1;
  let chapter = null;
  let zoom = null; // null: fit
  let playing = null;
  let chosen = null;

  function open(index) {
    if (index === number) return;
    number = index;
    roots.forEach((root, other) => (root.hidden = other !== index));
    if (typeof chapters[index] === "number") chapters[index] = new Chapter(film.chapters[index], roots[index]);
    chapter = chapters[index];
    choose(null);
    $("title").textContent = chapter.title;
    $("where").textContent = chapter.place;
    $("pass").value = String(index);
    $("slider").max = String(chapter.steps.length - 1);
    resize();
    drawMarks();
  }

  // Moving. Beyond the end of one chapter begins the next.
  function show(frame) {
    if (frame >= chapter.steps.length && number + 1 < chapters.length) {
      open(number + 1);
      frame = 0;
    } else if (frame < 0 && number > 0) {
      open(number - 1);
      frame = chapter.steps.length - 1;
    }
    chapter.seek(Math.max(0, Math.min(frame, chapter.steps.length - 1)));
    tell();
  }

  function goTo(step) {
    let index = chapters.findIndex((_, other) => step <= film.chapters[other].end);
    if (index < 0) index = chapters.length - 1;
    open(index);
    show(chapter.frameOf(step));
  }

  function nextNode(way) {
    for (let at = chapter.at + way; at >= 0 && at < chapter.steps.length; at += way) {
      if ("onx".includes(chapter.marks[at])) return at;
    }
    return way > 0 ? (number + 1 < chapters.length ? chapter.steps.length : chapter.steps.length - 1) : number ? -1 : 0;
  }

  // Telling: the caption, the source, the numbers, the address.
  function tell() {
    const at = chapter.at;
    const backward = at >= chapter.turnback;
    const wrong = chapter.marks[at] === "x";
    $("said").textContent = film.pool[chapter.captions[at]];
    $("sign").textContent = wrong ? "✗ failed" : at === 0 && !chapter.start ? "start" : backward ? "◂ backward" : "forward ▸";
    $("sign").className = "sign" + (wrong ? " wrong" : backward ? " backward" : "");
    $("place").textContent = source.show(chapter.places[at]);
    $("count").textContent = `step ${chapter.steps[at].toLocaleString("en")} of ${film.steps.toLocaleString("en")}`;
    $("slider").value = String(at);
    $("slider").setAttribute("aria-valuetext", `step ${chapter.steps[at]}: ${$("said").textContent}`);
    $("alarm").hidden = !chapter.alarm || at < chapter.alarmed;
    $("alarm").textContent = chapter.alarm;
    if (chosen) tellNumbers();
    bringIntoView();
    remember();
  }

  let remembering = 0;
  function remember() {
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      try {
        history.replaceState(null, "", `#step=${chapter.steps[chapter.at]}`);
      } catch {
        // A frame without an address of its own.
      }
    }, 250);
  }

  function bringIntoView() {
    const card = chapter.cards.get(chapter.focus[chapter.at]);
    if (!card) return;
    const pane = graph.getBoundingClientRect();
    const box = card.getBoundingClientRect();
    const edge = 24;
    const across = box.left < pane.left + edge || box.right > pane.right - edge;
    const down = box.top < pane.top + edge || box.bottom > pane.bottom - edge;
    if (!across && !down) return;
    graph.scrollTo({
      left: across ? graph.scrollLeft + (box.left + box.right - pane.left - pane.right) / 2 : graph.scrollLeft,
      top: down ? graph.scrollTop + (box.top + box.bottom - pane.top - pane.bottom) / 2 : graph.scrollTop,
      behavior: playing || calm.matches ? "auto" : "smooth",
    });
  }

  // The source beside the graph.
  const source = {
    pages: new Map(),
    lit: [],
    page(file) {
      let page = this.pages.get(file);
      if (!page) {
        page = document.createElement("div");
        const name = document.createElement("p");
        name.className = "name";
        name.textContent = film.files[file][0];
        const text = document.createElement("div");
        text.className = "file";
        page.append(name, text);
        page.lines = film.files[file][1].split("\n").map((words, index) => this.line(file, index + 1, words, text));
        this.pages.set(file, page);
      }
      return page;
    },
    line(file, line, words, text) {
      const element = document.createElement("div");
      element.className = happens.has(`${file}:${line}`) ? "line happens" : "line";
      element.dataset.line = String(line);
      element.textContent = words;
      element.addEventListener("click", () => stepOn(file, line));
      text.append(element);
      return element;
    },
    show(place) {
      for (const line of this.lit) {
        line.classList.remove("here");
        line.textContent = line.textContent;
      }
      this.lit = [];
      if (place < 0) return "";
      const [file, first, column, last, end] = film.places[place];
      const page = this.page(file);
      if ($("source").firstChild !== page) $("source").replaceChildren(page);
      for (let at = first; at <= Math.min(last, page.lines.length); at++) {
        this.light(page.lines[at - 1], at === first ? column : 0, at === last ? end : Infinity);
      }
      if (this.lit.length) reveal($("source"), this.lit[0]);
      return film.files[file][2].replace("#", String(first));
    },
    light(line, from, to) {
      const words = line.textContent;
      if (from === 0 && to === Infinity) from = words.length - words.trimStart().length;
      const mark = document.createElement("mark");
      mark.textContent = words.slice(from, to);
      line.replaceChildren(words.slice(0, from), mark, words.slice(to));
      line.classList.add("here");
      this.lit.push(line);
    },
  };

  function reveal(pane, element) {
    const outer = pane.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    if (box.top < outer.top + 40 || box.bottom > outer.bottom - 12) {
      pane.scrollTop += box.top - outer.top - outer.height / 3;
    }
  }

  const happens = new Set();
  for (const [file, first] of film.places) happens.add(`${file}:${first}`);

  // The next step at which something happens on a line; after the last the first again.
  function stepOn(file, line) {
    const here = (at) => {
      const place = film.places[chapter.places[at]];
      return place && place[0] === file && place[1] === line;
    };
    const count = chapter.steps.length;
    for (let on = 1; on <= count; on++) {
      const at = (chapter.at + on) % count;
      if (here(at)) return show(at);
    }
  }

  // The numbers of a card.
  function choose(key) {
    if (chosen && chapter) chapter.cards.get(chosen)?.classList.remove("chosen");
    chosen = key;
    $("numbers").hidden = !key;
    if (!key) return;
    chapter.cards.get(key).classList.add("chosen");
    tellNumbers();
    if (source.lit.length) reveal($("source"), source.lit[0]);
  }

  function tellNumbers() {
    const box = $("numbers");
    const away = document.createElement("button");
    away.className = "away";
    away.textContent = "×";
    away.title = "Put away ( Esc )";
    away.setAttribute("aria-label", "Put the numbers away");
    away.addEventListener("click", () => choose(null));
    const head = document.createElement("h2");
    head.textContent = chapter.cards.get(chosen).getAttribute("aria-label");
    box.replaceChildren(away, head);
    SECTIONS.forEach((section, index) => {
      const slot = chapter.told[chosen][index];
      const lines = slot < 0 ? [] : chapter.variant(slot);
      if (lines.length) box.append(heading(TITLES[section]), table(lines));
    });
  }

  function heading(words) {
    const head = document.createElement("h3");
    head.textContent = words;
    return head;
  }

  function table(lines) {
    const made = document.createElement("table");
    for (const [label, text] of lines) {
      const row = made.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = label;
      row.append(head);
      const cell = row.insertCell();
      cell.textContent = text;
      if (/overwritten|^failed$|NaN|∞/.test(text)) cell.className = "wrong";
    }
    return made;
  }

  // Size. To fit is to fill the width, yet never so small that one cannot read it.
  function resize() {
    const [wide, high] = chapter.size;
    const filling = Math.min((graph.clientWidth - 4) / wide, Math.max((graph.clientHeight - 4) / high, 1));
    const fitting = Math.min(1.7, Math.max(0.82, filling));
    const scale = zoom === null ? fitting : zoom;
    chapter.scale = scale;
    chapter.svg.style.width = `${chapter.size[0] * scale}px`;
    chapter.svg.style.height = `${chapter.size[1] * scale}px`;
  }

  function rescale(factor) {
    zoom = factor === null ? null : Math.max(0.2, Math.min(5, chapter.scale * factor));
    resize();
    bringIntoView();
  }

  // The strip over the slider: forward, backward, and where it failed.
  function drawMarks() {
    const canvas = $("marks");
    const style = getComputedStyle(document.documentElement);
    const count = chapter.steps.length;
    canvas.width = Math.max(canvas.clientWidth, 1);
    const pen = canvas.getContext("2d");
    const wide = canvas.width / Math.max(count, 1);
    for (let at = 0; at < count; at++) {
      const mark = chapter.marks[at];
      const colour = mark === "x" ? "--stroke-alarm" : at >= chapter.turnback ? "--stroke-gradient" : "--stroke-card";
      pen.globalAlpha = "onx".includes(mark) ? 1 : 0.45;
      pen.fillStyle = style.getPropertyValue(colour);
      const tall = mark === "x" || at >= chapter.turnback ? 8 : 5;
      pen.fillRect(at * wide, 8 - tall, Math.max(wide - (wide > 4 ? 1 : 0), 1), tall);
    }
  }

  // Playing.
  function play() {
    if (playing) return pause();
    if (chapter.at === chapter.steps.length - 1 && number === chapters.length - 1) goTo(film.chapters[0].start);
    const beat = () => {
      const byNode = $("unit").value === "node";
      const atEnd = chapter.at === chapter.steps.length - 1 && number === chapters.length - 1;
      if (atEnd) return pause();
      show(byNode ? nextNode(1) : chapter.at + 1);
      playing = setTimeout(beat, BEAT / Number($("speed").value));
    };
    playing = setTimeout(beat, 0);
    $("play").textContent = "❚❚ Pause";
    $("play").setAttribute("aria-label", "Pause");
  }

  function pause() {
    clearTimeout(playing);
    playing = null;
    $("play").textContent = "▶ Play";
    $("play").setAttribute("aria-label", "Play");
  }

  function step(frame) {
    pause();
    show(frame);
  }

  const THEMES = ["auto", "light", "dark", "contrast", "colour-blind"];
  $("theme-name").textContent = document.documentElement.dataset.theme || "auto";
  function nextTheme() {
    const root = document.documentElement;
    const next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
    if (next === "auto") delete root.dataset.theme;
    else root.dataset.theme = next;
    $("theme-name").textContent = next;
    drawMarks();
  }

  const actions = {
    first: () => step(0),
    "node-back": () => step(nextNode(-1)),
    back: () => step(chapter.at - 1),
    play,
    on: () => step(chapter.at + 1),
    "node-on": () => step(nextNode(1)),
    last: () => step(chapter.steps.length - 1),
    smaller: () => rescale(1 / 1.2),
    larger: () => rescale(1.2),
    fit: () => rescale(null),
    theme: nextTheme,
    help: () => ($("keys").open ? $("keys").close() : $("keys").showModal()),
  };
  for (const [id, act] of Object.entries(actions)) $(id).addEventListener("click", act);

  const keys = {
    ArrowRight: (event) => (event.shiftKey ? actions["node-on"]() : actions.on()),
    ArrowLeft: (event) => (event.shiftKey ? actions["node-back"]() : actions.back()),
    " ": play,
    Home: actions.first,
    End: actions.last,
    n: actions["node-on"],
    p: actions["node-back"],
    "[": () => number > 0 && (pause(), open(number - 1), show(0)),
    "]": () => number + 1 < chapters.length && (pause(), open(number + 1), show(0)),
    "+": actions.larger,
    "=": actions.larger,
    "-": actions.smaller,
    0: actions.fit,
    d: nextTheme,
    "?": actions.help,
    Escape: () => choose(null),
  };
  document.addEventListener("keydown", (event) => {
    const inCard = event.target.closest?.(".card");
    if (event.ctrlKey || event.metaKey || event.altKey || ($("keys").open && event.key !== "?")) return;
    if (event.target.tagName === "SELECT") return;
    if (inCard && (event.key === "Enter" || event.key === " ")) {
      choose(inCard.dataset.key);
    } else if (event.target.tagName === "BUTTON" && event.key === " ") {
      return;
    } else if (keys[event.key]) {
      keys[event.key](event);
    } else {
      return;
    }
    event.preventDefault();
  });

  $("slider").addEventListener("input", () => step(Number($("slider").value)));
  $("pass").addEventListener("change", () => {
    pause();
    open(Number($("pass").value));
    show(chapter.at < 0 ? chapter.turnback : chapter.at);
  });
  graph.addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (!dragged) choose(card && card.dataset.key !== chosen ? card.dataset.key : null);
  });
  graph.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    rescale(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });

  // Dragging the picture about.
  let held = null;
  let dragged = false;
  graph.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.pointerType === "mouse" && event.button === 0) held = [event.clientX, event.clientY, graph.scrollLeft, graph.scrollTop];
  });
  addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y, left, top] = held;
    if (Math.hypot(event.clientX - x, event.clientY - y) > 4) dragged = true;
    if (!dragged) return;
    graph.classList.add("dragging");
    graph.scrollLeft = left - (event.clientX - x);
    graph.scrollTop = top - (event.clientY - y);
  });
  addEventListener("pointerup", () => {
    held = null;
    graph.classList.remove("dragging");
  });

  // A frame in a notebook is often given its size only after the page has begun.
  new ResizeObserver(() => chapter && (resize(), drawMarks())).observe(graph);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMarks);
  addEventListener("hashchange", () => goToAddress());

  function goToAddress() {
    const asked = /step=(\d+)/.exec(location.hash);
    if (asked) goTo(Number(asked[1]));
    return Boolean(asked);
  }

  film.chapters.forEach((one, index) => {
    const option = document.createElement("option");
    option.value = String(index);
    option.textContent = one.name;
    $("pass").append(option);
  });
  $("passes").hidden = chapters.length < 2;
  $("source").hidden = !film.files.length;
  if (!goToAddress()) {
    open(film.open);
    show(chapter.turnback < chapter.steps.length ? chapter.turnback : chapter.steps.length - 1);
  }
})();
