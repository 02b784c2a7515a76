import { type } from '#compat/engine/entries.ts';
import { issueMutations } from '#compat/tables/mutations/issues.ts';
import { mergeRequestMutations } from '#compat/tables/mutations/merge_requests.ts';
import { noteMutations } from '#compat/tables/mutations/notes.ts';
import { repositoryMutations } from '#compat/tables/mutations/repository.ts';
import { workItemMutations } from '#compat/tables/mutations/work_items.ts';

/** What a mutation may do. */
export const mutations = type('Mutation', 'Mutation', {
  ...noteMutations,
  ...mergeRequestMutations,
  ...issueMutations,
  ...workItemMutations,
  ...repositoryMutations,
});
