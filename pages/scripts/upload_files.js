// Files and folders that are dropped or chosen are listed with their paths before they are sent, and their number and size are said.
{
  const form = document.querySelector('form[data-upload-files]');
  const show = form && {
    box: form.querySelector('[data-chosen]'),
    count: form.querySelector('[data-chosen-count]'),
    problem: form.querySelector('[data-chosen-problem]'),
    list: form.querySelector('[data-chosen-list]'),
  };
  const most = form && { files: Number(form.dataset.mostFiles), bytes: Number(form.dataset.mostBytes) };
  const MAX_SHOWN = 100;
  const sizeOf = (bytes) =>
    new Intl.NumberFormat(document.documentElement.lang, {
      style: 'unit',
      unit: bytes < 1e6 ? 'kilobyte' : 'megabyte',
      maximumFractionDigits: 1,
    }).format(bytes / (bytes < 1e6 ? 1e3 : 1e6));

  const tell = (problem) => {
    show.problem.textContent = problem ?? '';
    show.problem.hidden = !problem;
    form.querySelector('button[type="submit"]').disabled = Boolean(problem);
  };
  const present = (chosen) => {
    const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
    show.box.hidden = chosen.length === 0;
    show.count.textContent = `${chosen.length} · ${sizeOf(bytes)}`;
    show.list.replaceChildren(
      ...chosen.slice(0, MAX_SHOWN).map(({ path }) => {
        const item = document.createElement('li');
        item.textContent = path;
        return item;
      }),
    );
    tell(chosen.length > most.files ? form.dataset.tooMany : bytes > most.bytes ? form.dataset.tooLarge : null);
    form.elements.paths.value = chosen.map(({ path }) => path).join('\n');
  };
  const listed = (input) => [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

  /** The files below an entry of a drop, up to one more than may be sent. */
  const filesBelow = async (entry, found) => {
    if (found.length > most.files) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({ file, path: entry.fullPath.replace(/^\//, '') });
      return;
    }
    const reader = entry.createReader();
    // A reader gives some entries at a time, and none when it is through.
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const one of some) await filesBelow(one, found);
    }
  };

  if (form) {
    const place = form.querySelector('[data-drop-place]');
    const { files: plain, folderFiles: folder } = form.elements;
    form.querySelector('[data-drop-hint]').hidden = false;
    plain.addEventListener('change', () => {
      folder.value = '';
      present(listed(plain));
    });
    folder.addEventListener('change', () => {
      plain.value = '';
      present(listed(folder));
    });
    place.addEventListener('dragover', (event) => {
      event.preventDefault();
      place.classList.add('dropping');
    });
    place.addEventListener('dragleave', () => place.classList.remove('dropping'));
    place.addEventListener('drop', async (event) => {
      event.preventDefault();
      place.classList.remove('dropping');
      // Entries are there only while the event is handled.
      const entries = [...event.dataTransfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
      const given = [...event.dataTransfer.files].map((file) => ({ file, path: file.name }));
      const found = [];
      try {
        for (const entry of entries) await filesBelow(entry, found);
      } catch {
        tell(form.dataset.unread);
        return;
      }
      const chosen = entries.length > 0 ? found : given;
      const transfer = new DataTransfer();
      for (const { file } of chosen) transfer.items.add(file);
      folder.value = '';
      plain.files = transfer.files;
      present(chosen);
    });
  }
}
