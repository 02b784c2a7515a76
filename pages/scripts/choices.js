// Choices below a field, which keeps the focus: the arrows choose, Enter takes, Escape closes. Pickers of people, labels and milestones, the
// words of filters and the palette are made of them.
{
  let lists = 0;
  const make = (name, set = {}, ...held) => {
    const made = Object.assign(document.createElement(name), set);
    made.append(...held);
    return made;
  };
  const asked = async (address) => {
    const answer = await fetch(address, { headers: { Accept: 'application/json' } }).catch(() => null);
    return answer?.ok ? await answer.json().catch(() => []) : [];
  };
  const shown = ({ label, about, color, icon }, icons) => {
    const parts = [];
    if (color) {
      const dot = make('span', { className: 'dot' });
      dot.style.background = color;
      parts.push(dot);
    }
    if (icon) {
      const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      picture.setAttribute('class', 'icon');
      picture.setAttribute('aria-hidden', 'true');
      const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
      use.setAttribute('href', `${icons}#${icon}`);
      picture.append(use);
      parts.push(picture, ' ');
    }
    return [
      ...parts,
      make('strong', { textContent: label }),
      ...(about ? [' ', make('span', { textContent: about })] : []),
    ];
  };

  /** A group of options below its heading. */
  const grouped = (name, option) => {
    const title = make('span', { className: 'menu-title', textContent: name });
    title.setAttribute('aria-hidden', 'true');
    const within = make('ul', {}, option);
    within.setAttribute('role', 'none');
    const group = make('div', { className: 'group' }, title, within);
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', name);
    return group;
  };

  /**
   * Offers what `ask` answers for the text of a field; `take` gets the one that is chosen. `within` is where the list stands: below the field
   * when absent. `opens` says whether it opens as soon as the field has the focus, `isChosen` which ones are ticked.
   */
  const offer = (field, { ask, take, within, opens, isChosen, icons }) => {
    const list = make('ul', {
      id: `choices-${lists++}`,
      className: within ? 'choices' : 'completions choices',
      hidden: true,
    });
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', field.dataset.suggestions ?? '');
    if (isChosen) list.setAttribute('aria-multiselectable', 'true');
    for (const [name, value] of Object.entries({
      ...{ role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': list.id },
    })) {
      field.setAttribute(name, value);
    }
    if (within) within.append(list);
    else field.after(list);
    let turn = 0;
    let found = [];
    let options = [];
    let at = -1;
    const close = () => {
      turn += 1;
      list.hidden = true;
      field.setAttribute('aria-expanded', 'false');
      field.removeAttribute('aria-activedescendant');
    };
    const point = (to) => {
      options[at]?.classList.remove('here');
      at = to;
      const option = options[at];
      option?.classList.add('here');
      option?.scrollIntoView({ block: 'nearest' });
      if (option) field.setAttribute('aria-activedescendant', option.id);
      else field.removeAttribute('aria-activedescendant');
    };
    const draw = (begin) => {
      list.replaceChildren();
      options = found.map((one, index) => {
        const option = make('li', { id: `${list.id}-${index}` }, ...shown(one, icons));
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', String(isChosen?.(one.value) ?? false));
        if (one.group === undefined) list.append(option);
        else if (one.group === found[index - 1]?.group) list.lastChild.lastChild.append(option);
        else list.append(grouped(one.group, option));
        return option;
      });
      list.hidden = found.length === 0;
      field.setAttribute('aria-expanded', String(!list.hidden));
      if (!within) {
        if (!field.closest('.bulk')) list.style.top = `${field.offsetTop + field.offsetHeight}px`;
        list.style.left = `${field.offsetLeft}px`;
        list.style.minWidth = `${Math.min(field.offsetWidth, 360)}px`;
      }
      point(list.hidden ? -1 : begin);
    };
    const look = async (begin = 0, wait = 80) => {
      const mine = ++turn;
      if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
      if (mine !== turn) return;
      const answer = (await ask(field.value)) ?? [];
      if (mine !== turn || document.activeElement !== field) return;
      found = answer;
      draw(begin);
    };
    const choose = (index) => {
      const one = found[index];
      if (one === undefined) return;
      take(one);
    };
    field.addEventListener('input', (event) => {
      if (!event.isComposing) look(opens && field.value === '' ? -1 : 0);
    });
    field.addEventListener('focus', () => {
      if (opens) look(-1, 0);
    });
    field.addEventListener('blur', () => setTimeout(() => document.activeElement !== field && close(), 0));
    field.addEventListener('keydown', (event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const { key } = event;
      const isOpen = !list.hidden;
      if (key === 'ArrowDown' && !isOpen) look(0, 0);
      else if (!isOpen) return;
      else if (key === 'ArrowDown') point((at + 1) % found.length);
      else if (key === 'ArrowUp') point((at <= 0 ? found.length : at) - 1);
      else if ((key === 'Enter' || (key === 'Tab' && !opens && !event.shiftKey)) && at >= 0) choose(at);
      else if (key === 'Escape' && !within?.closest('dialog')) close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    list.addEventListener('mousedown', (event) => {
      event.preventDefault();
      const option = event.target.closest('[role="option"]');
      if (option) choose(options.indexOf(option));
    });
    return { look, close };
  };

  const withText = (address, text) => `${address}${address.includes('?') ? '&' : '?'}text=${encodeURIComponent(text)}`;

  // A field of names becomes a picker: its value stays in the field that is sent.
  const pick = (sent) => {
    const { picker: from, several, submits, remove } = sent.dataset;
    const isSeveral = several !== undefined;
    const valuesIn = (text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean);
    let chosen = isSeveral ? valuesIn(sent.value) : [];
    const same = (one, other) => one.replace(/^@/, '').toLowerCase() === other.toLowerCase();
    const search = make('input', { type: 'text', placeholder: sent.placeholder, value: isSeveral ? '' : sent.value });
    for (const name of [
      'id',
      'aria-describedby',
      'aria-invalid',
      'autocapitalize',
      'autocomplete',
      'spellcheck',
      'data-suggestions',
      'autofocus',
      'required',
    ]) {
      if (sent.hasAttribute(name)) search.setAttribute(name, sent.getAttribute(name));
      if (name !== 'data-suggestions') sent.removeAttribute(name);
    }
    const hadFocus = document.activeElement === sent;
    sent.type = 'hidden';
    const chips = make('span', { className: 'chips' });
    const box = make('div', { className: 'picker' }, ...(isSeveral ? [chips] : []), search);
    sent.after(box);
    const isInMenu = Boolean(sent.closest('.menu-items'));
    const draw = () => {
      chips.replaceChildren(
        ...chosen.map((value) => {
          const button = make('button', { type: 'button', textContent: '×' });
          button.setAttribute('aria-label', remove.replace('{name}', value));
          button.addEventListener('click', () => toggle(value));
          return make('span', { className: 'chip' }, value, button);
        }),
      );
      sent.value = isSeveral ? chosen.join(', ') : search.value.trim();
    };
    const toggle = (value) => {
      const others = chosen.filter((one) => !same(one, value));
      chosen = others.length < chosen.length ? others : [...chosen, value];
      search.value = '';
      draw();
      search.focus();
      list.look(0, 0);
    };
    const list = offer(search, {
      opens: true,
      within: isInMenu ? box : undefined,
      isChosen: isSeveral ? (value) => chosen.some((one) => same(one, value)) : undefined,
      ask: async (text) => {
        const words = isSeveral || text !== sent.defaultValue ? text.trim() : '';
        const found = await asked(withText(from, words));
        const isKnown = words === '' || found.some(({ value }) => same(words, value));
        return isKnown ? found : [...found, { value: words.replace(/^@/, ''), label: words }];
      },
      take: ({ value }) => {
        if (isSeveral) return toggle(value);
        search.value = value;
        sent.value = value;
        list.close();
        if (submits !== undefined && isInMenu) (sent.form ?? search.form).requestSubmit();
      },
    });
    if (!isSeveral) search.addEventListener('input', draw);
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Backspace' && search.value === '' && chosen.length > 0) toggle(chosen.at(-1));
      // What is typed and not taken is meant all the same.
      else if (event.key === ',' && isSeveral && search.value.trim() !== '') {
        event.preventDefault();
        toggle(search.value.trim());
      }
    });
    (sent.form ?? search.form)?.addEventListener('submit', () => {
      if (!isSeveral || search.value.trim() === '') return;
      chosen.push(search.value.trim());
      search.value = '';
      draw();
    });
    // The field for searching belongs to no form of its own where the one that is sent belongs to another.
    if (sent.hasAttribute('form')) search.setAttribute('form', sent.getAttribute('form'));
    draw();
    if (hadFocus) search.focus();
  };
  for (const field of document.querySelectorAll('input[data-picker]')) pick(field);
  for (const menu of document.querySelectorAll('details.menu')) {
    menu.addEventListener('toggle', () => {
      if (!menu.open) return;
      const [items, fields] = [menu.querySelector('.menu-items'), 'input:not([type="hidden"]), select'];
      (items?.querySelector(fields) ?? items?.querySelector('form > button'))?.focus();
    });
  }

  // The words of the filter of a list.
  const WORD = /(?:^|\s)([a-z]*:?(?:"[^"]*|[^\s"]*))$/i;
  const KINDS = { author: 'user', assignee: 'user', reviewer: 'user', label: 'label', milestone: 'milestone' };
  for (const field of document.querySelectorAll('input[data-filter]')) {
    const { filter: from, names, states } = field.dataset;
    const written = () => WORD.exec(field.value.slice(0, field.selectionStart))?.[1] ?? '';
    const quoted = (value) => (/\s/.test(value) ? `"${value}"` : value);
    const list = offer(field, {
      ask: async () => {
        const word = written();
        const [, name, text] = /^([a-z]+):"?(.*)$/i.exec(word) ?? [];
        if (name === undefined) {
          const known = names.split(' ').filter((one) => word !== '' && one.startsWith(word.toLowerCase()));
          return known.map((one) => ({ value: `${one}:`, label: `${one}:` }));
        }
        const begins = (one) => one.toLowerCase().startsWith(text.toLowerCase());
        if (name === 'is')
          return states
            .split(' ')
            .filter(begins)
            .map((one) => ({ value: `is:${one} `, label: one }));
        if (!Object.hasOwn(KINDS, name) || !names.split(' ').includes(name)) return [];
        const own = KINDS[name] === 'user' ? ['@me'] : [];
        const words = name === 'author' || name === 'reviewer' ? own : [...own, 'none', 'any'];
        const found = await asked(withText(`${from}?kind=${KINDS[name]}`, text));
        return [
          ...found.map((one) => ({ ...one, value: `${name}:${quoted(one.value)} ` })),
          ...words.filter(begins).map((one) => ({ value: `${name}:${one} `, label: one })),
        ];
      },
      take: ({ value }) => {
        const end = field.selectionStart;
        field.setRangeText(value, end - written().length, end, 'end');
        if (value.endsWith(':')) list.look(0, 0);
        else list.close();
      },
    });
  }

  // The palette.
  const palette = document.getElementById('palette');
  if (palette) {
    const field = palette.querySelector('input');
    const project = document.querySelector('[data-project]')?.dataset.project ?? '';
    const nothing = make('p', { className: 'quiet', textContent: palette.dataset.nothing, hidden: true });
    const list = offer(field, {
      opens: true,
      within: palette,
      icons: palette.dataset.icons,
      ask: async (text) => {
        const found = await asked(withText(`/-/palette?project=${encodeURIComponent(project)}`, text));
        nothing.hidden = found.length > 0;
        return found;
      },
      take: ({ path }) => location.assign(path),
    });
    palette.append(nothing);
    palette.addEventListener('click', (event) => {
      if (event.target === palette) palette.close();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (palette.open) return palette.close();
      field.value = '';
      palette.showModal();
      field.focus();
      list.look(0, 0);
    });
  }
}
