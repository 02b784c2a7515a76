import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';

/** Changes of lines that notes on merge requests suggest. */
export const suggestions: Route[] = [
  {
    method: 'PUT',
    path: '/suggestions/:id/apply',
    ...mutation('ApplySuggestion', 'applySuggestion.suggestion', '...SuggestionRecord'),
    numeric: ['id'],
  },
  {
    method: 'PUT',
    path: '/suggestions/batch_apply',
    ...mutation('ApplySuggestions', 'applySuggestions.suggestions', '...SuggestionRecord'),
  },
];
