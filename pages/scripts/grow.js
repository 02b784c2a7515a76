// There is always an empty row at the end of a list of names and values.
for (const list of document.querySelectorAll('[data-grows]')) {
  list.addEventListener('input', () => {
    const rows = list.querySelectorAll(':scope > .pair');
    const last = rows[rows.length - 1];
    if (![...last.querySelectorAll('input')].some(({ value }) => value !== '')) return;
    const row = last.cloneNode(true);
    for (const field of row.querySelectorAll('input, select')) {
      if (field instanceof HTMLInputElement) field.value = '';
      else field.selectedIndex = 0;
      field.ariaLabel = field.ariaLabel.replace(/\d+/, rows.length + 1);
    }
    last.after(row);
  });
}
