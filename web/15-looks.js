// What a reader of this page chose: units, colours, plots. A browser may refuse to keep it: then it is chosen again at the next visit.
function kept(key, isRight, otherwise) {
  try { const value = JSON.parse(localStorage.getItem('obdscan-' + key)); return isRight(value) ? value : otherwise; } catch (error) { return otherwise; }
}
function keep(key, value) {
  try { localStorage.setItem('obdscan-' + key, JSON.stringify(value)); } catch (error) { /* private window */ }
}
const isTexts = value => Array.isArray(value) && value.length <= 100 && value.every(one => typeof one === 'string');
const UNITS = { '': 'As configured', metric: 'Metric', us: 'US', uk: 'UK', imperial: 'Imperial' }, THEMES = { '': 'As the device', light: 'Light', dark: 'Dark' };
const looks = { units: kept('units', value => value in UNITS, ''), theme: kept('theme', value => value in THEMES, '') };
const inUnits = path => looks.units ? path + (path.includes('?') ? '&' : '?') + 'units=' + looks.units : path;
function dress() { if (looks.theme) document.documentElement.dataset.theme = looks.theme; else delete document.documentElement.dataset.theme; }
dress();
