// Draws the numbers of a table: each element with data-chart names a table. Rows have their time in data-x, and columns with
// data-series are drawn; the first one as bars on the left axis, the second one as a line on the right. With data-lines, all are lines on
// the left axis, from data-from to data-to, and cells without a number are gaps.
"use strict";

const number = (cell) => {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  return text === "" ? null : Number(text);
};

const draw = (holder) => {
  const table = document.getElementById(holder.dataset.chart);
  const rows = [...table.tBodies[0].rows].sort((a, b) => Date.parse(a.dataset.x) - Date.parse(b.dataset.x));
  const columns = [...table.tHead.rows[0].cells].filter((cell) => "series" in cell.dataset);
  const style = getComputedStyle(holder);
  const colour = (name) => style.getPropertyValue(name).trim();
  const lines = "lines" in holder.dataset; // all on the left axis
  const colours = ["--accent", "--person", "--machine", "--busy", "--good", "--bad", "--soft"].map(colour);
  const scale = (i) => (lines ? "y0" : `y${i}`);
  const shown = (column) => (_, value) => (value === null ? "" : (column.dataset.unit ?? "") + value.toLocaleString("en"));
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const options = {
    width: holder.clientWidth,
    height: 240,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { drag: { x: false, y: false } },
    scales: {
      ...(lines ? { x: { range: [Date.parse(holder.dataset.from) / 1000, Date.parse(holder.dataset.to) / 1000] } } : {}),
      ...Object.fromEntries(columns.map((_, i) => [scale(i), { range: (_, low, high) => [0, Math.max(high * 1.05, lines ? 5 : 0.01)] }])),
    },
    axes: [
      { ...axis, grid: { show: false } },
      ...(lines ? columns.slice(0, 1) : columns).map((column, i) => ({
        ...axis, scale: scale(i), side: i === 0 ? 3 : 1, size: 70, grid: { ...axis.grid, show: i === 0 },
        values: (_, ticks) => ticks.map((tick) => (column.dataset.unit ?? "") + tick.toLocaleString("en", { notation: "compact" })),
      })),
    ],
    series: [
      { value: lines ? "{YYYY}-{MM}-{DD} {HH}:{mm}" : "{YYYY}-{MM}-{DD}" },
      ...columns.map((column, i) => ({
        label: column.dataset.series, scale: scale(i), stroke: colours[i % colours.length], value: shown(column),
        ...(i === 0 && !lines ? { fill: colours[i], paths: uPlot.paths.bars({ size: [0.7, 40] }), points: { show: false } } : { width: 2 }),
      })),
    ],
  };
  const data = [rows.map((row) => Date.parse(row.dataset.x) / 1000), ...columns.map((column) => rows.map((row) => number(row.cells[column.cellIndex])))];
  holder.replaceChildren();
  new uPlot(options, data, holder);
};

const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

document.addEventListener("DOMContentLoaded", drawAll);
window.addEventListener("resize", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
