import { expect, it } from 'vitest';
import { filledDescription } from '#src/domain/tracking/merge_requests/message.ts';

const facts = {
  title: 'A title',
  sourceBranch: 'topic',
  targetBranch: 'main',
  coAuthors: [],
  commits: [
    { message: 'Begin\n', isMerge: false },
    { message: "Merge branch 'main' into topic\n\nWith conflicts.", isMerge: true },
    { message: `Import\n\n${'x'.repeat(200_000)}`, isMerge: false },
    { message: 'End\n\nDone.', isMerge: false },
  ],
};

it('lists commits that are no merges, and the subject alone of long messages', () => {
  expect(filledDescription(facts, '%{all_commits}')).toBe('* Begin\n\n* Import\n\n* End\n\nDone.');
  const noImport = { ...facts, commits: facts.commits.filter((_commit, at) => at !== 2) };
  expect(filledDescription(noImport, '%{first_multiline_commit}')).toBe('End\n\nDone.');
  expect(filledDescription({ ...facts, commits: [] }, '%{first_multiline_commit}')).toBe('A title');
});

it('leaves out lines of nothing but an empty placeholder, and keeps the others with what is unknown', () => {
  expect(filledDescription(facts, '  - %{co_authored_by}\r\n%{co_authored_by}\r\n    %{title} %{x}')).toBe(
    '  - \n    %{title} %{x}',
  );
});

it('ends at its limit, however often a template names a long message', () => {
  const template = '%{first_multiline_commit}'.repeat(2_600);
  expect(filledDescription(facts, template).length).toBe(1024 * 1024);
});
