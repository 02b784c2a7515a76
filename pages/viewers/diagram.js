// In the frame of a diagram, which has no origin: draws the text that the page around sends, once, and answers how high it became.
{
  const answer = (data) => parent.postMessage(data, '*');
  addEventListener(
    'message',
    async ({ source, data: { text, theme } }) => {
      if (source !== parent) return;
      try {
        // A frame is see-through where its colours are of the same kind as those of the page.
        document.documentElement.style.colorScheme = theme === 'dark' ? 'dark' : 'light';
        mermaid.initialize({
          startOnLoad: false,
          securityLevel: 'strict',
          suppressErrorRendering: true,
          theme: theme === 'dark' ? 'dark' : 'neutral',
          maxTextSize: 20_000,
          htmlLabels: false,
          flowchart: { htmlLabels: false },
        });
        const { svg } = await mermaid.render('drawn', String(text));
        document.body.innerHTML = svg;
        answer({ height: document.body.getBoundingClientRect().height });
      } catch {
        answer({ height: null });
      }
    },
    { once: true },
  );
  answer('ready');
}
