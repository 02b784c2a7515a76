import { issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { mutation } from '#schema/mutation.ts';
import type { SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { setTimeEstimate } from '#src/domain/tracking/time_tracking/estimate.ts';
import { addSpentTime, resetSpentTime } from '#src/domain/tracking/time_tracking/spend.ts';

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
