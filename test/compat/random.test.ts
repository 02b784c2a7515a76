// Takes long: the long run has it.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { compatSchema } from '#compat/engine/schema.ts';
import { compatOf } from '../support/compat.ts';
import { LONG } from '../support/long.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { randomQuery, type Values } from '../support/random_documents.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const other = await world.user();
const group = await world.group({ owner, visibility: 'public' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
const hidden = await world.project({ owner, visibility: 'private' });
await withTopic(world, project, owner);
const merge = await opened(world, project, owner);
const label = await world.label(project, owner);
const milestone = await world.milestone(project, owner);
const issue = await world.issue(project, owner, { labels: [label.title], milestoneId: milestone.id });

const text = (value: string) => JSON.stringify(value);
const gid = (name: string, id: number) => text(`gid://gitlab/${name}/${id}`);

const VALUES: Values = {
  fullPath: [project.fullPath, group.fullPath, owner.username, hidden.fullPath, 'no/where', '', 'a\\u0000b'].map(text),
  iid: ['"1"', '"2"', '"x"', '"99999999999"', '""'],
  first: ['0', '1', '1000', '-1', '$two'],
  last: ['1', '500', '$two'],
  after: ['""', '"x"', 'null'],
  before: ['""', '"x"'],
  sha: ['"topic"', '"0000000000000000000000000000000000000000"'],
  ref: ['"master"', '"topic"', '"none"', '""'],
  path: ['""', '"a.txt"', '"none"'],
  paths: ['["a.txt", "none"]', '[]'],
  searchPattern: ['"*"', '"t*c"', '"[("', '""'],
  limit: ['10', '0', '-1'],
  offset: ['0', '3', '-1'],
  username: [text(owner.username), '"nobody"'],
  names: ['["a"]', '[]'],
  MergeRequestID: [gid('MergeRequest', merge.id), gid('MergeRequest', 999_999), gid('Issue', 1)],
  IssueID: [gid('Issue', issue.id), gid('Issue', 999_999), '"x"'],
  WorkItemID: [gid('WorkItem', issue.id), gid('WorkItem', 999_999)],
  CiRunnerID: [gid('Ci::Runner', 1)],
  SnippetID: [gid('ProjectSnippet', 1)],
  IterationsCadenceID: [gid('Iterations::Cadence', 1)],
  Time: ['"2031-01-02T03:04:05Z"', '"yesterday"', '"2001-01-01"'],
  ID: [gid('Project', project.id), '"1"', '"x"'],
  String: ['"a"', '""', text(label.title), '"%"', '"\\u0000"'],
  Boolean: ['true', 'false', '$yes', '$no'],
  Int: ['0', '1', '$two'],
};
const OFTEN = ['project', 'namespace', 'group', 'currentUser', 'mergeRequest', 'issue'];

/** Sends the documents of these seeds, as different callers. */
async function send(from: number, count: number): Promise<void> {
  const callers = [owner, other, null];
  const one = async (seed: number) => {
    const query = randomQuery(await compatSchema(), VALUES, seed, OFTEN);
    const { status, body } = await ask(query, { yes: true, no: false, two: 2 }, callers[seed % callers.length]);
    const codes = (body.errors ?? []).map((error: { extensions?: { code?: string } }) => error.extensions?.code);
    expect(
      [seed, status < 500, codes.includes('INTERNAL_SERVER_ERROR')],
      `${query}\n${JSON.stringify(body.errors)}`,
    ).toEqual([seed, true, false]);
  };
  for (let at = 0; at < count; at += 8) {
    await Promise.all(Array.from({ length: Math.min(8, count - at) }, (_, n) => one(from + at + n)));
  }
}

describe('Documents that nobody wrote', () => {
  it('are answered or refused, never with a failure', { timeout: 300_000 }, () => send(1, 300));

  // TEST_DOCUMENTS=500000 sends half a million of them, which takes hours.
  it('nor are many more of them', { ...LONG, timeout: 6 * 3_600_000 }, () =>
    send(10_001, Number(process.env.TEST_DOCUMENTS ?? 2_000)),
  );
});
