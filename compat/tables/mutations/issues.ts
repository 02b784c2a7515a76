import { gid, name, names, object, type } from '#compat/engine/entries.ts';
import { type GlobalId, readGid } from '#compat/engine/global_id.ts';
import { mutation, Refused } from '#compat/engine/mutation.ts';
import type { Entries, Given } from '#compat/engine/table.ts';
import {
  coreId,
  idsOf,
  iidOf,
  key,
  lookUp,
  pathOf,
  requireAll,
  set,
  titlesOf,
} from '#compat/tables/mutations/look_up.ts';
import { time } from '#compat/tables/values.ts';
import { toGlobalId } from '#schema/node/global_id.ts';

type('Timelog', 'Timelog', {
  ...names('summary'),
  id: gid('Timelog'),
  spentAt: time('createdAt'),
  timeSpent: name('seconds'),
});

const payload: Entries = { issue: object('issue', 'Issue') };

const which = ({ projectPath, iid }: Given) => ({ project: pathOf(projectPath), iid: iidOf(iid) });

/** The kinds of issues that there are here. */
const TYPES = new Set(['ISSUE', 'INCIDENT', 'TASK']);

/** A kind of issues. Throws Refused for those of paid features. */
export function typeOf(type: unknown): string {
  if (!TYPES.has(String(type))) throw new Refused(`Type ${String(type).toLowerCase()} is not supported`);
  return String(type);
}

/** An `ID`, which is a global one of a class or its number. */
function idOf(id: unknown, name: string, ...classes: string[]): GlobalId {
  if (/^\d{1,9}$/.test(String(id))) return { class: classes[0] ?? name, key: String(id) };
  return readGid(id, [name, ...classes]);
}

const labelsOf = (ids: readonly unknown[]) =>
  ids.map((id) => coreId(idOf(id, 'Label', 'ProjectLabel', 'GroupLabel', 'Label')));

/** Issues, and what was spent on them. */
export const issueMutations: Entries = {
  createIssue: mutation({
    core: 'createIssue',
    lookup: lookUp({
      project: ({ projectPath }) => pathOf(projectPath),
      labels: ({ labelIds }) => idsOf(labelIds),
      mergeRequest: ({ mergeRequestToResolveDiscussionsOf: id }) => (id ? coreId(id) : ''),
    }),
    input: (input, found) => {
      const { title, description, confidential, createdAt, iid, dueDate, discussionToResolve, locked, type } = input;
      const { labels, labelIds, milestoneId, assigneeIds, mergeRequestToResolveDiscussionsOf: resolved } = input;
      const titles = labelIds ? [...titlesOf(found.labels, found.project), ...(labels ?? [])] : labels;
      const [mergeRequest] = resolved ? requireAll([found.mergeRequest]) : [];
      return {
        project: pathOf(input.projectPath),
        ...set({ title, description, createdAt, iid, dueDate, discussionToResolve, labels: titles ?? undefined }),
        ...set({ confidential: confidential ?? undefined, discussionLocked: locked ?? undefined }),
        ...set({ type: type == null ? undefined : typeOf(type), milestoneId: key(milestoneId) }),
        ...set({ assigneeIds: assigneeIds?.map(key), mergeRequestToResolveDiscussionsOf: mergeRequest?.iid }),
        // The one to move it behind is the one that comes before it.
        ...set({ afterId: key(input.moveBeforeId), beforeId: key(input.moveAfterId) }),
      };
    },
    payload,
  }),
  updateIssue: mutation({
    core: 'updateIssue',
    lookup: lookUp({
      project: ({ projectPath }) => pathOf(projectPath),
      labels: ({ labelIds }) => labelsOf(labelIds ?? []),
    }),
    input: (input, found) => ({
      ...which(input),
      ...set({ stateEvent: input.stateEvent ?? undefined }),
      ...(input.labelIds && { labels: titlesOf(found.labels, found.project) }),
      ...(input.milestoneId !== undefined && {
        milestoneId: input.milestoneId === null ? null : idOf(input.milestoneId, 'Milestone', 'Milestone').key,
      }),
    }),
    payload,
  }),
  issueMove: mutation({
    core: 'moveIssue',
    input: (input) => ({ ...which(input), to: pathOf(input.targetProjectPath) }),
    payload,
  }),
  issueSetAssignees: mutation({
    core: 'updateIssue',
    input: (input) => ({ ...which(input), assigneeUsernames: input.assigneeUsernames }),
    payload,
  }),
  issueSetSeverity: mutation({
    core: 'updateIssue',
    input: (input) => ({ ...which(input), severity: input.severity }),
    payload,
  }),
  timelogDelete: mutation({
    core: 'deleteTimelog',
    input: ({ id }) => ({ id: toGlobalId('Timelog', Number(id.key)) }),
    payload: { timelog: object('timelog', 'Timelog') },
  }),
};
