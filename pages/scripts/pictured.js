// Formulas and diagrams in texts are drawn; without this script, and where they have mistakes, they stay as they are written.
{
  const script = document.querySelector('script[data-formulas]');
  const { formulas, diagram } = script?.dataset ?? {};
  /** Formulas and diagrams of a page that are drawn, and characters of one. */
  const [MOST_FORMULAS, MOST_DIAGRAMS, LONGEST] = [1000, 50, 20_000];
  let loading;
  const loadFormulas = () => {
    loading ??= new Promise((resolve, reject) => {
      const library = document.createElement('script');
      library.nonce = script.nonce;
      library.src = formulas;
      library.onload = resolve;
      library.onerror = reject;
      document.head.append(library);
    });
    return loading;
  };
  const drawFormula = (code) => {
    const isBlock = code.matches('pre > .language-math, .math-display');
    const place = document.createElement(isBlock ? 'div' : 'span');
    place.className = 'formula';
    place.title = code.textContent.trim();
    try {
      temml.render(code.textContent, place, { displayMode: isBlock, throwOnError: true, strict: true, trust: false });
    } catch {
      return;
    }
    (code.matches('pre > code') ? code.parentElement : code).replaceWith(place);
  };

  const frames = new Map();
  addEventListener('message', ({ source, data }) => {
    const drawing = frames.get(source);
    if (!drawing) return;
    const { frame, code } = drawing;
    if (data === 'ready') {
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
      const { theme = isDark ? 'dark' : 'light' } = document.documentElement.dataset;
      // The frame has no origin of its own, so that there is none to be named.
      source.postMessage({ text: code.textContent, theme }, '*');
    } else if (Number.isFinite(data?.height)) {
      frame.style.height = `${Math.min(Math.ceil(data.height), 5000)}px`;
      code.parentElement.hidden = true;
    } else {
      frames.delete(source);
      frame.remove();
    }
  });
  const drawDiagram = (code) => {
    const frame = document.createElement('iframe');
    frame.className = 'diagram';
    frame.title = code.textContent.trim().split('\n', 1)[0];
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.src = diagram;
    code.parentElement.before(frame);
    frames.set(frame.contentWindow, { frame, code });
  };

  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      drawDiagram(target);
    }
  });
  const seen = new WeakSet();
  let [formulasLeft, diagramsLeft] = [MOST_FORMULAS, MOST_DIAGRAMS];
  const draw = async () => {
    const found = [...document.querySelectorAll('.markdown code:is(.math, .language-math, .language-mermaid)')];
    const added = found.filter((code) => !seen.has(code) && code.textContent.length <= LONGEST);
    for (const code of added) seen.add(code);
    for (const code of added.filter((one) => one.matches('pre > .language-mermaid')).slice(0, diagramsLeft)) {
      diagramsLeft--;
      near.observe(code);
    }
    const toDraw = added.filter((one) => !one.matches('.language-mermaid')).slice(0, formulasLeft);
    formulasLeft -= toDraw.length;
    if (toDraw.length === 0) return;
    // Where the library does not load, formulas stay as they are written.
    const isLoaded = await loadFormulas().then(
      () => true,
      () => false,
    );
    if (isLoaded) for (const code of toDraw) drawFormula(code);
  };
  if (formulas) {
    draw();
    // Comments that come later, and previews.
    new MutationObserver(draw).observe(document.body, { childList: true, subtree: true });
  }
}
