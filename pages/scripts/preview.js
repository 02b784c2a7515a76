// A text in Markdown can be looked at before it is sent, as it will be shown.
{
  const QUERY =
    'query Preview($text: String!, $project: ProjectRef) { markdown(text: $text, project: $project, gfm: true) { html } }';
  const rendered = async (text) => {
    const project = document.querySelector('[data-project]')?.dataset.project;
    const answer = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QUERY, variables: { text, project } }),
    }).catch(() => null);
    return (await answer?.json().catch(() => null))?.data?.markdown?.html;
  };
  const offer = (field) => {
    field.dataset.previewed = '';
    const preview = document.createElement('div');
    preview.className = 'markdown preview';
    preview.tabIndex = -1;
    const tabs = document.createElement('div');
    tabs.className = 'text-tabs';
    const [write, look] = [field.dataset.write, field.dataset.preview].map((name) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      tabs.append(button);
      return button;
    });
    const show = (isShown) => {
      preview.hidden = !isShown;
      field.hidden = isShown;
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
      const html = await rendered(field.value);
      if (html) preview.innerHTML = html;
      else preview.textContent = html === '' ? field.dataset.empty : field.dataset.unavailable;
      show(true);
      preview.focus();
    });
    // What a form refuses must be there to be mended.
    field.addEventListener('invalid', () => show(false));
    field.before(tabs);
    field.after(preview);
  };
  for (const field of document.querySelectorAll('textarea[data-markdown]')) offer(field);
  // Forms that come later.
  document.addEventListener('focusin', ({ target }) => {
    if (target.matches('textarea[data-markdown]:not([data-previewed])')) offer(target);
  });
}
