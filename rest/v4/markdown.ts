import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const markdown: Route[] = [
  {
    method: 'POST',
    path: '/markdown',
    operation: operations.RenderMarkdownDocument,
    result: 'markdown',
    reads: true,
  },
];
