// A button begins and ends a recorded trip; the line beside the vehicle names the trip.
const recordingText = ({ recording, storing }) => !recording ? null : recording.trip === null ? storing ? '⏺ Recording is tried again' : '⏺ Recording begins with the vehicle'
  : '⏺ Trip ' + recording.trip + ' since ' + new Date(recording.since).toLocaleTimeString([], { timeStyle: 'short' }) + ', ' + recording.readings.toLocaleString() + ' readings';
let lastRecorded = null, storingTold = null;
function drawRecording(o) {
  $('record').hidden = o.link === 'none';
  const text = o.recording ? 'End recording' : 'Record';
  if ($('record').textContent !== text) $('record').textContent = text;
  const trip = o.recording ? o.recording.trip : null;
  // A trip may also end elsewhere, or with the session; the page says so, too.
  if (lastRecorded !== null && trip !== lastRecorded) recorded('Trip ' + lastRecorded + ' is stored. ', h('a', { href: '#trips/' + lastRecorded, text: 'Show it' }));
  else if (trip !== null && trip !== lastRecorded) recorded();
  if (o.storing && o.storing !== storingTold) recorded('Not stored: ' + o.storing + '.');
  else if (!o.storing && storingTold) recorded();
  lastRecorded = trip;
  storingTold = o.storing;
}
function recorded(...words) {
  $('recorded').replaceChildren(...words);
  $('recorded').hidden = words.length === 0;
}
$('record').addEventListener('click', async () => {
  $('record').disabled = true;
  try { takeStatus((await ask('/api/recording/' + (live.status && live.status.recording ? 'end' : 'begin'), 'POST'))[0]); }
  catch (error) { recorded('Not recorded: ' + error.message + '.'); }
  $('record').disabled = false;
  $('record').focus();
});
