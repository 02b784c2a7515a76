// Ranges of lines: a click selects one, with Shift up to that one, and the address says which: `#L10-20`.
{
  const lines = document.querySelector('pre.lines[data-from]');
  const selected = () => /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash)?.slice(1).map(Number) ?? [];
  const show = (scrolls) => {
    const [start, given] = selected();
    const end = given || start;
    for (const line of lines.querySelectorAll('.line.chosen')) line.classList.remove('chosen');
    if (!start) return;
    const [from, to] = [Number(lines.dataset.from), Number(lines.dataset.to)];
    if (start < from || start > to) {
      const url = new URL(location.href);
      if (url.searchParams.get('from') === String(start)) return;
      url.searchParams.set('from', String(start));
      location.replace(url);
      return;
    }
    const [first, last] = [Math.min(start, end), Math.max(start, end)];
    for (let n = first; n <= Math.min(last, to); n++) document.getElementById(`L${n}`)?.classList.add('chosen');
    if (scrolls) document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' });
  };
  if (lines) {
    lines.addEventListener('click', (event) => {
      const link = event.target instanceof Element && event.target.closest('.line > a');
      const [start] = selected();
      if (!link || !event.shiftKey || !start) return;
      event.preventDefault();
      const n = Number(link.textContent);
      history.replaceState(null, '', `#L${Math.min(start, n)}-${Math.max(start, n)}`);
      show(false);
    });
    addEventListener('hashchange', () => show(false));
    show(location.hash.includes('-'));
  }
}
