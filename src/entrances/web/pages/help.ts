import { Router } from 'express';
import { addressOf, HELP, type Manual, manual, searchManual } from '#pages/engine/manual.ts';
import type { Pages } from '#pages/engine/page.ts';
import { renderMarkdown } from '#src/domain/tracking/markdown/render.ts';

/** Characters of a search. */
const MAX_SEARCH_LENGTH = 200;

/** Callers of the thread that renders texts: the manual is one, as what it renders is kept. */
const CALLER = 'manual';

/** What the chapters and the search beside the manual need. */
export interface InManual {
  /** The document that is shown; absent where none is. */
  name?: string;
  chapters: Manual['chapters'];
  addressOf: typeof addressOf;
  /** What is searched for. */
  words: string;
}

/** The manual, for everyone: the documents of docs/ with a search. */
export function helpPages({ page }: Pages): Router {
  return Router().get(
    [HELP, `${HELP}/*name`],
    page(async (visit, next) => {
      const { request, baseUrl, texts } = visit;
      const { documents, chapters } = manual();
      const { name = [] } = request.params as { name?: string[] };
      const found = documents.get(name.join('/'));
      if (!found) return next();
      const { search } = request.query;
      const words = typeof search === 'string' ? search.slice(0, MAX_SEARCH_LENGTH) : '';
      visit.allowCompression();
      if (name.length === 0 && words.trim() !== '') {
        const hits = searchManual(words).map(({ page: { name, title }, section, excerpt }) => {
          return { address: addressOf(name, section.anchor), title, heading: section.heading, excerpt };
        });
        return visit.show('help/search', { title: texts.t('Search the manual') }, { chapters, addressOf, words, hits });
      }
      const rendering = {
        text: found.text,
        flavour: 'gfm',
        links: new Map(),
        baseUrl,
        project: null,
        images: false,
      } as const;
      const html = await renderMarkdown(CALLER, rendering);
      visit.show('help/document', { title: found.title }, { name: found.name, chapters, addressOf, words, html });
    }),
  );
}
