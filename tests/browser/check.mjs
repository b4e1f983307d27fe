// Checks pages of `gpusched report` in Chromium. Arguments: the browser, the folder of the pages, and `screenshots` to keep images.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { HtmlValidate } from "html-validate";
import { chromium } from "playwright-core";

const [executablePath, folder, screenshots] = process.argv.slice(2);
const WIDTHS = [360, 800, 1400];
const MOST_BYTES = 2_000_000;
const MOST_NODES = 60_000;
// Pages that assessors print. `fifty.html` is a plan of 50 tasks.
const PRINTED = ["adas.html", "fifty.html", "kernel.html", "mig.html", "none.html", "recording.html", "system.html"];

const faults = [];
const expect = (condition, message) => condition || faults.push(message);

const validator = new HtmlValidate({
  extends: ["html-validate:recommended", "html-validate:a11y"],
  rules: { "long-title": "off", "no-inline-style": "off", "require-sri": "off", "no-trailing-whitespace": "off" },
});
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

const names = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
expect(names.length >= 10, `only ${names.length} pages`);
for (const name of names) {
  const path = join(folder, name);
  const bytes = statSync(path).size;
  expect(bytes <= MOST_BYTES, `${name}: ${bytes} bytes`);
  const report = await validator.validateString(readFileSync(path, "utf8"), name);
  for (const message of report.results.flatMap((result) => result.messages).slice(0, 10)) {
    faults.push(`${name}:${message.line}:${message.column}: ${message.message} (${message.ruleId})`);
  }
  const context = await browser.newContext({ acceptDownloads: true });
  const page = await context.newPage();
  page.on("console", (message) => faults.push(`${name}: console: ${message.text()}`));
  page.on("dialog", (dialog) => (faults.push(`${name}: dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("pageerror", (error) => faults.push(`${name}: ${error}`));
  page.on("request", (request) => {
    const local = /^(file|data|blob):/.test(request.url());
    expect(local, `${name}: request of ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  // Elements and texts, which determine the time to open the page on any machine. The time depends on the load of the machine.
  const nodes = await page.evaluate(() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let count = 0;
    while (walker.nextNode()) count++;
    return count;
  });
  expect(nodes <= MOST_NODES, `${name}: ${nodes} nodes`);
  const ms = await page.evaluate(() => Math.round(performance.getEntriesByType("navigation")[0].loadEventEnd));
  console.log(`${name}: ${bytes} bytes, ${nodes} nodes, opens in ${ms} ms`);

  // A screenshot of the whole page does not lay out the sections below the window.
  if (screenshots) await page.evaluate(() => document.querySelectorAll("main > section").forEach((section) => (section.style.contentVisibility = "visible")));
  for (const width of WIDTHS) {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide <= 0, `${name}: ${wide} pixels too wide at ${width}`);
      for (const fault of width === WIDTHS[0] ? await page.evaluate(contrast) : []) {
        faults.push(`${name}: ${colorScheme}: ${fault}`);
      }
      if (screenshots && (colorScheme === "light" || width === 800)) {
        const image = join(folder, `${basename(name, ".html")}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: image, fullPage: true });
      }
    }
  }
  if (PRINTED.includes(name)) {
    const path = join(folder, `${basename(name, ".html")}.pdf`);
    await page.pdf({ path, preferCSSPageSize: true });
    expect(statSync(path).size <= MOST_BYTES, `${path}: ${statSync(path).size} bytes`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await structure(page, name);
  await tables(page, name);
  await zoom(page, name);
  await downloads(page, name);
  await keyboard(page, name);
  await context.close();
}
await browser.close();
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`${names.length} pages, no faults`);

/** Texts whose contrast with their background is below 4.5. */
function contrast() {
  const numbers = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *:not(svg *):not(script)")) {
    const texts = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!texts || !element.checkVisibility()) continue;
    const [a, b] = [numbers(getComputedStyle(element).color), background(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`contrast ${ratio.toFixed(2)} of ${element.tagName} ${element.className}`);
  }
  return [...found];
}

async function structure(page, name) {
  const levels = await page.$$eval("h1, h2, h3, h4", (all) => all.map((heading) => Number(heading.tagName[1])));
  expect(levels.filter((level) => level === 1).length === 1, `${name}: one h1`);
  expect(levels.every((level, index) => index === 0 || level <= levels[index - 1] + 1), `${name}: levels ${levels}`);
  const dead = await page.$$eval("nav a", (all) => all.filter((link) => !document.querySelector(link.hash)).length);
  expect(dead === 0, `${name}: dead links`);
  expect((await page.$$("main, nav, header, footer")).length >= 4, `${name}: landmarks`);
}

/** Values of the visible cells of a column. */
function column(page, id, index) {
  return page.$$eval(
    `#${id} tbody tr`,
    (rows, at) => rows.filter((row) => !row.hidden).map((row) => row.cells[at].dataset.value ?? row.cells[at].textContent.trim()),
    index,
  );
}

async function tables(page, name) {
  await page.$$eval("#tables details", (all) => all.forEach((details) => (details.open = true)));
  const ids = await page.$$eval("table.data", (all) => all.filter((table) => table.checkVisibility()).map((table) => table.id));
  for (const id of ids) {
    const heads = await page.$$eval(`#${id} thead th`, (all) => all.map((head) => head.classList.contains("number")));
    const index = heads.indexOf(true) >= 0 ? heads.indexOf(true) : 0;
    const button = page.locator(`#${id} thead th button`).nth(index);
    for (const direction of ["ascending", "descending"]) {
      await button.click();
      const state = await page.locator(`#${id} thead th`).nth(index).getAttribute("aria-sort");
      expect(state === direction, `${name}: #${id}: aria-sort ${state}`);
      const values = (await column(page, id, index)).filter((value) => value !== "");
      const sign = direction === "ascending" ? 1 : -1;
      const sorted = values.every((value, at) => {
        if (at === 0) return true;
        const last = values[at - 1];
        const difference = heads[index] ? Number(value) - Number(last) : value.localeCompare(last, "en", { numeric: true });
        return sign * difference >= 0;
      });
      expect(sorted, `${name}: #${id} is not sorted (${direction}): ${values.slice(0, 8)}`);
    }
    const tools = page.locator(`xpath=//table[@id="${id}"]/ancestor::div[@class="table"]/preceding-sibling::div[1]`);
    const search = tools.locator("input");
    const all = await page.locator(`#${id} tbody tr`).count();
    if ((await search.count()) > 0) {
      const word = (await page.locator(`#${id} tbody tr`).last().locator("th, td").first().textContent()).trim();
      await search.fill(word);
      const shown = await page.locator(`#${id} tbody tr:not([hidden])`).count();
      expect(shown >= 1 && shown <= all, `${name}: #${id}: search of ${word} shows ${shown} of ${all}`);
      await search.fill("no row has this text");
      expect((await page.locator(`#${id} tbody tr:not([hidden])`).count()) === 0, `${name}: #${id}: search`);
      expect((await tools.locator("[role=status]").textContent()).startsWith("0 of"), `${name}: #${id}: count`);
      await search.fill("");
    }
    const [download] = await Promise.all([page.waitForEvent("download"), tools.getByRole("button", { name: "Save CSV" }).click()]);
    const text = readFileSync(await download.path(), "utf8");
    expect(download.suggestedFilename() === `${id}.csv`, `${name}: ${download.suggestedFilename()}`);
    const records = text.trimEnd().split("\r\n");
    expect(records.length === all + 1, `${name}: #${id}: ${records.length} records for ${all} rows`);
  }
}

async function zoom(page, name) {
  for (const figure of await page.locator("figure[data-zoom]").all()) {
    const width = () => figure.locator("svg").first().evaluate((svg) => svg.getBoundingClientRect().width);
    const before = await width();
    await figure.getByRole("button", { name: "Zoom in" }).click();
    expect(Math.abs((await width()) / before - 1.5) < 0.01, `${name}: zoom in`);
    await figure.locator(".frame").press("-");
    expect(Math.abs((await width()) / before - 1) < 0.01, `${name}: zoom out by key`);
    await figure.getByRole("button", { name: "Fit" }).click();
    const frame = await figure.locator(".frame").evaluate((frame) => frame.clientWidth);
    expect(Math.abs((await width()) - frame) < 2, `${name}: fit`);
    await figure.getByRole("button", { name: "Original size" }).click();
  }
}

async function downloads(page, name) {
  for (const button of await page.locator("button[data-save]").all()) {
    const id = await button.getAttribute("data-save");
    await page.evaluate((id) => (document.getElementById(id).closest("details").open = true), id);
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const text = readFileSync(await download.path(), "utf8");
    expect(text === (await page.locator(`#${id}`).textContent()) && text.length > 0, `${name}: ${id}`);
    expect(download.suggestedFilename() === (await button.getAttribute("data-name")), `${name}: ${id}`);
  }
}

async function keyboard(page, name) {
  await page.reload();
  await page.keyboard.press("Tab");
  const skip = await page.evaluate(() => document.activeElement.className);
  expect(skip === "skip", `${name}: the first stop of the keyboard is ${skip}`);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  expect(outline !== "none", `${name}: focus is not visible`);
}
