import { createBranch } from '#src/domain/repository/branches/create.ts';
import { protectBranch } from '#src/domain/repository/branches/protect.ts';
import { createCommitComment } from '#src/domain/tracking/commits/comment.ts';
import * as files from '#src/entrances/seed/content/apples_files.ts';
import { create, merge, push, tag, tipOf, update } from '#src/entrances/seed/push.ts';
import type { Scene } from '#src/entrances/seed/stage.ts';

const project = 'orchard/apples';
const branch = 'master';

/** The history of the project Apples. */
export const applesScenes: readonly Scene[] = [
  push({
    at: '2025-01-09 16:00',
    project,
    by: 'ada',
    branch,
    commits: [
      {
        at: '2025-01-09 11:02',
        message: 'Begin with a README',
        actions: [create('README.md', files.README), create('LICENSE', files.LICENSE)],
      },
      {
        at: '2025-01-09 15:41',
        message: 'Grade by diameter\n\nColour and bruises come later.',
        actions: [
          create('package.json', files.packageJson('0.1.0')),
          create('src/index.js', files.INDEX),
          create('src/grade.js', files.GRADE),
        ],
      },
    ],
  }),
  push({
    at: '2025-01-17 10:12',
    project,
    by: 'ben',
    branch,
    commits: [
      { at: '2025-01-16 18:30', message: 'Test the grades', actions: [create('test/grade.js', files.TEST)] },
      {
        by: 'chloe',
        message: 'Sort whole baskets',
        actions: [create('src/basket.js', files.BASKET), update('src/index.js', files.INDEX_BASKET)],
      },
    ],
  }),
  tag({ at: '2025-01-20 09:00', project, by: 'ada', name: 'v0.1.0', target: 'master' }),
  {
    at: '2025-01-20 09:10',
    play: async (stage) => createBranch(await stage.as('ada'), project, 'stable', 'v0.1.0'),
  },
  {
    at: '2025-01-20 09:11',
    play: async (stage) =>
      protectBranch(await stage.as('ada'), project, 'stable', { developersCanPush: false, developersCanMerge: true }),
  },
  push({
    at: '2025-02-03 09:30',
    project,
    by: 'ben',
    branch,
    commits: [{ message: 'Test and deploy in pipelines', actions: [create('.gitlab-ci.yml', files.CONFIG)] }],
  }),
  push({
    at: '2025-02-17 17:20',
    project,
    by: 'chloe',
    branch: 'fix/rounding',
    from: 'master',
    commits: [{ message: 'Show what is wrong with 69.6 mm', actions: [update('test/grade.js', files.TEST_EXACT)] }],
  }),
  push({
    at: '2025-02-18 09:45',
    project,
    by: 'chloe',
    branch: 'fix/rounding',
    commits: [{ message: 'Do not round diameters\n\nCloses #4', actions: [update('src/grade.js', files.GRADE_EXACT)] }],
  }),
  merge({ at: '2025-02-19 15:00', project, by: 'ben', branch: 'fix/rounding', into: 'master' }),
  push({
    at: '2025-02-28 11:00',
    project,
    by: 'ada',
    branch,
    commits: [
      {
        by: 'devika',
        at: '2025-02-27 13:15',
        message: 'Explain the grades',
        actions: [update('README.md', files.README_GRADES)],
      },
      { message: 'Version 1.0.0', actions: [update('package.json', files.packageJson('1.0.0'))] },
    ],
  }),
  tag({
    at: '2025-03-03 16:00',
    project,
    by: 'ada',
    name: 'v1.0.0',
    target: 'master',
    message: 'Version 1.0.0',
    notes: '## What is new\n\n- Baskets\n- Exact diameters (#4)',
  }),
  push({
    at: '2025-04-14 14:00',
    project,
    by: 'chloe',
    branch: 'feature/bruises',
    from: 'master',
    commits: [{ message: 'Count bruises', actions: [update('src/grade.js', files.GRADE_BRUISES)] }],
  }),
  merge({ at: '2025-04-28 10:00', project, by: 'ada', branch: 'feature/bruises', into: 'master' }),
  push({
    at: '2025-05-05 09:00',
    project,
    by: 'ben',
    branch,
    commits: [
      {
        message: 'Draw an apple, and tell how to pick one',
        actions: [
          { action: 'create', path: 'images/apple.png', content: files.PIXEL },
          create('docs/picking guide.md', '# Picking\n\nTwist, do not pull.\n'),
          create('docs/Äpfel.md', '# Äpfel\n\nGrüße aus dem Alten Land.\n'),
        ],
      },
      { message: 'Version 1.1.0', actions: [update('package.json', files.packageJson('1.1.0'))] },
    ],
  }),
  tag({
    at: '2025-05-12 16:00',
    project,
    by: 'ada',
    name: 'v1.1.0',
    target: 'master',
    message: 'Version 1.1.0',
    notes: 'Counts bruises.',
  }),
  push({
    at: '2025-06-20 16:30',
    project,
    by: 'chloe',
    branch: 'feature/cider-press',
    from: 'master',
    commits: [
      { at: '2025-06-19 18:00', message: 'Press cider', actions: [create('src/press.js', files.PRESS)] },
      {
        message: 'Move the test of grades beside the others',
        actions: [{ action: 'move', path: 'test/unit/grade.js', previousPath: 'test/grade.js' }],
      },
    ],
  }),
  comment('2025-02-18 10:30', 'ben', 'fix/rounding', { note: 'Good catch. One line, and it took us a month.' }),
  comment('2025-02-18 10:40', 'devika', 'fix/rounding', {
    note: 'What of diameters that are texts?',
    path: 'src/grade.js',
    line: 9,
    lineType: 'new',
  }),
];

function comment(
  at: string,
  by: string,
  ref: string,
  said: { note: string; path?: string; line?: number; lineType?: 'new' | 'old' },
): Scene {
  return {
    at,
    async play(stage) {
      const context = await stage.as(by);
      return createCommitComment(context, project, await tipOf(context, project, ref), said);
    },
  };
}
