import { giveAward } from '#src/domain/tracking/awards/give.ts';
import { createMergeRequest, type NewMergeRequest } from '#src/domain/tracking/merge_requests/create.ts';
import { updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import type { NoteableRef } from '#src/domain/tracking/noteable.ts';
import { createNote, type NewNote } from '#src/domain/tracking/notes/create.ts';
import type { Scene, Stage } from '#src/entrances/seed/stage.ts';

const project = 'orchard/apples';
const issue = (number: number): NoteableRef => ({ type: 'Issue', project, number });
const mergeRequest = (number: number): NoteableRef => ({ type: 'MergeRequest', project, number });

/** Merge requests of Apples, and the comments on them and on its issues. Pushed merges merge them. */
export const mergeRequestScenes: readonly Scene[] = [
  note('2025-02-14 09:10', 'ben', issue(4), 'I see it too: the diameter is rounded before it is compared.'),
  note('2025-02-14 09:20', 'devika', issue(4), 'Thanks, @ben. Forty crates went to the wrong shop.'),
  award('2025-02-14 09:30', 'chloe', issue(4), 'thumbsup'),
  award('2025-02-14 09:31', 'ada', issue(4), 'thumbsup'),
  open(
    '2025-02-18 10:00',
    'chloe',
    {
      sourceBranch: 'fix/rounding',
      title: 'Do not round diameters',
      description: 'Compares diameters as they are measured.\n\nCloses #4',
      labels: ['bug'],
    },
    { assignee: 'ben', milestone: 'v1.0' },
  ),
  note('2025-02-18 10:50', 'ben', mergeRequest(1), 'Merged as soon as the pipeline is green.'),
  award('2025-02-18 10:55', 'devika', mergeRequest(1), 'thumbsup'),
  open('2025-03-12 21:30', 'fern', {
    project: 'fern/apples',
    targetProject: project,
    sourceBranch: 'pears',
    title: 'WIP: Grade pears',
    description: 'What do you think of this, @ada?',
  }),
  note('2025-03-13 08:30', 'ada', mergeRequest(2), 'Nice! It needs a test, and a word in the README.'),
  note('2025-03-14 20:00', 'fern', mergeRequest(2), 'I will write them at the weekend, @ada.'),
  open(
    '2025-04-14 14:30',
    'chloe',
    { sourceBranch: 'feature/bruises', title: 'Count bruises', labels: ['feature'] },
    { milestone: 'v1.1' },
  ),
  open('2025-05-06 09:00', 'chloe', {
    sourceBranch: 'feature/bruises',
    targetBranch: 'stable',
    title: 'Bring bruises to stable',
  }),
  note('2025-05-07 09:00', 'ada', mergeRequest(4), 'Version 1.1 has them: nobody needs them in 1.0.'),
  {
    at: '2025-05-07 09:01',
    play: async (stage) => updateMergeRequest(await stage.as('ada'), project, 4, { stateEvent: 'close' }),
  },
  note('2025-05-20 12:00', 'emil', issue(12), 'Mine are round.'),
  open(
    '2025-06-20 16:40',
    'chloe',
    {
      sourceBranch: 'feature/cider-press',
      title: 'Press cider',
      description: 'How many litres does a basket make?',
      labels: ['feature'],
      removeSourceBranch: true,
    },
    { assignee: 'ben', milestone: 'v2.0' },
  ),
  {
    at: '2025-06-23 09:00',
    async play(stage) {
      const position = { ...(await latest(stage, 5)), newPath: 'src/press.js', newLine: 5 };
      await said(stage, 'ben', { on: mergeRequest(5), body: 'Why 2e6? It deserves a name.', position });
    },
  },
  {
    at: '2025-06-23 09:40',
    async play(stage) {
      const { id } = await stage.stores.db.note.findFirstOrThrow({ where: { body: { startsWith: 'Why 2e6?' } } });
      await said(stage, 'chloe', {
        on: mergeRequest(5),
        body: 'Cubic millimetres to litres. I will say so.',
        discussionId: id,
      });
    },
  },
  award('2025-06-23 10:00', 'ada', mergeRequest(5), 'apple'),
];

type Opened = Partial<NewMergeRequest> & { sourceBranch: string; title: string };

/** Opens a merge request, into `master` by default. */
function open(
  at: string,
  by: string,
  values: Opened,
  { assignee, milestone }: { assignee?: string; milestone?: string } = {},
): Scene {
  return {
    at,
    play: async (stage) =>
      createMergeRequest(await stage.as(by), {
        project,
        targetBranch: 'master',
        ...values,
        ...(assignee === undefined ? {} : { assigneeId: stage.user(assignee) }),
        ...(milestone === undefined ? {} : { milestoneId: stage.milestone(project, milestone) }),
      }),
  };
}

function note(at: string, by: string, on: NoteableRef, body: string): Scene {
  return { at, play: (stage) => said(stage, by, { on, body }) };
}

function award(at: string, by: string, on: NoteableRef, name: string): Scene {
  return { at, play: async (stage) => giveAward(await stage.as(by), on, name) };
}

async function said(stage: Stage, by: string, values: NewNote): Promise<void> {
  await createNote(await stage.as(by), values);
}

/** The commits of the latest version of a merge request. */
async function latest({ stores: { db }, ...stage }: Stage, iid: number) {
  const { baseCommitSha, startCommitSha, headCommitSha } = await db.mergeRequestVersion.findFirstOrThrow({
    where: { mergeRequest: { targetProjectId: stage.projects.get(project), iid } },
    orderBy: { id: 'desc' },
  });
  return { baseSha: baseCommitSha, startSha: startCommitSha, headSha: headCommitSha };
}
