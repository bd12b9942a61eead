// Recorded trips.
const tripName = trip => trip.name || 'Trip ' + trip.id;
// What the server shows distances and speeds in.
let asked = null;
const METRIC = { distance: { unit: 'km', factor: 1 }, speed: { unit: 'km/h', factor: 1 } };
// Miles are exact: 1.609344 km.
const MILES = { distance: { unit: 'mi', factor: 1 / 1.609344 }, speed: { unit: 'mph', factor: 1 / 1.609344 } };
const shownIn = () => asked ||= looks.units ? Promise.resolve({ system: looks.units, ...(looks.units === 'metric' ? METRIC : MILES) }) : ask('/api/status').then(([status]) => status.units, () => { asked = null; return METRIC; });
const inUnit = (value, { unit, factor }) => value === null || value === undefined ? null : (value * factor).toFixed(1) + ' ' + unit;
const monthOf = trip => new Date(trip.start).toLocaleDateString([], { year: 'numeric', month: 'long' });
const fuels = new Map();
let listed = [], listing = 0;
const amount = o => o.amount === null || o.amount === undefined ? null : o.amount.toFixed(o.amount < 10 ? 2 : 1) + ' ' + o.unit;
const consumption = (o, units) => o.per100Km === null || o.per100Km === undefined ? null
  : units.system === 'us' && o.milesPerUSGallon ? o.milesPerUSGallon.toFixed(1) + ' mpg (US)' : ['imperial', 'uk'].includes(units.system) && o.milesPerImperialGallon ? o.milesPerImperialGallon.toFixed(1) + ' mpg'
  : o.per100Km.toFixed(1) + ' ' + o.unit + '/100 km';
