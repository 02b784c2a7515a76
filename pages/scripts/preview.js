// What a form of files would change is shown beneath what is written, in place of a page of its own.
for (const button of document.querySelectorAll('button[data-previews]')) {
  button.addEventListener('click', async (event) => {
    const { form } = button;
    const place = form.querySelector('[data-preview-place]');
    if (!place || !form.reportValidity()) return;
    event.preventDefault();
    button.disabled = true;
    try {
      const body = new URLSearchParams(new FormData(form));
      if (button.name) body.set(button.name, button.value);
      const answer = await fetch(button.formAction, { method: 'POST', body, headers: { Accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const shown = page.querySelector('[data-preview-place]');
      const problems = [...page.querySelectorAll('[role="alert"]')];
      place.replaceChildren(...(answer.ok && shown ? shown.childNodes : problems));
    } catch {
      place.replaceChildren();
    }
    button.disabled = false;
    place.scrollIntoView({ block: 'nearest' });
  });
}
