import { builder } from '#schema/builder.ts';
import { namesOf } from '#schema/inputs.ts';
import { issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
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
  const named = (begin: string, end: string) => `${begin}${kind}${end}`;

  const [set, reset] = [named('set', 'TimeEstimate'), named('reset', 'TimeEstimate')];
  const [add, resetSpent] = [named('add', 'SpentTime'), named('reset', 'SpentTime')];
  const input = (mutation: string, description: string) =>
    builder.inputType(namesOf(mutation).input, { description, fields: which });
  const SetInput = builder.inputType(namesOf(set).input, {
    description: `The estimate of ${words}.`,
    fields: (t) => ({
      ...which(t),
      duration: t.string({ required: true, description: `The time estimated, ${UNITS}` }),
    }),
  });
  const ResetInput = input(reset, `Which ${words.split(' ').slice(1).join(' ')} to remove the estimate from.`);
  const AddInput = builder.inputType(namesOf(add).input, {
    description: `Time spent on ${words}.`,
    fields: (t) => ({
      ...which(t),
      duration: t.string({ required: true, description: `The time spent, ${UNITS} \`-1h\` takes an hour back.` }),
      summary: t.string({ description: 'What the time was spent on; at most 255 characters.' }),
    }),
  });
  const ResetSpentInput = input(
    resetSpent,
    `Which ${words.split(' ').slice(1).join(' ')} to take back the time spent on.`,
  );

  builder.mutationFields((t) => ({
    [set]: t.field({
      type: payload(set),
      description: `Sets the time that ${words} is estimated to take. ${who}`,
      args: { input: t.arg({ type: SetInput, required: true, description: 'Names it, and the estimate.' }) },
      resolve: (_root, { input: { project, iid, duration } }, context) =>
        setTimeEstimate(context, kind, project, iid, duration),
    }),
    [reset]: t.field({
      type: payload(reset),
      description: `Removes the estimate from ${words}. ${who}`,
      args: { input: t.arg({ type: ResetInput, required: true, description: 'Names what loses its estimate.' }) },
      resolve: (_root, { input: { project, iid } }, context) => setTimeEstimate(context, kind, project, iid, null),
    }),
    [add]: t.field({
      type: payload(add),
      description: `Adds time that the caller spent on ${words}, or takes some back. ${who}`,
      args: { input: t.arg({ type: AddInput, required: true, description: 'Names it, and the time.' }) },
      resolve: (_root, { input: { project, iid, duration, summary } }, context) =>
        addSpentTime(context, kind, project, iid, duration, summary),
    }),
    [resetSpent]: t.field({
      type: payload(resetSpent),
      description: `Takes back all time spent on ${words}. ${who}`,
      args: { input: t.arg({ type: ResetSpentInput, required: true, description: 'Names what loses its times.' }) },
      resolve: (_root, { input: { project, iid } }, context) => resetSpentTime(context, kind, project, iid),
    }),
  }));
}
