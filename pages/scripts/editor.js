// The content of a file is written in an editor, which is loaded when somebody begins; until then, and without it, in a text area.
{
  const script = document.querySelector('script[data-editor]');
  let library;
  const load = () => {
    library ??= new Promise((resolve, reject) => {
      const element = document.createElement('script');
      element.nonce = script.nonce;
      element.src = script.dataset.editor;
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });
    return library;
  };
  const show = (field, label) => {
    const box = document.createElement('div');
    box.className = 'file-editor';
    const pathField = (field.closest('fieldset') ?? field.form).querySelector('[name="path"]');
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
  for (const field of document.querySelectorAll('textarea.file-content')) {
    const label = document.querySelector(`label[for="${field.id}"]`);
    if (!script || !label) continue;
    const begin = () => load().then(() => show(field, label));
    if (document.activeElement === field) begin();
    else field.addEventListener('focus', begin, { once: true });
  }
}
