import { createIssue, type NewIssue } from '#src/domain/tracking/issues/create.ts';
import { moveIssue } from '#src/domain/tracking/issues/move.ts';
import { subscribeToIssue } from '#src/domain/tracking/issues/subscribe.ts';
import { type IssueChanges, updateIssue } from '#src/domain/tracking/issues/update.ts';
import { createLabel, type LabelValues, subscribeToLabel } from '#src/domain/tracking/labels/save.ts';
import { createMilestone, type MilestoneValues, updateMilestone } from '#src/domain/tracking/milestones/save.ts';
import type { Scene } from '#src/entrances/seed/stage.ts';

const APPLES = 'orchard/apples';
const WEBSITE = 'orchard/website';
const PRUNER = 'orchard/tools/pruner';
const LEDGER = 'harbor/ledger';

/** Labels, milestones and issues. */
export const issueScenes: readonly Scene[] = [
  label('2025-01-08 09:00', 'ada', APPLES, {
    title: 'bug',
    color: '#d9534f',
    description: 'Something is wrong',
    priority: 1,
  }),
  label('2025-01-08 09:01', 'ada', APPLES, { title: 'feature', color: '#428bca', description: 'Something new' }),
  label('2025-01-08 09:02', 'ada', APPLES, { title: 'documentation', color: '#5cb85c' }),
  label('2025-01-08 09:03', 'ada', APPLES, { title: 'urgent', color: '#ff0000', priority: 0 }),
  label('2025-01-08 09:04', 'ada', APPLES, { title: 'good first issue', color: '#7057ff' }),
  label('2025-01-14 09:00', 'chloe', PRUNER, { title: 'bug', color: '#d9534f' }),
  label('2025-01-15 09:00', 'ada', WEBSITE, { title: 'text', color: '#f0ad4e' }),
  label('2025-01-28 09:00', 'ben', LEDGER, { title: 'security', color: '#000000', priority: 0 }),
  milestone('2025-01-08 09:30', 'ada', APPLES, {
    title: 'v1.0',
    startDate: '2025-01-08',
    dueDate: '2025-03-03',
    description: 'What one needs to grade a harvest.',
  }),
  milestone('2025-01-08 09:31', 'ada', APPLES, { title: 'v1.1', startDate: '2025-03-04', dueDate: '2025-05-12' }),
  milestone('2025-05-13 09:00', 'ada', APPLES, { title: 'v2.0', description: 'Cider.' }),
  milestone('2025-01-28 09:30', 'ben', LEDGER, { title: 'First audit', dueDate: '2025-07-31' }),

  issue(
    '2025-01-09 10:00',
    'ada',
    {
      project: APPLES,
      title: 'Grade by diameter',
      labels: ['feature'],
      description: 'A basket has large, medium and small apples.\n\n- [x] large\n- [x] medium\n- [x] small',
    },
    { assignee: 'ben', milestone: 'v1.0' },
  ),
  issue(
    '2025-01-10 14:00',
    'devika',
    { project: APPLES, title: 'Grade by colour', labels: ['feature'] },
    { assignee: 'chloe', milestone: 'v1.0' },
  ),
  issue('2025-01-22 11:00', 'emil', { project: APPLES, title: 'How do I install this?' }),
  issue(
    '2025-02-14 08:30',
    'devika',
    {
      project: APPLES,
      title: 'Diameters just below the limit are rounded up',
      labels: ['bug', 'urgent'],
      description:
        'An apple of 69.6 mm counts as large:\n\n```js\ngrade({ diameter: 69.6 })\n```\n\nIt should be medium.',
    },
    { assignee: 'ben', milestone: 'v1.0' },
  ),
  issue(
    '2025-02-20 16:00',
    'chloe',
    { project: APPLES, title: 'Explain the grades in the README', labels: ['documentation', 'good first issue'] },
    { milestone: 'v1.0' },
  ),
  issue(
    '2025-03-05 10:00',
    'ada',
    { project: APPLES, title: 'Count bruises', labels: ['feature'], dueDate: '2025-04-30' },
    { assignee: 'chloe', milestone: 'v1.1' },
  ),
  issue('2025-03-14 21:00', 'fern', { project: APPLES, title: 'Pears?' }),
  issue(
    '2025-03-20 09:00',
    'ben',
    {
      project: APPLES,
      title: 'A crafted basket makes grading take minutes',
      labels: ['bug'],
      confidential: true,
      description: 'Not to be told before a version without it is out.',
    },
    { assignee: 'ada', milestone: 'v1.1' },
  ),
  issue(
    '2025-04-15 13:00',
    'hugo',
    { project: APPLES, title: 'Bruises are counted twice', labels: ['bug'] },
    { assignee: 'chloe', milestone: 'v1.1' },
  ),
  issue(
    '2025-05-14 09:00',
    'ada',
    {
      project: APPLES,
      title: 'Press cider from what is too small to sell',
      labels: ['feature'],
      dueDate: '2025-09-30',
    },
    { assignee: 'chloe', milestone: 'v2.0' },
  ),
  issue('2025-05-20 12:00', 'devika', {
    project: APPLES,
    title: 'Äpfel with an umlaut are not found 🍏',
    labels: ['bug'],
  }),
  issue(
    '2025-06-11 15:00',
    'ben',
    { project: APPLES, title: 'Sign releases', labels: ['feature'], confidential: true },
    { milestone: 'v2.0' },
  ),
  issue('2025-06-18 09:00', 'fern', { project: APPLES, title: 'Grades for other countries' }),

  issue(
    '2025-01-16 10:00',
    'ada',
    { project: WEBSITE, title: 'Write a page about us', labels: ['text'] },
    { assignee: 'devika' },
  ),
  issue('2025-02-05 10:00', 'devika', {
    project: WEBSITE,
    title: 'The search finds nothing',
    description: 'It may be that it looks for capitals.',
  }),
  issue('2025-04-09 10:00', 'gus', { project: WEBSITE, title: 'Prices of last year', labels: ['text'] }),
  issue(
    '2025-01-21 10:00',
    'chloe',
    { project: PRUNER, title: 'Old trees are cut too hard', labels: ['bug'] },
    { assignee: 'chloe' },
  ),
  issue('2025-03-18 10:00', 'ada', { project: PRUNER, title: 'Read trees from a file' }),
  issue(
    '2025-01-29 10:00',
    'ben',
    { project: LEDGER, title: 'Round to the cent at the end only' },
    { assignee: 'ada', milestone: 'First audit' },
  ),
  issue('2025-02-12 10:00', 'gus', { project: LEDGER, title: 'Export for the auditors' }, { milestone: 'First audit' }),
  issue(
    '2025-06-05 10:00',
    'ben',
    { project: LEDGER, title: 'The backup holds account numbers', labels: ['security'], confidential: true },
    { assignee: 'ben' },
  ),

  change('2025-01-24 15:00', 'ada', APPLES, 3, { stateEvent: 'close' }),
  change('2025-01-30 15:00', 'ben', APPLES, 1, { stateEvent: 'close' }),
  change('2025-02-13 15:00', 'chloe', APPLES, 2, { stateEvent: 'close' }),
  change('2025-02-19 15:30', 'ben', APPLES, 4, { stateEvent: 'close', labels: ['bug'] }),
  change('2025-04-29 15:00', 'chloe', APPLES, 6, { stateEvent: 'close' }),
  change('2025-05-06 15:00', 'ada', APPLES, 10, { stateEvent: 'close' }),
  change('2025-05-07 15:00', 'chloe', APPLES, 10, { stateEvent: 'reopen' }),
  change('2025-02-26 15:00', 'devika', WEBSITE, 1, { stateEvent: 'close' }),
  {
    at: '2025-04-10 10:00',
    play: async (stage) => moveIssue(await stage.as('ada'), WEBSITE, 2, APPLES),
  },
  {
    at: '2025-03-03 17:00',
    play: async (stage) =>
      updateMilestone(await stage.as('ada'), { project: APPLES }, stage.milestone(APPLES, 'v1.0'), {
        stateEvent: 'close',
      }),
  },
  {
    at: '2025-05-21 09:00',
    play: async (stage) => subscribeToIssue(await stage.as('ada'), APPLES, 5, true),
  },
  {
    at: '2025-05-21 09:01',
    play: async (stage) => subscribeToLabel(await stage.as('ada'), { project: APPLES }, { title: 'urgent' }, true),
  },
];

function label(at: string, by: string, project: string, values: LabelValues): Scene {
  return { at, play: async (stage) => createLabel(await stage.as(by), { project }, values) };
}

function milestone(at: string, by: string, project: string, values: MilestoneValues & { title: string }): Scene {
  return {
    at,
    async play(stage) {
      const { id } = await createMilestone(await stage.as(by), { project }, values);
      stage.milestones.set(`${project} ${values.title}`, id);
    },
  };
}

function issue(
  at: string,
  by: string,
  values: NewIssue & { project: string },
  { assignee, milestone }: { assignee?: string; milestone?: string } = {},
): Scene {
  return {
    at,
    play: async (stage) =>
      createIssue(await stage.as(by), {
        ...values,
        ...(assignee === undefined ? {} : { assigneeId: stage.user(assignee) }),
        ...(milestone === undefined ? {} : { milestoneId: stage.milestone(values.project, milestone) }),
      }),
  };
}

function change(at: string, by: string, project: string, iid: number, changes: IssueChanges): Scene {
  return { at, play: async (stage) => updateIssue(await stage.as(by), project, iid, changes) };
}
