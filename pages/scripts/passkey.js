// The form of a passkey asks the authenticator before it is sent.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const problem = form.querySelector('[role=alert]');
  const { PublicKeyCredential, navigator } = window;
  const ask = async () => {
    const options = JSON.parse(form.dataset.options);
    const isNew = form.dataset.passkey === 'create';
    const publicKey = isNew
      ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
      : PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials[isNew ? 'create' : 'get']({ publicKey });
    form.elements.answer.value = JSON.stringify(credential.toJSON());
    form.submit();
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      await ask();
    } catch {
      problem.hidden = false;
    }
  });
}
