// Draws the numbers of a table: each element with data-chart names a table. Rows have their time in data-x, and columns with
// data-series are drawn; the first one on the left axis, the second one on the right.
"use strict";

const number = (cell) => Number(cell.dataset.value ?? cell.textContent);

const draw = (holder) => {
  const table = document.getElementById(holder.dataset.chart);
  const rows = [...table.tBodies[0].rows].sort((a, b) => Date.parse(a.dataset.x) - Date.parse(b.dataset.x));
  const columns = [...table.tHead.rows[0].cells].filter((cell) => "series" in cell.dataset);
  const style = getComputedStyle(holder);
  const colour = (name) => style.getPropertyValue(name).trim();
  const colours = [colour("--accent"), colour("--person")];
  const shown = (column) => (_, value) => (value === null ? "" : (column.dataset.unit ?? "") + value.toLocaleString("en"));
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
  const options = {
    width: holder.clientWidth,
    height: 240,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { drag: { x: false, y: false } },
    scales: Object.fromEntries(columns.map((_, i) => [`y${i}`, { range: (_, low, high) => [0, Math.max(high * 1.05, 0.01)] }])),
    axes: [
      { ...axis, grid: { show: false } },
      ...columns.map((column, i) => ({
        ...axis, scale: `y${i}`, side: i === 0 ? 3 : 1, size: 70, grid: { ...axis.grid, show: i === 0 },
        values: (_, ticks) => ticks.map((tick) => (column.dataset.unit ?? "") + tick.toLocaleString("en", { notation: "compact" })),
      })),
    ],
    series: [
      { value: "{YYYY}-{MM}-{DD}" },
      ...columns.map((column, i) => ({
        label: column.dataset.series, scale: `y${i}`, stroke: colours[i], value: shown(column),
        ...(i === 0 ? { fill: colours[i], paths: uPlot.paths.bars({ size: [0.7, 40] }), points: { show: false } } : { width: 2 }),
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
