// The content of a file is written in an editor, which is loaded when somebody begins; until then, and without it, in a text area.
{
  const field = document.querySelector('textarea.file-content');
  const script = document.querySelector('script[data-editor]');
  const label = field && document.querySelector(`label[for="${field.id}"]`);
  const pathField = field?.form.elements.path;
  const show = () => {
    const box = document.createElement('div');
    box.className = 'file-editor';
    const { selectionStart, selectionEnd } = field;
    const hadFocus = document.activeElement === field;
    field.before(box);
    // A root of its own may have styles, which the policy of the page allows nobody to add to it.
    const editor = gantryEditor.open(field, {
      place: box.attachShadow({ mode: 'open' }),
      label: label.textContent,
      path: pathField?.value ?? '',
      phrases: JSON.parse(field.dataset.phrases),
    });
    field.hidden = true;
    // What the label names is the editor now.
    field.removeAttribute('id');
    label.removeAttribute('for');
    label.addEventListener('click', editor.focus);
    editor.select(selectionStart, selectionEnd);
    if (hadFocus) editor.focus();
    pathField?.addEventListener('change', () => editor.setPath(pathField.value));
  };
  const load = () => {
    const library = document.createElement('script');
    library.nonce = script.nonce;
    library.src = script.dataset.editor;
    library.onload = show;
    document.head.append(library);
  };
  if (field && script && label) {
    if (document.activeElement === field) load();
    else field.addEventListener('focus', load, { once: true });
  }
}
