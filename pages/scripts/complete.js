// Quick actions, and names of people, issues, merge requests, labels, milestones and emoji, are completed in texts in Markdown. The arrows
// choose, Enter or the tabulator takes, Escape closes.
{
  const NAME = /(?:^|[\s(])([@#!~%]|:(?=[\w+-]{2}))("[^"\n]{0,50}|[^\s"@#!~%:]{0,50})$/;
  const ACTION = /(?:^|\n)(\/)([a-z_]{0,20})$/;
  const list = document.createElement('ul');
  list.id = 'completions';
  list.className = 'completions';
  list.setAttribute('role', 'listbox');
  const project = () => document.querySelector('[data-project]')?.dataset.project;
  let field = null;
  let start = 0;
  let asked = 0;
  const chosen = () => list.querySelector('[aria-selected="true"]');
  const close = () => {
    asked += 1;
    list.remove();
    for (const name of ['aria-controls', 'aria-activedescendant']) field?.removeAttribute(name);
    field = null;
  };
  const choose = (option) => {
    chosen()?.setAttribute('aria-selected', 'false');
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', option.id);
  };
  const take = (option) => {
    const target = field;
    target.setRangeText(option.dataset.insert, start, target.selectionStart, 'end');
    close();
    target.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const optionOf = ({ insert, about, color }, at) => {
    const option = document.createElement('li');
    option.id = `completion-${at}`;
    option.dataset.insert = insert;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    const name = document.createElement('strong');
    name.textContent = insert.trim();
    if (color) {
      const dot = document.createElement('span');
      dot.className = 'dot';
      dot.style.background = color;
      option.append(dot);
    }
    const more = document.createElement('span');
    more.textContent = about;
    option.append(name, ' ', more);
    return option;
  };
  const open = (target, choices) => {
    field = target;
    list.replaceChildren(...choices.map(optionOf));
    list.setAttribute('aria-label', target.dataset.suggestions);
    target.after(list);
    list.style.top = `${target.offsetTop + target.offsetHeight}px`;
    list.style.left = `${target.offsetLeft}px`;
    list.style.maxWidth = `${target.offsetWidth}px`;
    target.setAttribute('aria-controls', list.id);
    choose(list.firstElementChild);
  };
  /** The mark before the cursor and the text behind it, and where they begin. */
  const written = (target) => {
    const before = target.value.slice(Math.max(0, target.selectionStart - 100), target.selectionStart);
    const found = (target.dataset.actions && ACTION.exec(before)) || NAME.exec(before);
    if (!found || target.selectionStart !== target.selectionEnd) return null;
    const [, mark, text] = found;
    return { mark, text: text.replace('"', ''), at: target.selectionStart - mark.length - text.length };
  };
  const suggest = async (target) => {
    close();
    const now = written(target);
    if (!now || !project()) return;
    const turn = asked;
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (turn !== asked) return;
    const place = project().split('/').map(encodeURIComponent).join('/');
    const [, iid = ''] = /\/-\/(?:issues|merge_requests)\/(\d+)/.exec(location.pathname) ?? [];
    const query = new URLSearchParams({ mark: now.mark, text: now.text, on: target.dataset.actions ?? '', iid });
    const answer = await fetch(`/${place}/-/completion?${query}`).catch(() => null);
    const choices = answer?.ok ? await answer.json().catch(() => []) : [];
    if (turn !== asked || document.activeElement !== target || choices.length === 0) return;
    start = now.at;
    open(target, choices);
  };
  const prepare = (target) => {
    target.dataset.completed = '';
    target.setAttribute('aria-autocomplete', 'list');
    target.setAttribute('aria-haspopup', 'listbox');
    target.setAttribute('autocomplete', 'off');
    target.addEventListener('input', (event) => {
      if (!event.isComposing && event.isTrusted) suggest(target);
    });
    target.addEventListener('blur', close);
    target.addEventListener('click', close);
    target.addEventListener('keydown', (event) => {
      const { key } = event;
      // What is on its way is not shown either.
      if (key === 'Escape') asked += 1;
      if (field !== target || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const option = chosen();
      if (key === 'ArrowDown') choose(option.nextElementSibling ?? list.firstElementChild);
      else if (key === 'ArrowUp') choose(option.previousElementSibling ?? list.lastElementChild);
      else if ((key === 'Enter' || key === 'Tab') && !event.shiftKey) take(option);
      else if (key === 'Escape') close();
      else {
        if (['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'].includes(key)) close();
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
  };
  // The field keeps the focus.
  list.addEventListener('mousedown', (event) => {
    event.preventDefault();
    const option = event.target.closest('[role="option"]');
    if (option) take(option);
  });
  for (const target of document.querySelectorAll('textarea[data-markdown]')) prepare(target);
  // Forms that come later.
  document.addEventListener('focusin', ({ target }) => {
    if (target.matches('textarea[data-markdown]:not([data-completed])')) prepare(target);
  });
}
