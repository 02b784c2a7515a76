// A text in Markdown can be looked at before it is sent, as it will be shown. Tools write marks around what is selected, files that are
// dropped or pasted are uploaded to the project, Ctrl+Enter sends the form, and what is not sent yet stays in this browser.
{
  const QUERY =
    'query Preview($text: String!, $project: ProjectRef, $group: GroupRef, $wikiPage: String) { markdown(text: $text, project: $project, group: $group, wikiPage: $wikiPage, gfm: true) { html } }';
  const rendered = async ({ value: text, dataset: { wiki: wikiPage, group } }) => {
    const project = document.querySelector('[data-project]')?.dataset.project;
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QUERY, variables: { text, project, group: group || undefined, wikiPage } }),
    }).catch(() => null);
    return (await answer?.json().catch(() => null))?.data?.markdown?.html;
  };
  const changed = (field) => field.dispatchEvent(new Event('input', { bubbles: true }));
  const selected = ({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd);
  /** Puts marks around what is selected, or takes them away. */
  const around =
    (before, after = before) =>
    (field) => {
      const { selectionStart: start, selectionEnd: end, value } = field;
      const has =
        value.slice(start - before.length, start) === before && value.slice(end, end + after.length) === after;
      if (has) field.setRangeText(selected(field), start - before.length, end + after.length, 'select');
      else {
        field.setRangeText(before + selected(field) + after, start, end, 'end');
        field.setSelectionRange(start + before.length, end + before.length);
      }
    };
  /** Begins each selected line with a mark. */
  const lines = (mark) => (field) => {
    const start = field.value.lastIndexOf('\n', field.selectionStart - 1) + 1;
    const text = field.value.slice(start, field.selectionEnd);
    field.setRangeText(text.replace(/^/gm, mark), start, field.selectionEnd, 'end');
  };
  const link = (field) => {
    const text = selected(field);
    const start = field.selectionStart;
    field.setRangeText(`[${text}](url)`, start, field.selectionEnd, 'end');
    field.setSelectionRange(start + text.length + 3, start + text.length + 6);
  };
  const code = (field) => (selected(field).includes('\n') ? around('```\n', '\n```') : around('`'))(field);
  const TOOLS = [
    ['B', around('**'), 'b'],
    ['I', around('_'), 'i'],
    ['❝', lines('> ')],
    ['<>', code],
    ['#link', link],
    ['•', lines('- ')],
    ['#checklist', lines('- [ ] ')],
  ];

  const upload = async (field, files) => {
    for (const file of files) {
      const place = `![${field.dataset.uploading} ${file.name.replace(/[[\]]/g, '')}]()`;
      field.setRangeText(place, field.selectionStart, field.selectionEnd, 'end');
      const form = new FormData();
      form.append('authenticity_token', field.form.elements.authenticity_token.value);
      form.append('file', file);
      const answer = await fetch(field.dataset.uploads, { method: 'POST', body: form }).catch(() => null);
      const page = new DOMParser().parseFromString((await answer?.text()) ?? '', 'text/html');
      const made = answer?.ok ? page.getElementById('uploaded')?.value : undefined;
      const at = field.value.indexOf(place);
      if (at >= 0) field.setRangeText(made ?? '', at, at + place.length, 'end');
      say(field, made === undefined ? field.dataset.refused : '');
      changed(field);
    }
  };
  const say = (field, text) => {
    let said = field.parentElement.querySelector('.text-said');
    if (!said) {
      said = document.createElement('p');
      said.className = 'hint text-said';
      said.setAttribute('role', 'status');
      field.after(said);
    }
    said.textContent = text;
  };

  // What is written stays in this browser until it is sent: by the address and the field.
  const keep = (field) => {
    const key = `draft ${location.pathname} ${field.id || field.name}`;
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(key) ?? 'null');
    } catch {
      localStorage.removeItem(key);
    }
    // One of an older text would undo what was changed meanwhile.
    if (kept && kept.from === field.defaultValue && kept.text !== field.value && field.value === field.defaultValue) {
      field.value = kept.text;
      const answer = field.closest('details');
      if (answer) answer.open = true;
      say(field, field.dataset.draft);
    }
    field.addEventListener('input', () => {
      const { value: text, defaultValue: from } = field;
      try {
        if (text === from) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify({ text, from }));
      } catch {
        // There is no room for it.
      }
    });
    field.form?.addEventListener('submit', () => localStorage.removeItem(key));
  };
  document.querySelector('form[action="/users/sign_out"]')?.addEventListener('submit', () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('draft ')) localStorage.removeItem(key);
  });

  const button = (text, label) => {
    const made = document.createElement('button');
    made.type = 'button';
    if (text.startsWith('#')) {
      const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      picture.setAttribute('class', 'icon');
      const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
      use.setAttribute('href', `${document.getElementById('palette')?.dataset.icons}${text}`);
      picture.append(use);
      made.append(picture);
    } else made.textContent = text;
    if (label) {
      made.title = label;
      made.setAttribute('aria-label', label);
    }
    return made;
  };
  const toolbar = (field) => {
    const names = (field.dataset.tools ?? '').split('|');
    const tools = document.createElement('span');
    tools.className = 'text-tools';
    for (const [at, [sign, act]] of TOOLS.entries()) {
      const tool = button(sign, names[at]);
      tool.addEventListener('click', () => {
        field.focus();
        act(field);
        changed(field);
      });
      tools.append(tool);
    }
    if (field.dataset.uploads) {
      const chosen = Object.assign(document.createElement('input'), { type: 'file', multiple: true, hidden: true });
      const attach = button('#upload', names[TOOLS.length]);
      attach.addEventListener('click', () => chosen.click());
      chosen.addEventListener('change', () => upload(field, [...chosen.files]));
      tools.append(attach, chosen);
    }
    return tools;
  };

  /** One stop of the Tab key for all buttons of a bar, and arrow keys between them: the field is what people want to reach. */
  const rove = (bar) => {
    const all = [...bar.querySelectorAll('button')];
    const stopAt = (one) => {
      for (const other of all) other.tabIndex = other === one ? 0 : -1;
    };
    stopAt(all[0]);
    bar.setAttribute('role', 'toolbar');
    bar.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const shown = all.filter((one) => one.offsetParent !== null);
      const next = shown[(shown.indexOf(document.activeElement) + by + shown.length) % shown.length];
      stopAt(next);
      next.focus();
    });
    bar.addEventListener('focusin', ({ target }) => stopAt(target));
  };

  const offer = (field) => {
    field.dataset.previewed = '';
    const preview = document.createElement('div');
    preview.className = 'markdown preview';
    preview.tabIndex = -1;
    const tabs = document.createElement('div');
    tabs.className = 'text-tabs';
    const [write, look] = [field.dataset.write, field.dataset.preview].map((name) => {
      const made = button(name);
      tabs.append(made);
      return made;
    });
    const tools = toolbar(field);
    tabs.append(tools);
    rove(tabs);
    const show = (isShown) => {
      preview.hidden = !isShown;
      field.hidden = isShown;
      tools.hidden = isShown;
      look.setAttribute('aria-pressed', isShown);
      write.setAttribute('aria-pressed', !isShown);
    };
    show(false);
    write.addEventListener('click', () => {
      show(false);
      field.focus();
    });
    look.addEventListener('click', async () => {
      // Of the server, which has sanitised it.
      const html = await rendered(field);
      if (html) preview.innerHTML = html;
      else preview.textContent = html === '' ? field.dataset.empty : field.dataset.unavailable;
      show(true);
      preview.focus();
    });
    // What a form refuses must be there to be mended.
    field.addEventListener('invalid', () => show(false));
    field.addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const tool = TOOLS.find(([, , key]) => key === event.key.toLowerCase());
      if (event.key !== 'Enter' && !tool) return;
      event.preventDefault();
      if (!tool) return field.form.requestSubmit();
      tool[1](field);
      changed(field);
    });
    if (field.dataset.uploads) {
      const filesOf = (transfer) => [...(transfer?.files ?? [])];
      field.addEventListener('paste', (event) => {
        const files = filesOf(event.clipboardData);
        if (files.length === 0) return;
        event.preventDefault();
        upload(field, files);
      });
      field.addEventListener('dragover', (event) => {
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
      });
      field.addEventListener('drop', (event) => {
        const files = filesOf(event.dataTransfer);
        if (files.length === 0) return;
        event.preventDefault();
        upload(field, files);
      });
    }
    field.before(tabs);
    field.after(preview);
    keep(field);
  };
  for (const field of document.querySelectorAll('textarea[data-markdown]')) offer(field);
  // Forms that come later.
  document.addEventListener('focusin', ({ target }) => {
    if (target.matches('textarea[data-markdown]:not([data-previewed])')) offer(target);
  });
}
