import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Changes of lines that notes on merge requests suggest. */
export const suggestions: Route[] = [
  {
    method: 'PUT',
    path: '/suggestions/:id/apply',
    operation: operations.ApplySuggestionDocument,
    result: 'applySuggestion.suggestion',
    numeric: ['id'],
  },
  {
    method: 'PUT',
    path: '/suggestions/batch_apply',
    operation: operations.ApplySuggestionsDocument,
    result: 'applySuggestions.suggestions',
  },
];
