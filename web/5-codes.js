// Trouble codes and readiness.
const monitors = { misfire: 'Misfire', fuelSystem: 'Fuel system', components: 'Components', catalyst: 'Catalyst', heatedCatalyst: 'Heated catalyst',
  evaporative: 'Evaporative system', secondaryAir: 'Secondary air', gpfOrACRefrigerant: 'Particulate filter or A/C refrigerant', oxygenSensor: 'Oxygen sensor',
  oxygenSensorHeater: 'Oxygen sensor heater', egrVvt: 'EGR or variable valve timing', nmhcCatalyst: 'NMHC catalyst', noxSCR: 'NOx aftertreatment',
  boostPressure: 'Boost pressure', exhaustGasSensor: 'Exhaust gas sensor', pmFilter: 'Particulate filter', coldStartAid: 'Cold start aid', egr: 'EGR', vvt: 'Variable valve timing', noxAdsorber: 'NOx adsorber' };
const monitorName = id => monitors[id] || (id[0].toUpperCase() + id.slice(1)).replace(/([a-z])([A-Z])/g, (_, a, b) => a + ' ' + b.toLowerCase());
const mark = (isGood, text) => h('span', { class: isGood ? 'good' : 'warn', text: (isGood ? '✓ ' : '… ') + text });
let isAsking = false;
async function readCodes() {
  const note = $('codes-note'), now = $('codes-now'), button = $('read');
  if (!live.status || live.status.link !== 'live') {
    note.textContent = live.status && live.status.link !== 'connecting' ? 'No vehicle is connected.' : 'Connecting …';
    now.replaceChildren();
    return;
  }
  note.textContent = 'Asking the vehicle …';
  button.disabled = isAsking = true;
  try {
    const all = await ask('/api/codes'), codes = all.filter(o => o.kind === 'code'), ecus = all.filter(o => o.kind === 'ecu'), answers = await ask('/api/monitors');
    // The light comes with the codes, or with the readiness that is read anyway.
    const lit = [...[...live.cards.values()].map(card => card.last).filter(o => o && o.signal === 'MIL' && o.value === true),
      ...answers.filter(o => o.signal === 'MIL' && o.value === true), ...ecus.filter(o => o.light === true)];
    const lamp = [...new Set(lit.map(o => o.ecu || 'vehicle'))];
    const states = answers.filter(o => o.kind === 'monitor' && o.scope === 'sinceClear' && o.supported);
    const open = states.filter(o => o.complete === false).length;
    const parts = [];
    // An empty list that never arrived is not good news.
    const counts = new Map(answers.filter(o => o.signal === 'DTC_CNT' && typeof o.value === 'number').map(o => [o.ecu, o.value]));
    const counted = [...counts.values()].reduce((sum, count) => sum + count, 0), stored = codes.filter(o => o.status === 'stored').length;
    const unsure = counted > stored || ecus.some(o => o.codes === null);
    if (lamp.length > 0) parts.push(h('p', { class: 'bad', text: '⚠ Check engine light on: ' + lamp.join(', ') }));
    if (unsure) parts.push(h('p', { class: 'bad', text: counted > stored ? counted + ' stored codes are counted, but ' + stored + ' could be read.' : 'Not every ECU answered for its codes.' }));
    parts.push(h('h2', { text: 'Codes' }), codes.length === 0 ? (unsure ? h('p', {}) : h('p', {}, [mark(true, 'No codes are stored.')]))
      : table([['Code'], ['Status'], ['ECU'], ['Meaning']], codes.map(o => [h('b', { text: o.code + (o.failureType ? '-' + o.failureType : '') }), o.status + (o.active === false ? ', not active' : ''), o.ecu, o.description || 'no text is known']), 'Codes'));
    if (states.length > 0) parts.push(h('h2', { text: 'Readiness' }),
      h('p', {}, [open === 0 ? mark(true, 'Every supported monitor has run since codes were cleared.') : mark(false, open + (open === 1 ? ' monitor has' : ' monitors have') + ' not run since codes were cleared.')]),
      open === 0 ? '' : h('p', { class: 'dim', text: 'US EPA (40 CFR 85.2222) allows 1 incomplete monitor from model year 2001 on, 2 from 1996 to 2000. Other inspections have other rules.' }),
      table([['Monitor'], ['ECU'], ['State']], states.map(o => [monitorName(o.monitor), o.ecu, mark(o.complete === true, o.complete ? 'complete' : 'not complete')]), 'Readiness'));
    now.replaceChildren(...parts);
    note.textContent = 'Read at ' + new Date().toLocaleTimeString() + '.';
  } catch (error) { note.textContent = error.message; }
  isAsking = false;
  button.disabled = !live.status || live.status.link !== 'live';
}
async function showHistory() {
  const place = $('codes-history');
  try {
    const lives = (await ask('/api/codes/history')).filter(o => o.kind === 'codeHistory');
    place.replaceChildren(lives.length === 0 ? h('p', { class: 'dim', text: 'No codes are known.' })
      : table([['Code'], ['Now'], ['First seen'], ['Last seen'], ['ECU'], ['Vehicle'], ['Meaning']], lives.map(o => [h('b', { text: o.code }),
        o.present.length > 0 ? o.present.join(', ') : 'gone', when(o.firstSeen), when(o.lastSeen), o.ecu, o.vin, o.description || 'no text is known']), 'Known codes'));
  } catch (error) { place.replaceChildren(h('p', { class: 'dim', text: error.message })); }
}
$('read').addEventListener('click', readCodes);
