// Lines that a diff leaves out are shown in place, in place of the page of the whole file.
document.addEventListener('click', async (event) => {
  const link = event.target.closest?.('.diff .unfold');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const STEP = 20;
  const row = link.closest('tr');
  const { lines: path, number, file } = row.closest('table').dataset;
  const isSplit = row.closest('table').classList.contains('split');
  const { way } = link.dataset;
  const old = Number(row.dataset.old);
  const now = Number(row.dataset.now);
  const left = Number(row.dataset.count ?? Number.POSITIVE_INFINITY);
  const count = Math.min(left, STEP);
  const from = way === 'up' ? now + left - count : now;
  const answer = await fetch(`${path}?from=${from}&count=${count}`).catch(() => null);
  const shown = answer?.ok ? await answer.json() : null;
  if (!shown || (shown.lines.length === 0 && row.dataset.count)) return location.assign(link.href);
  const rows = shown.lines.map((html, at) => {
    const [before, after] = [from - now + old + at, from + at];
    const id = `${file}_${before}_${after}`;
    const cell = (value) => `<td class="n"><a href="${number}${number === '#' ? id : `${id}#form`}">${value}</a></td>`;
    const text = `<td class="u">${html}</td>`;
    const made = document.createElement('tr');
    made.id = id;
    made.innerHTML = isSplit ? cell(before) + text + cell(after) + text : cell(before) + cell(after) + text;
    return made;
  });
  row[way === 'up' ? 'after' : 'before'](...rows);
  const isDone = rows.length >= left || rows.length < count || shown.from + rows.length > shown.total;
  if (isDone) row.remove();
  else {
    if (way === 'down') Object.assign(row.dataset, { old: old + rows.length, now: now + rows.length });
    if (row.dataset.count) row.dataset.count = left - rows.length;
  }
  // Whoever uses the keyboard is where the lines are.
  if (!link.isConnected) rows[0]?.querySelector('a').focus();
});
