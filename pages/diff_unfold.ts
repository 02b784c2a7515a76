import { json } from '#pages/engine/row.ts';
import { UnfoldedLinesDocument } from '#src/generated/page_operations.ts';

/** What `scripts/unfold.js` shows between the lines of a diff. */
export const unfolding = [
  json({
    path: '/:project/-/lines/*place',
    operation: UnfoldedLinesDocument,
    found: ({ project }) => project?.repository?.at?.file?.lines,
    answer: ({ from, to, total, html }) => ({ from, total, lines: to < from ? [] : html.split('\n') }),
  }),
];
