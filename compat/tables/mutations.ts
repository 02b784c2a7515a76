import { object, type } from '#compat/engine/entries.ts';
import type { GlobalId } from '#compat/engine/global_id.ts';
import { mutation } from '#compat/engine/mutation.ts';
import type { Given } from '#compat/engine/table.ts';
import { filterOf, numberOf } from '#compat/tables/arguments.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { FullPath } from '#schema/refs.ts';

/** A merge request or an issue, as inputs of the core graph name it. */
const inProject = ({ projectPath, iid }: Given) => ({ project: new FullPath(String(projectPath)), iid: numberOf(iid) });

/** The types of the core graph by the classes of global IDs. */
const TYPES: Readonly<Record<string, string>> = {
  WorkItem: 'Issue',
  ProjectSnippet: 'Snippet',
  PersonalSnippet: 'Snippet',
  DiffNote: 'Note',
  DiscussionNote: 'Note',
};

/** The global ID of the core graph for one of today's clients. */
export function coreId({ class: given, key }: GlobalId): string {
  return given === 'Discussion' ? key : toGlobalId(TYPES[given] ?? given, Number(key));
}

const mergeRequest = { mergeRequest: object('mergeRequest', 'MergeRequest') };
const issue = { issue: object('issue', 'Issue') };
const note = { note: object('note', 'Note') };

/** What a mutation may do. */
export const mutations = type('Mutation', 'Mutation', {
  createNote: mutation({
    core: 'createNote',
    input: ({ noteableId, body, internal, confidential, discussionId }) =>
      filterOf({
        on: { id: coreId(noteableId) },
        body,
        internal: internal ?? confidential,
        discussionId: discussionId && coreId(discussionId),
      }),
    payload: note,
  }),
  mergeRequestSetDraft: mutation({
    core: 'updateMergeRequest',
    input: (input) => ({ ...inProject(input), draft: input.draft }),
    payload: mergeRequest,
  }),
  issueSetAssignees: mutation({
    core: 'updateIssue',
    input: (input) => ({ ...inProject(input), assigneeUsernames: input.assigneeUsernames }),
    payload: issue,
  }),
});
