import { Router } from 'express';
import type { Pages } from '#pages/engine/page.ts';

/** What the parts are shown with. */
const SAMPLE = {
  titles: [
    'Apples are graded twice',
    'Äpfel with an umlaut are not found 🍏',
    'Explain in the README what a grade is, and how it is found',
  ],
  labels: Object.entries({ bug: '#d9534f', feature: '#428bca', documentation: '#5cb85c' }).map(([title, color]) => ({
    title,
    color,
  })),
  people: ['Ada Marsh', 'Ben Okafor', 'Chloé Lindqvist'],
  when: '2025-05-13T09:00:00.000Z',
} as const;

/** What the page of examples shows. */
export type Sample = typeof SAMPLE;

/** The page of examples of all parts, which is served where `GANTRY_EXAMPLES` is on. */
export function examplePages({ page }: Pages): Router {
  return Router().get(
    '/-/examples',
    page((visit) => visit.show('examples', { title: visit.texts.t('Parts of the pages') }, SAMPLE)),
  );
}
