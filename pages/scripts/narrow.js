// What is typed narrows the choices of its menu, and Enter takes the first that is left.
for (const field of document.querySelectorAll('[data-narrows]')) {
  const choices = () => [...field.form.querySelectorAll('button[name]')];
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const choice of choices()) {
      choice.hidden = !words.every((word) => choice.textContent.toLowerCase().includes(word));
    }
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || field.value.trim() === '') return;
    const first = choices().find((choice) => !choice.hidden);
    if (!first) return;
    event.preventDefault();
    first.click();
  });
  field.closest('details')?.addEventListener('toggle', ({ target }) => {
    if (target.open) field.focus();
  });
}
// A key leads to the field that names it, unless something is written.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest('input, textarea, select, [contenteditable], .file-editor')) return;
  const field = [...document.querySelectorAll('[data-reach]')].find(({ dataset }) => dataset.reach === event.key);
  if (!field) return;
  event.preventDefault();
  field.focus();
});
