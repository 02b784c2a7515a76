// Files of a review that somebody has viewed are folded, in this browser, until they change again.
{
  const KEY = `viewed ${location.pathname}`;
  const known = () => JSON.parse(localStorage.getItem(KEY) ?? '{}');
  const changesOf = (file) =>
    [...file.querySelectorAll('table.diff tr:not(.h, .apart) > td:not(.talk)')]
      .map((cell) => cell.textContent)
      .join('\n');
  /** FNV-1a: it has only to tell versions of one file apart. */
  const digest = (text) => {
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return `${text.length} ${hash}`;
  };
  const offer = (file) => {
    const changes = file.querySelector('table.diff')?.closest('details');
    if (!changes) return;
    const now = digest(changesOf(file));
    const label = document.createElement('label');
    label.className = 'check viewed';
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = known()[file.id] === now;
    if (box.checked && !file.contains(document.querySelector(':target'))) changes.open = false;
    box.addEventListener('change', () => {
      localStorage.setItem(KEY, JSON.stringify({ ...known(), [file.id]: box.checked ? now : undefined }));
      changes.open = !box.checked;
      count();
    });
    label.append(box, ` ${file.closest('[data-review]').dataset.review}`);
    file.querySelector('header').append(label);
  };
  const said = Object.assign(document.createElement('span'), { className: 'quiet' });
  /** Says how many of the files on the page are viewed. */
  const count = () => {
    const boxes = [...document.querySelectorAll('.viewed > input')];
    const text = said.closest('[data-viewed]')?.dataset.viewed ?? '';
    said.textContent = ` · ${text.replace('{done}', boxes.filter((box) => box.checked).length).replace('{count}', boxes.length)}`;
  };
  const files = document.querySelectorAll('[data-review] section.file');
  for (const file of files) offer(file);
  if (files.length > 0) {
    document.querySelector('[data-review] .diff-head > p')?.append(said);
    count();
  }
}
