'use strict';
// Text goes into the page by textContent alone: what a vehicle says is never markup.
const SVG = 'http://www.w3.org/2000/svg';
const $ = id => document.getElementById(id);
function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'text') node.textContent = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...(children || []));
  return node;
}
const h = (name, attributes, children) => put(document.createElement(name), attributes, children);
const s = (name, attributes, children) => put(document.createElementNS(SVG, name), attributes, children);
function table(heads, rows, label) {
  const cell = (name, value, style) => {
    const node = h(name, { class: style });
    if (value instanceof Node) node.append(value); else node.textContent = value === null || value === undefined ? '' : value;
    if (name === 'th') node.scope = 'col';
    return node;
  };
  return h('div', { class: 'wide', role: 'region', 'aria-label': label, tabindex: 0 }, [h('table', {}, [
    h('thead', {}, [h('tr', {}, heads.map(([title, style]) => cell('th', title, style)))]),
    h('tbody', {}, rows.map(row => h('tr', {}, row.map((value, at) => cell('td', value, heads[at][1])))))])]);
}
function facts(list) {
  return h('dl', {}, list.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => h('div', {}, [h('dt', { text: name }), h('dd', { text: value })])));
}
const round = (value, digits) => Number.isFinite(value) ? value.toFixed(Math.max(0, Math.min(6, digits))) : '—';
function clock(seconds) {
  const t = Math.max(0, Math.round(seconds)), two = n => String(n).padStart(2, '0'), hours = Math.floor(t / 3600);
  return (hours ? hours + ':' : '') + two(Math.floor(t / 60) % 60) + ':' + two(t % 60);
}
const when = text => text ? new Date(text).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }) : '';
// The next of 1, 2, 2.5, 5, 10 … that is not below a value.
function above(value) {
  for (let decade = 1e-6; decade < 1e12; decade *= 10)
    for (const step of [1, 2, 2.5, 5]) if (step * decade >= value * 0.9999999) return step * decade;
  return value;
}
// The objects of an address, one a line; a broken answer is an error.
async function ask(path) {
  const response = await fetch(path, { credentials: 'same-origin', cache: 'no-store' });
  if (response.status === 401) location.reload();
  const objects = (await response.text()).split('\n').filter(line => line).map(line => JSON.parse(line));
  if (response.ok) return objects;
  const problem = objects[0] || {};
  throw new Error((problem.message || 'the server answered ' + response.status) + (problem.hint && !isForShell(problem.hint) ? ' (' + problem.hint + ')' : ''));
}
