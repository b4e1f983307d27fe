"use strict";
// Sorting, search, zoom and downloads. The page is complete without this script.
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const save = (text, name, type) => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};

const order = new Intl.Collator("en", { numeric: true });
const value = (cell) => cell.dataset.value ?? cell.textContent.trim();

const sort = (table, index, ascending) => {
  const body = table.tBodies[0];
  const numeric = table.tHead.rows[0].cells[index].classList.contains("number");
  const compare = (a, b) => {
    const [left, right] = [value(a.cells[index]), value(b.cells[index])];
    // Rows without a value are last in both directions.
    if (left === "" || right === "") return (left === "") - (right === "");
    const result = numeric ? Number(left) - Number(right) : order.compare(left, right);
    return ascending ? result : -result;
  };
  body.append(...[...body.rows].sort(compare));
};

const csv = (table) => {
  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = [...table.tHead.rows[0].cells];
  const titles = head.map((cell) => {
    const unit = cell.dataset.unit;
    return unit ? `${cell.textContent.trim()} [${unit}]` : cell.textContent.trim();
  });
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const lines = rows.map((row) => [...row.cells].map(value));
  return [titles, ...lines].map((line) => line.map(quote).join(",") + "\r\n").join("");
};

for (const table of document.querySelectorAll("table.data")) {
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => {
    const button = element("button", { type: "button", textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const ascending = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sort(table, index, ascending);
    });
  });
  const tools = element("div", { className: "tools" });
  if (rows.length > 5) {
    const input = element("input", { type: "search" });
    const count = element("span", { role: "status", textContent: `${rows.length} rows` });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
    });
    tools.append(element("label", {}, "Search", input), count);
  }
  const button = element("button", { type: "button", textContent: "Save CSV" });
  button.setAttribute("aria-label", `Save CSV: ${table.caption.textContent}`);
  button.addEventListener("click", () => save(csv(table), `${table.id}.csv`, "text/csv"));
  tools.append(button);
  table.closest(".table").before(tools);
}

for (const figure of document.querySelectorAll("figure[data-zoom]")) {
  const frame = figure.querySelector(".frame");
  const svg = frame.querySelector("svg");
  const natural = svg.viewBox.baseVal.width ? svg.getBoundingClientRect().width : 0;
  const ratio = svg.viewBox.baseVal.height / svg.viewBox.baseVal.width;
  let factor = 1;
  const apply = (next) => {
    const middle = (frame.scrollLeft + frame.clientWidth / 2) / factor;
    factor = Math.min(16, Math.max(0.25, next));
    svg.style.width = `${natural * factor}px`;
    svg.style.height = `${natural * factor * ratio}px`;
    frame.scrollLeft = middle * factor - frame.clientWidth / 2;
    state.textContent = `${Math.round(100 * factor)} %`;
  };
  const fit = () => apply(frame.clientWidth / natural);
  const state = element("span", { role: "status", textContent: "100 %" });
  const button = (text, label, action) => {
    const made = element("button", { type: "button", textContent: text });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  };
  const tools = element(
    "div",
    { className: "tools" },
    button("+", "Zoom in", () => apply(factor * 1.5)),
    button("−", "Zoom out", () => apply(factor / 1.5)),
    button("Fit", "Fit to the width of the page", fit),
    button("100 %", "Original size", () => apply(1)),
    state,
  );
  figure.prepend(tools);
  frame.addEventListener("keydown", (event) => {
    const actions = { "+": () => apply(factor * 1.5), "=": () => apply(factor * 1.5), "-": () => apply(factor / 1.5), 0: fit };
    if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      actions[event.key]();
    }
  });
}

for (const button of document.querySelectorAll("button[data-save]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    save(document.getElementById(button.dataset.save).textContent, button.dataset.name, "text/plain");
  });
}

// Paper shows the evidence, all charts and all files.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