async function showTrips() {
  const note = $('trips-note'), list = $('trip-list');
  try {
    const [trips, units] = await Promise.all([ask('/api/trips?latest=500'), shownIn()]);
    listed = trips.reverse();
    drawTrips(units);
  } catch (error) { note.textContent = error.message; list.replaceChildren(); }
}
function drawTrips(units) {
  const words = $('find').value.toLowerCase().split(/\s+/).filter(word => word), turn = ++listing;
  const text = trip => [tripName(trip), monthOf(trip), when(trip.start), trip.vehicle, trip.vin, ...trip.tags].join(' ').toLowerCase();
  const found = listed.filter(trip => words.every(word => text(trip).includes(word)));
  $('trips-note').textContent = listed.length === 0 ? 'No trip is recorded yet.' : found.length === 0 ? 'No trip matches.'
    : listed.length >= 500 ? 'The latest 500 trips.' : '';
  const months = new Map();
  for (const trip of found) months.set(monthOf(trip), [...(months.get(monthOf(trip)) || []), trip]);
  const sums = new Map();
  $('trip-list').replaceChildren(...[...months].map(([month, trips]) => {
    const sum = h('span', { class: 'n' }), distance = trips.every(trip => trip.distanceKm === null) ? null : trips.reduce((all, trip) => all + (trip.distanceKm || 0), 0), seconds = trips.reduce((all, trip) => all + trip.seconds, 0);
    const words = [trips.length === 1 ? '1 trip' : trips.length + ' trips', inUnit(distance, units.distance), duration(seconds)].filter(word => word).join(' · ');
    sum.textContent = words;
    sums.set(month, { sum, words, trips });
    return h('section', { 'aria-label': month }, [h('h2', { class: 'month' }, [h('span', { text: month }), sum]), h('ul', { class: 'trips' }, trips.map(trip => {
      const fuel = h('span', { class: 'n', 'data-fuel': trip.id });
      return h('li', {}, [h('a', { href: '#trips/' + Number(trip.id) }, [
        h('b', { text: tripName(trip) + (trip.open ? ' (being recorded)' : '') }), h('span', { class: 'n', text: duration(trip.seconds) }),
        h('span', { text: [when(trip.start), trip.vehicle, ...trip.tags].filter(part => part).join(' · ') }), h('span', { class: 'n', text: inUnit(trip.distanceKm, units.distance) || '' }),
        h('span', {}), fuel, h('span', { class: 'path', 'data-track': trip.id })])]);
    }))]);
  }));
  addFuel(found, sums, units, turn);
}
// The shape of a trip on the map, as small as a stamp.
const tracks = new Map();
function smallTrack(points) {
  const world = points.map(p => mercator(p[1], p[2])), xs = world.map(p => p[0]), ys = world.map(p => p[1]);
  const left = Math.min(...xs), top = Math.min(...ys), k = 36 / Math.max(Math.max(...xs) - left, Math.max(...ys) - top, 1e-9);
  const thin = Math.max(1, Math.ceil(world.length / 200)), shown = world.filter((_, at) => at % thin === 0 || at === world.length - 1);
  return s('svg', { class: 'stamp', viewBox: '-2 -2 40 40', 'aria-hidden': 'true' }, [s('path', { d: shown.map(([x, y], at) => (at ? 'L' : 'M') + ((x - left) * k).toFixed(1) + ' ' + ((y - top) * k).toFixed(1)).join('') })]);
}
// Fuel is worked out of all readings of a trip: one trip after the other, the newest first.
async function addFuel(trips, sums, units, turn) {
  const draw = (trip, fuel) => {
    const node = document.querySelector('[data-fuel="' + Number(trip.id) + '"]');
    if (node && fuel) node.textContent = [amount(fuel), consumption(fuel, units)].filter(part => part).join(' · ');
  };
  for (const trip of trips.slice(0, 60)) {
    if (turn !== listing || $('trips').hidden) return;
    if (!fuels.has(trip.id)) {
      try { fuels.set(trip.id, (await ask('/api/trips/' + Number(trip.id))).find(o => o.kind === 'tripFuel' && o.amount !== null) || null); } catch (error) { fuels.set(trip.id, null); }
    }
    if (turn !== listing) return;
    draw(trip, fuels.get(trip.id));
    if (!tracks.has(trip.id)) tracks.set(trip.id, await ask('/api/trips/' + Number(trip.id) + '/track').then(([found]) => found.points, () => []));
    if (turn !== listing) return;
    const place = document.querySelector('[data-track="' + Number(trip.id) + '"]');
    if (place && tracks.get(trip.id).length > 1) place.replaceChildren(smallTrack(tracks.get(trip.id)));
    const { sum, words, trips: all } = sums.get(monthOf(trip)), known = all.map(one => fuels.get(one.id));
    const used = known.filter(fuel => fuel);
    // A sum of a month is a sum of all its trips, of one fuel.
    if (used.length > 0 && known.every(fuel => fuel !== undefined) && used.every(fuel => fuel.unit === used[0].unit && fuel.fuel === used[0].fuel))
      sum.textContent = words + ' · ' + amount({ amount: used.reduce((total, fuel) => total + fuel.amount, 0), unit: used[0].unit });
  }
}
$('find').addEventListener('input', () => shownIn().then(drawTrips));
// What the readings of a trip say about the vehicle: the verdict, and the evidence of each named cause or of the whole.
function diagnosis(objects, trip) {
  const verdict = objects.find(o => o.kind === 'diagnosis'), causes = objects.filter(o => o.kind === 'cause'), all = objects.filter(o => o.kind === 'evidence');
  const places = value => Math.abs(value) < 2 ? 2 : 1, figure = (value, unit) => (Number(value) || 0).toFixed(places(value)) + (unit ? ' ' + unit : '');
  const columns = [['', 'brief', o => o.side === 'for' ? 'for' : o.cause ? 'against' : ''], ['Feature', 'line', o => o.name + (o.frame ? ' (freeze frame of ' + o.frame + ')' : '')],
    ['Value', 'n', o => figure(o.value, o.unit)], ['Healthy', 'n', o => o.healthyHigh === null ? '' : (o.healthyLow < -30 || o.healthyLow === 0 ? 'to ' : figure(o.healthyLow) + ' to ') + figure(o.healthyHigh)],
    ...(all.some(o => o.usual !== null) ? [['Own past', 'line', o => o.usual === null ? '' : figure(o.usual, o.unit) + ' in ' + o.usualTrips + ' trips since ' + o.usualSince.slice(0, 10)]] : [])];
  const evidence = rows => table(columns, rows.map(o => columns.map(([, , cell]) => cell(o))), 'Evidence');
  return [h('h2', { text: 'Condition' }), h('p', { class: verdict.verdict === 'nothing' || verdict.verdict === 'untestable' ? '' : 'warn', text: verdict.text }),
    ...causes.flatMap(cause => [h('h3', { text: cause.name }), evidence(all.filter(o => o.cause === cause.cause)), h('p', { text: 'Next: ' + cause.next }),
      h('p', { text: 'Driving on: ' + ({ stop: 'stop now', soon: 'repair it soon', weeks: 'it can wait for weeks' }[cause.drive] ?? cause.drive) })]),
    ...(causes.length === 0 && all.length > 0 ? [h('details', {}, [h('summary', { text: 'What was judged (' + all.length + ')' }), evidence(all)])] : [])];
}
// The trips of a vehicle's other drives, to lay over this one.
async function showTrip(id, other) {
  const body = $('trip-body'), base = '/api/trips/' + id;
  $('trip-title').textContent = 'Trip ' + id;
  body.replaceChildren(h('p', { class: 'dim', text: 'Reading …' }));
  let objects, units;
  try { [objects, units] = await Promise.all([ask(base), shownIn()]); } catch (error) { body.replaceChildren(h('p', { text: error.message })); return; }
  if (location.hash !== '#trips/' + id + (other ? '/' + other : '')) return;
  const fuel = objects.find(o => o.kind === 'tripFuel');
  const trip = objects.find(o => o.kind === 'trip'), numbers = objects.filter(o => o.kind === 'tripSignal' && o.mean !== null), notes = objects.filter(o => o.kind === 'note');
  $('trip-title').textContent = tripName(trip);
  const link = (text, query, what) => h('a', { class: 'button', href: inUnits(base + '/export?' + query), download: '', 'aria-label': what, text });
  const plots = h('div', {}), map = h('div', {}), condition = h('div', {});
  const downloads = h('div', { class: 'downloads' }, [link('CSV', 'format=csv', 'CSV: one column per signal'), link('CSV, long', 'format=csv&layout=long', 'CSV, long: one line per reading'),
    link('Spreadsheet', 'format=xlsx', 'Spreadsheet (.xlsx): one row per second, with a summary'), link('JSON Lines', 'format=json', 'JSON Lines: everything')]);
  body.replaceChildren(
    facts([['Begin', when(trip.start)], ['Time', duration(trip.seconds)], ['Distance', inUnit(trip.distanceKm, units.distance)],
      ['Average while moving', inUnit(trip.averageSpeedKmh, units.speed)],
      ['Idle', trip.idleSeconds === null ? null : duration(trip.idleSeconds)], ['Readings', trip.readings.toLocaleString()],
      ...(fuel ? [['Fuel' + (fuel.assumed ? ' (assumed)' : ''), fuel.fuel + ', ' + (amount(fuel) || 'not known')], ['Consumption', consumption(fuel, units)], ['CO₂', fuel.co2Kg === null ? null : (Math.round(fuel.co2Kg * 100) / 100).toFixed(2) + ' kg'],
        ['Cost', fuel.cost === null ? null : fuel.cost.toFixed(2) + ' ' + (fuel.currency || '')]] : []),
      ['Vehicle', trip.vehicle !== trip.vin && trip.vin ? trip.vehicle + ' (' + trip.vin + ')' : trip.vehicle], ['Tags', trip.tags.join(', ')]]),
    ...(notes.length ? [h('h2', { text: 'Notes' }), h('ul', { class: 'notes' }, notes.map(note =>
      h('li', { text: (note.time ? clock((new Date(note.time) - new Date(trip.start)) / 1000) + '  ' : '') + note.text })))] : []),
    condition, map, plots, h('h2', { text: 'Downloads' }), downloads,
    h('details', {}, [h('summary', { text: 'Signals (' + numbers.length + ')' }),
      ...ecuTable(trip.vin && live.status && trip.vin === live.status.vin ? numbers : numbers.map(o => ({ ...o, ecuName: null })), [['Name', 'line', o => o.name], ['Min', 'n', o => number(o.min)], ['Mean', 'n', o => number(o.mean)], ['Max', 'n', o => number(o.max)],
        ['Unit', 'brief', o => o.unit], ['Signal', 'brief', o => o.signal], ['Readings', 'n', o => o.readings]], 'Signals')]),
    h('p', {}, reportLinks(inUnits(base + '/report'))));
  let marked = null;
  ask(base + '/diagnosis').then(found => condition.replaceChildren(...diagnosis(found, trip)))
    .catch(error => { condition.replaceChildren(h('p', { text: error.message })); });
  ask(base + '/track').then(found => {
    const points = found[0].points;
    if (points.length === 0) return;
    downloads.append(link('GPX', 'format=gpx', 'GPX: the track'), link('KML', 'format=kml', 'KML: the track'));
    marked = track(points, units.distance);
    map.replaceChildren(h('h2', { text: 'Track' }), marked.node);
  }).catch(error => { map.replaceChildren(h('p', { text: error.message })); });
  const isPlotted = o => o.mean !== null && o.readings > 1, names = [...new Set(numbers.filter(isPlotted).map(o => o.signal))];
  const nameOf = signal => numbers.find(o => o.signal === signal).name, chosen = kept('plots', isTexts, []).filter(signal => names.includes(signal));
  const plotsOf = (trip, signals) => ask(inUnits('/api/trips/' + trip + '/plots' + (signals.length ? '?' + signals.map(signal => 'signal=' + encodeURIComponent(signal)).join('&') : '')));
  const over = async signals => {
    if (!other) return null;
    const about = (await ask('/api/trips/' + other)), has = signals.filter(signal => about.some(o => o.kind === 'tripSignal' && o.signal === signal));
    return { trip: about.find(o => o.kind === 'trip'), plots: has.length ? await plotsOf(other, has) : [] };
  };
  plotsOf(id, chosen).then(async found => {
    const curves = found.filter(plot => plot.points.length > 1);
    if (curves.length === 0) return;
    const beside = await over([...new Set(curves.map(plot => plot.signal))]).catch(error => { plots.before(h('p', { text: error.message })); return null; });
    const pairOf = plot => beside ? beside.plots.find(one => one.signal === plot.signal && one.unit === plot.unit && one.points.length > 1) : null;
    const slider = h('input', { type: 'range', min: 0, max: Math.max(curves[0].seconds, ...curves.map(pairOf).filter(one => one).map(one => one.seconds)), step: 'any', value: 0, id: 'scrub' }), time = h('output', { for: 'scrub', text: '00:00' });
    const look = second => {
      slider.value = second;
      time.textContent = clock(second);
      for (const one of figures) one.look(second);
      if (marked) marked.look(second);
      slider.setAttribute('aria-valuetext', [clock(second), ...figures.map(one => one.said())].join(', '));
    };
    const whole = [0, Math.max(curves[0].seconds, ...curves.map(pairOf).filter(one => one).map(one => one.seconds))];
    let shown = whole;
    const zoom = (from, to) => {
      shown = from === null ? whole : [Math.max(0, from), Math.min(whole[1], to)];
      for (const one of figures) one.show(...shown);
      if (Number(slider.value) < shown[0] || Number(slider.value) > shown[1]) look((shown[0] + shown[1]) / 2);
    };
    const series = plot => { const pair = pairOf(plot); return pair ? [{ ...plot, name: plot.name + ': ' + tripName(trip) }, { ...pair, name: tripName(beside.trip) }] : [plot]; };
    const figures = curves.map(plot => chart(series(plot), { from: 0, to: whole[1], onLook: look, onZoom: zoom }));
    const plotted = [...new Set(curves.map(plot => plot.signal))], show = signals => { keep('plots', signals); showTrip(id, other); };
    figures.forEach((figure, at) => {
      if (plotted.length < 2) return;
      const away = h('button', { type: 'button', class: 'quiet away', text: '✕', 'aria-label': 'Leave out ' + curves[at].name, title: 'Leave this plot out' });
      away.addEventListener('click', () => show(plotted.filter(signal => signal !== curves[at].signal)));
      figure.node.append(away);
    });
    const more = h('select', { id: 'plotted' }, [h('option', { value: '', text: 'Add a signal …' }), ...names.filter(signal => !plotted.includes(signal)).sort((a, b) => nameOf(a).localeCompare(nameOf(b))).map(signal => h('option', { value: signal, text: nameOf(signal) }))]);
    more.addEventListener('change', () => { if (more.value) show([...plotted, more.value]); });
    const beneath = h('select', { id: 'beneath' }, [h('option', { value: '', text: 'Compare with a trip …' })]);
    beneath.addEventListener('change', () => { location.hash = 'trips/' + id + (beneath.value ? '/' + beneath.value : ''); });
    ask('/api/trips?latest=500').then(all => {
      const others = all.reverse().filter(one => one.id !== id && !one.open), own = others.filter(one => one.vin === trip.vin), rest = others.filter(one => one.vin !== trip.vin);
      const option = one => h('option', { value: one.id, selected: one.id === other, text: tripName(one) + ', ' + when(one.start) });
      beneath.append(...own.map(option), ...(rest.length ? [h('optgroup', { label: 'Other vehicles' }, rest.map(option))] : []));
    }).catch(() => {});
    const label = (text, node) => h('label', { class: 'field', for: node.id }, [h('span', { class: 'hide', text }), node]), usual = h('button', { type: 'button', text: 'Usual plots', hidden: chosen.length === 0 });
    usual.addEventListener('click', () => show([]));

    slider.addEventListener('input', () => look(Number(slider.value)));
    slider.addEventListener('keydown', event => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!step) return;
      event.preventDefault();
      look(Math.max(0, Math.min(whole[1], Number(slider.value) + step * whole[1] / 200)));
    });
    plots.replaceChildren(h('h2', { text: 'Plots' }), h('div', { class: 'tools left' }, [label('Signal to plot', more), label('Trip to lay over this one', beneath), usual, ...(other ? [h('span', { class: 'dim small', text: 'Both trips begin at 00:00.' })] : [])]), h('p', { class: 'scrub' }, [h('label', { for: 'scrub', text: 'Time' }), slider, time, zoomBar(() => shown, () => whole, zoom)]), ...figures.map(one => one.node));
    look(0);
  }).catch(error => { plots.replaceChildren(h('p', { text: error.message })); });
}
const number = value => value === null || value === undefined ? '' : Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(Math.abs(value) < 10 ? 2 : 1);
