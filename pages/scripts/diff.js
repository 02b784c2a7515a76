// The number of a line opens the form for a comment below it, in place of the page that has it there; of several lines if it is pressed with
// the shift key, or the pointer is dragged over them. So does the button at the head of a file.
{
  const LINK = '.diff .n a[href$="#form"]';
  const nameIn = (link) => new URL(link.href).searchParams.get('line');
  /** The rows from one to another of the same table that have lines, in their order. */
  const between = (one, other) => {
    const rows = [...one.closest('tbody').rows].filter((row) => row.querySelector(LINK));
    const ends = [rows.indexOf(one), rows.indexOf(other)].sort((a, b) => a - b);
    return ends[0] < 0 ? [] : rows.slice(ends[0], ends[1] + 1);
  };
  const mark = (rows) => {
    for (const row of document.querySelectorAll('.diff tr.chosen')) row.classList.remove('chosen');
    for (const row of rows) row.classList.add('chosen');
  };
  const open = async (link, from) => {
    const address = new URL(link.href);
    if (from && from !== nameIn(link)) address.searchParams.set('from', from);
    const leave = () => location.assign(address);
    const answer = await fetch(address, { headers: { Accept: 'text/html' } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return leave();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const form = page.getElementById('form');
    if (!form) return leave();
    document.getElementById('form')?.closest('tr, .file > .talk').remove();
    const row = link.closest('tr');
    let place = form.closest('tr');
    if (row && place) row.after(place);
    else {
      place = document.createElement('div');
      place.className = 'talk';
      place.append(form);
      link.closest('header').after(place);
    }
    form.querySelector('textarea').focus();
    form.querySelector('.actions a').addEventListener('click', (cancel) => {
      cancel.preventDefault();
      place.remove();
      mark([]);
      link.focus();
    });
    offer(form);
  };

  /** A suggestion begins with the lines as they are. */
  const offer = (form) => {
    const button = form?.querySelector('[data-suggest]');
    if (!button) return;
    button.hidden = false;
    button.addEventListener('click', () => {
      const last = form.closest('tr').previousElementSibling;
      const first = form.elements.from?.value;
      const rows = first ? between(rowOf(first) ?? last, last) : [last];
      const now = rows.filter((row) => !row.querySelector('td.r:last-of-type'));
      const lines = now.map((row) => {
        const cell = row.lastElementChild.cloneNode(true);
        cell.querySelector('i')?.remove();
        return cell.textContent;
      });
      const fence = '`'.repeat(Math.max(3, ...(lines.join('\n').match(/`+/g) ?? []).map((run) => run.length + 1)));
      const field = form.elements.body;
      const above = now.length > 1 ? `:-${now.length - 1}+0` : '';
      field.setRangeText(
        `${fence}suggestion${above}\n${lines.join('\n')}\n${fence}\n`,
        field.selectionStart,
        field.selectionEnd,
        'end',
      );
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.focus();
    });
  };
  const rowOf = (name) => document.getElementById(name)?.closest('tr');

  let last = null;
  let pressed = null;
  let isDragged = false;
  const openTo = (link, first) => {
    const [one, other] = [first.closest('tr'), link.closest('tr')];
    const rows = between(one, other);
    mark(rows.length > 1 ? rows : []);
    // Upwards the form is below the line where it began.
    const [from, to] = rows[0] === one ? [first, link] : [link, first];
    open(to, nameIn(from));
    last = first;
  };
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.(`${LINK}, .comment-on-file`);
    if (!link || event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    if (isDragged) return;
    const isRange = event.shiftKey && last?.isConnected && last.closest('tbody') === link.closest('tbody');
    if (isRange) return openTo(link, last);
    last = link;
    mark([]);
    open(link);
  });
  document.addEventListener('pointerdown', (event) => {
    isDragged = false;
    pressed = event.pointerType === 'mouse' && event.button === 0 ? event.target.closest?.(LINK) : null;
  });
  // The link itself would be dragged.
  document.addEventListener('dragstart', (event) => {
    if (pressed) event.preventDefault();
  });
  document.addEventListener('pointerover', (event) => {
    const row = pressed && event.target.closest?.('.diff tr');
    if (!row || row.closest('tbody') !== pressed.closest('tbody')) return;
    isDragged ||= row !== pressed.closest('tr');
    if (isDragged) mark(between(pressed.closest('tr'), row));
  });
  document.addEventListener('pointerup', (event) => {
    const first = pressed;
    pressed = null;
    if (!first || !isDragged) return;
    const row = event.target.closest?.('.diff tr');
    const cell = first.closest('td').cellIndex;
    const link =
      row?.closest('tbody') === first.closest('tbody') &&
      (row.cells[cell]?.querySelector(LINK) ?? row.querySelector(LINK));
    if (link) openTo(link, first);
    else mark([]);
  });
  offer(document.getElementById('form'));
}
