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
  // On a phone a row with more than three cells becomes a block, with the names of the columns in it.
  const isStacked = heads.length > 3, labelled = (node, at) => { if (isStacked) node.dataset.label = heads[at][0]; return node; };
  return h('div', { class: 'wide', role: 'region', 'aria-label': label, tabindex: 0 }, [h('table', { class: isStacked ? 'many' : null }, [
    h('thead', {}, [h('tr', {}, heads.map(([title, style]) => cell('th', title, style)))]),
    h('tbody', {}, rows.map(row => h('tr', {}, row.map((value, at) => labelled(cell('td', value, heads[at][1]), at)))))])]);
}
function facts(list) {
  return h('dl', {}, list.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => h('div', {}, [h('dt', { text: name }), h('dd', { text: value })])));
}
const round = (value, digits) => Number.isFinite(value) ? value.toFixed(Math.max(0, Math.min(6, digits))) : '—';
// A time span in its two largest units, as `durationText` of the library: 8.4 s, 2 min 30 s, 3 h 7 min.
function duration(seconds) {
  if (!(seconds >= 0)) return '—';
  if (seconds < 9.95) return Number(seconds.toFixed(1)) + ' s';
  const pair = (large, unit, small, smaller) => large + ' ' + unit + (small > 0 ? ' ' + small + ' ' + smaller : '');
  const all = Math.round(seconds), minutes = Math.floor((all + 30) / 60), hours = Math.floor((all + 1800) / 3600);
  return all < 60 ? all + ' s' : all < 3600 ? pair(Math.floor(all / 60), 'min', all % 60, 's')
    : minutes < 1440 ? pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min') : pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
// A number with its unit. A time from one minute on is a time span: 187 and min give 3 h 7 min.
const inSeconds = { s: 1, min: 60 };
const isSpan = (number, unit) => inSeconds[unit] * number >= 60;
const quantity = (number, unit) => isSpan(number, unit) ? duration(inSeconds[unit] * number) : number + (unit ? ' ' + unit : '');
// The title of an ECU: Engine (10). Its name is what a row says, else what is known of the connected vehicle.
const ecuNames = new Map();
const nameECUs = names => { for (const [ecu, name] of names) if (name) ecuNames.set(ecu, name); };
function ecuName(ecu, own = ecuNames.get(ecu)) {
  return own ? own + ' (' + ecu + ')' : ecu || '';
}
// Whether objects come from several ECUs. Of a single one, the name is left out.
const areSeveral = list => new Set(list.map(o => o.ecu).filter(ecu => ecu)).size > 1;
// A table of objects; `columns` are heading, style and the cell of an object. Rows of different ECUs name theirs after the
// first columns; if all rows come from one of several ECUs, a line below says so.
function ecuTable(list, columns, label, all = list) {
  const isMany = areSeveral(list), shown = isMany ? [...columns.slice(0, -1), ['ECU', columns.length > 3 ? 'line' : '', o => ecuName(o.ecu, o.ecuName)], columns[columns.length - 1]] : columns;
  const one = list.find(o => o.ecu);
  return [table(shown, list.map(o => shown.map(([, , cell]) => cell(o))), label),
    !isMany && one && areSeveral(all) ? h('p', { class: 'dim small', text: 'From ' + ecuName(one.ecu, one.ecuName) + '.' }) : ''];
}
// A moment of a trip, as on the counter of a recorder: 30:34, 1:02:03.
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
// A report to read, and as PDF if the server can print it.
const reportLinks = address => [h('a', { href: address, target: '_blank', rel: 'noopener', text: 'Report to read and print' }),
  ...(document.body.dataset.pdf ? [' · ', h('a', { href: address + (address.includes('?') ? '&' : '?') + 'format=pdf', download: '', text: 'Report as PDF' })] : [])];
// The objects of an address, one a line; a broken answer is an error.
async function ask(path, method = 'GET') {
  const response = await fetch(path, { method, credentials: 'same-origin', cache: 'no-store' });
  if (response.status === 401) location.reload();
  const objects = (await response.text()).split('\n').filter(line => line).map(line => JSON.parse(line));
  if (response.ok) return objects;
  const problem = objects[0] || {};
  throw new Error((problem.message || 'the server answered ' + response.status) + (problem.hint && !isForShell(problem.hint) ? ' (' + problem.hint + ')' : ''));
}
