// Recorded trips.
const tripName = trip => trip.name || 'Trip ' + trip.id;
// What the server shows distances and speeds in.
let asked = null;
const METRIC = { distance: { unit: 'km', factor: 1 }, speed: { unit: 'km/h', factor: 1 } };
const shownIn = () => asked ||= ask('/api/status').then(([status]) => status.units, () => { asked = null; return METRIC; });
const inUnit = (value, { unit, factor }) => value === null || value === undefined ? null : (value * factor).toFixed(1) + ' ' + unit;
async function showTrips() {
  const note = $('trips-note'), list = $('trip-list');
  try {
    const [trips, units] = await Promise.all([ask('/api/trips?latest=500'), shownIn()]);
    note.textContent = trips.length === 0 ? 'No trip is recorded yet: obdscan log records one.'
      : trips.length >= 500 ? 'These are the latest 500; obdscan trips list shows all.' : '';
    list.replaceChildren(...trips.reverse().map(trip => h('li', {}, [h('a', { href: '#trips/' + Number(trip.id) }, [
      h('b', { text: tripName(trip) + (trip.open ? ' (being recorded)' : '') }), h('span', { class: 'n', text: clock(trip.seconds) }),
      h('span', { text: when(trip.start) + (trip.vin ? ' · ' + trip.vin : '') }), h('span', { class: 'n', text: inUnit(trip.distanceKm, units.distance) || '' })])])));
  } catch (error) { note.textContent = error.message; list.replaceChildren(); }
}
async function showTrip(id) {
  const body = $('trip-body'), base = '/api/trips/' + id;
  $('trip-title').textContent = 'Trip ' + id;
  body.replaceChildren(h('p', { class: 'dim', text: 'Reading …' }));
  let objects, units;
  try { [objects, units] = await Promise.all([ask(base), shownIn()]); } catch (error) { body.replaceChildren(h('p', { text: error.message })); return; }
  if (location.hash !== '#trips/' + id) return;
  const trip = objects.find(o => o.kind === 'trip'), numbers = objects.filter(o => o.kind === 'tripSignal' && o.mean !== null), notes = objects.filter(o => o.kind === 'note');
  $('trip-title').textContent = tripName(trip);
  const link = (text, query, what) => h('a', { class: 'button', href: base + '/export?' + query, download: '', 'aria-label': what, text });
  const plots = h('div', {}), map = h('div', {});
  const downloads = h('div', { class: 'downloads' }, [link('CSV', 'format=csv', 'CSV: one column per signal'), link('CSV, long', 'format=csv&layout=long', 'CSV, long: one line per reading'),
    link('JSON Lines', 'format=json', 'JSON Lines: everything')]);
  body.replaceChildren(
    facts([['Begin', when(trip.start)], ['Time', clock(trip.seconds)], ['Distance', inUnit(trip.distanceKm, units.distance)],
      ['Average while moving', inUnit(trip.averageSpeedKmh, units.speed)],
      ['Idle', trip.idleSeconds === null ? null : clock(trip.idleSeconds)], ['Readings', trip.readings.toLocaleString()],
      ['Vehicle', trip.vin], ['Tags', trip.tags.join(', ')]]),
    ...(notes.length ? [h('h2', { text: 'Notes' }), h('ul', { class: 'notes' }, notes.map(note =>
      h('li', { text: (note.time ? clock((new Date(note.time) - new Date(trip.start)) / 1000) + '  ' : '') + note.text })))] : []),
    h('h2', { text: 'Downloads' }), downloads, map, plots,
    h('details', {}, [h('summary', { text: 'Signals (' + numbers.length + ')' }),
      table([['Signal'], ['ECU'], ['Min', 'n'], ['Mean', 'n'], ['Max', 'n'], ['Unit'], ['Name', 'line'], ['Readings', 'n']],
        numbers.map(o => [o.signal, o.ecu, number(o.min), number(o.mean), number(o.max), o.unit, o.name, o.readings]), 'Signals')]),
    h('p', {}, [h('a', { href: base + '/report', target: '_blank', rel: 'noopener', text: 'Report to read and print' })]));
  ask(base + '/track').then(found => {
    const points = found[0].points;
    if (points.length === 0) return;
    downloads.append(link('GPX', 'format=gpx', 'GPX: the track'), link('KML', 'format=kml', 'KML: the track'));
    map.replaceChildren(h('h2', { text: 'Track' }), track(points, units.distance));
  }).catch(error => { map.replaceChildren(h('p', { text: error.message })); });
  ask(base + '/plots').then(found => {
    const curves = found.filter(plot => plot.points.length > 1);
    if (curves.length === 0) return;
    const slider = h('input', { type: 'range', min: 0, max: curves[0].seconds, step: 'any', value: 0, id: 'scrub' }), time = h('output', { for: 'scrub', text: '00:00' });
    const look = second => {
      slider.value = second;
      time.textContent = clock(second);
      for (const one of figures) one.look(second);
      slider.setAttribute('aria-valuetext', [clock(second), ...figures.map(one => one.said())].join(', '));
    };
    const figures = curves.map(plot => figure(plot, look));
    slider.addEventListener('input', () => look(Number(slider.value)));
    slider.addEventListener('keydown', event => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!step) return;
      event.preventDefault();
      look(Math.max(0, Math.min(curves[0].seconds, Number(slider.value) + step * curves[0].seconds / 200)));
    });
    plots.replaceChildren(h('h2', { text: 'Plots' }), h('p', { class: 'scrub' }, [h('label', { for: 'scrub', text: 'Time' }), slider, time]), ...figures.map(one => one.node));
    look(0);
  }).catch(error => { plots.replaceChildren(h('p', { text: error.message })); });
}
const number = value => value === null || value === undefined ? '' : Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
