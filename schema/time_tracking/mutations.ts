import { issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Timelog } from '#schema/time_tracking/types.ts';
import type { SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { deleteTimelog } from '#src/domain/tracking/time_tracking/delete.ts';
import { setTimeEstimate } from '#src/domain/tracking/time_tracking/estimate.ts';
import { findTimelogsByIds } from '#src/domain/tracking/time_tracking/list.ts';
import { addSpentTime, resetSpentTime } from '#src/domain/tracking/time_tracking/spend.ts';
import { select } from '#src/platform/records/selection.ts';

/** The kinds of records with time tracking: their words, reference and payload. */
const KINDS = [
  {
    kind: 'Issue' as SubjectType,
    words: 'an issue',
    which: whichIssue,
    payload: issuePayload,
    who: 'For its author, its assignees and reporters of the project.',
  },
  {
    kind: 'MergeRequest' as SubjectType,
    words: 'a merge request',
    which: whichMergeRequest,
    payload: mergeRequestPayload,
    who: 'For its author, its assignees and developers of the project.',
  },
] as const;

const ID = select('Timelog', { id: true });

const UNITS = 'such as `3h30m`, `1w 2d` or `90m`. A week has 5 days, a day 8 hours, a month 4 weeks.';

for (const { kind, words, which, payload, who } of KINDS) {
  const it = words.split(' ').slice(1).join(' ');

  mutation(`set${kind}TimeEstimate`, {
    description: `Sets the time that ${words} is estimated to take. ${who}`,
    input: {
      description: `The estimate of ${words}.`,
      argument: 'Names it, and the estimate.',
      fields: (t) => ({
        ...which(t),
        duration: t.string({ required: true, description: `The time estimated, ${UNITS}` }),
      }),
    },
    resolve: ({ project, iid, duration }, context) => setTimeEstimate(context, kind, project, iid, duration),
    payload,
  });

  mutation(`reset${kind}TimeEstimate`, {
    description: `Removes the estimate from ${words}. ${who}`,
    input: {
      description: `Which ${it} to remove the estimate from.`,
      argument: 'Names what loses its estimate.',
      fields: which,
    },
    resolve: ({ project, iid }, context) => setTimeEstimate(context, kind, project, iid, null),
    payload,
  });

  mutation(`add${kind}SpentTime`, {
    description: `Adds time that the caller spent on ${words}, or takes some back. ${who}`,
    input: {
      description: `Time spent on ${words}.`,
      argument: 'Names it, and the time.',
      fields: (t) => ({
        ...which(t),
        duration: t.string({ required: true, description: `The time spent, ${UNITS} \`-1h\` takes an hour back.` }),
        summary: t.string({ description: 'What the time was spent on; at most 255 characters.' }),
      }),
    },
    resolve: ({ project, iid, duration, summary }, context) =>
      addSpentTime(context, kind, project, iid, duration, summary),
    payload,
  });

  mutation(`reset${kind}SpentTime`, {
    description: `Takes back all time spent on ${words}. ${who}`,
    input: {
      description: `Which ${it} to take back the time spent on.`,
      argument: 'Names what loses its times.',
      fields: which,
    },
    resolve: ({ project, iid }, context) => resetSpentTime(context, kind, project, iid),
    payload,
  });
}

mutation('deleteTimelog', {
  description:
    'Deletes an entry of time that was spent on an issue or merge request. For the user who spent it, and masters of the project.',
  input: {
    description: 'Which entry of time to delete.',
    argument: 'Names the entry to delete.',
    fields: (t) => ({
      id: t.field({ ...idOf('Timelog'), required: true, description: 'Global or numeric ID of the entry.' }),
    }),
  },
  resolve: async ({ id }, context, info) => {
    const selection = selectionAt(info, 'Timelog').with(ID);
    const [timelog] = await findTimelogsByIds(context, [id], selection, (project) =>
      context.loaders.project.load(project),
    );
    await deleteTimelog(context, id);
    return { id, timelog: timelog ?? null };
  },
  payload: {
    description: 'The entry that was deleted.',
    fields: (t) => ({
      deletedTimelogId: t.id({
        description: 'Global ID of the entry that was deleted.',
        resolve: ({ id }) => toGlobalId('Timelog', id),
      }),
      timelog: t.expose('timelog', { type: Timelog, nullable: true, description: 'The entry as it was.' }),
    }),
  },
});
