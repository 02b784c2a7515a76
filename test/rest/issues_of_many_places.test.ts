import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

/*
 * Lists across hundreds of projects look at the newest of the server first, and read project by project where that does not find
 * enough. Whichever finds them, the lists are the same.
 */
const world = await startWorld();
const [owner, reader, stranger] = [await world.user(), await world.user(), await world.user()];

/** As many projects as make a list look at the newest first, and issues of which each project has some. */
const [PROJECTS, ISSUES] = [700, 3_000];

interface Seeded {
  id: number;
  title: string;
  description: string;
  state: 'opened' | 'closed';
  labelled: boolean;
  seen: boolean;
  created: string;
  updated: string;
  due: string | null;
}

/** The issues by which the lists are worked out once more. */
let seeded: Seeded[] = [];

beforeAll(async () => {
  const group = await world.group({ owner });
  const secret = await world.group({ owner });
  await world.member(group, reader, 'guest');
  const { db } = world;
  // Every fourth project is nothing that the reader knows of, and in every fifth it sees what is confidential, too.
  await db.$executeRaw`INSERT INTO projects (namespace_id, creator_id, name, path, visibility, runners_token)
    SELECT CASE WHEN p % 4 = 0 THEN ${secret.id}::int ELSE ${group.id}::int END, ${owner.id}::int, 'Many ' || p, 'many-' || p, 'private', ''
    FROM generate_series(1, ${PROJECTS}::int) p`;
  await db.$executeRaw`INSERT INTO members (user_id, project_id, access_level)
    SELECT ${reader.id}::int, id, 20 FROM projects WHERE namespace_id = ${group.id}::int AND id % 5 = 0`;
  await db.$executeRaw`INSERT INTO labels (group_id, title, color) VALUES (${group.id}::int, 'wanted', '#ff0000')`;
  await db.$executeRaw`INSERT INTO issues (iid, project_id, title, description, state, confidential, author_id, assignee_id, created_at, updated_at,
      due_date, deleted_at)
    SELECT row_number() OVER (PARTITION BY project_id), project_id, 'Issue ' || n || CASE WHEN n % 7 = 0 THEN ' of a heron' ELSE '' END,
      CASE WHEN n % 11 = 0 THEN 'A heron' WHEN n = 1500 THEN 'quetzal' ELSE '' END, (CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'opened' END)::issue_state,
      n % 13 = 0, CASE WHEN n % 26 = 0 THEN ${reader.id}::int ELSE ${owner.id}::int END, NULL,
      timestamptz '2026-01-01' + n * interval '1 minute', timestamptz '2026-03-01' + (n * 7919 % ${ISSUES}::int) * interval '1 minute',
      CASE WHEN n % 17 = 0 THEN date '2027-01-01' + n END, CASE WHEN n % 19 = 0 THEN now() END
    FROM generate_series(1, ${ISSUES}::int) n, LATERAL (SELECT id AS project_id FROM projects WHERE path = 'many-' || (1 + n * 31 % ${PROJECTS}::int)) p`;
  await db.$executeRaw`INSERT INTO issue_labels (issue_id, label_id)
    SELECT i.id, l.id FROM issues i JOIN projects p ON p.id = i.project_id, labels l WHERE i.id % 2 = 0 AND p.namespace_id = ${group.id}::int`;
  await db.$executeRaw`ANALYZE`;
  seeded = await db.$queryRaw<
    Seeded[]
  >`SELECT i.id, i.title, i.description, i.state::text, i.created_at::text AS created, i.updated_at::text AS updated,
      i.due_date::text AS due, EXISTS (SELECT 1 FROM issue_labels il WHERE il.issue_id = i.id) AS labelled,
      p.namespace_id = ${group.id}::int AND i.deleted_at IS NULL AND (NOT i.confidential OR i.author_id = ${reader.id}::int OR p.id % 5 = 0) AS seen
    FROM issues i JOIN projects p ON p.id = i.project_id`;
}, 120_000);

/** The titles that a list has, worked out here. */
function expected(
  keeps: (issue: Seeded) => boolean,
  by: (issue: Seeded) => string,
  direction: 'asc' | 'desc',
): string[] {
  const sign = direction === 'asc' ? 1 : -1;
  return seeded
    .filter((issue) => issue.seen && keeps(issue))
    .sort((a, b) => sign * (by(a) === by(b) ? a.id - b.id : by(a) < by(b) ? -1 : 1))
    .map(({ title }) => title);
}

const holds = (text: string) => (issue: Seeded) => `${issue.title}\n${issue.description}`.includes(text);
const created = (issue: Seeded) => issue.created;
const updated = (issue: Seeded) => issue.updated;

const LISTS: [
  query: string,
  keeps: (issue: Seeded) => boolean,
  by: (issue: Seeded) => string,
  direction: 'asc' | 'desc',
][] = [
  ['', () => true, created, 'desc'],
  ['state=closed&sort=asc', ({ state }) => state === 'closed', created, 'asc'],
  ['order_by=updated_at', () => true, updated, 'desc'],
  ['order_by=updated_at&sort=asc&state=opened', ({ state }) => state === 'opened', updated, 'asc'],
  ['labels=None', ({ labelled }) => !labelled, created, 'desc'],
  ['not[labels]=wanted&order_by=updated_at', ({ labelled }) => !labelled, updated, 'desc'],
  ['search=heron', holds('heron'), created, 'desc'],
  ['search=heron&order_by=updated_at&sort=asc', holds('heron'), updated, 'asc'],
  [
    'search=heron&in=title&state=closed',
    ({ title, state }) => title.includes('heron') && state === 'closed',
    created,
    'desc',
  ],
  ['search=quetzal', holds('quetzal'), created, 'desc'],
  ['search=ue', holds('ue'), created, 'desc'],
  ['due_date=any', ({ due }) => due !== null, created, 'desc'],
];

describe('A list of issues across hundreds of projects', () => {
  it.each(LISTS)(
    '%s is what its issues are, on its first pages, one in the middle and the last',
    async (query, keeps, by, direction) => {
      const all = expected(keeps, by, direction);
      const api = world.api(reader);
      const pages = new Set([1, 2, Math.ceil(all.length / 40), Math.ceil(all.length / 20)]);
      for (const page of [...pages].filter((one) => one > 0)) {
        for (const more of ['', '&pagination=keyset']) {
          const { status, body, headers } = await api.get(`/issues?scope=all&per_page=20&page=${page}&${query}${more}`);
          expect(status).toBe(200);
          expect(
            body.map(({ title }: { title: string }) => title),
            `${query}${more}, page ${page}`,
          ).toEqual(all.slice((page - 1) * 20, page * 20));
          expect(headers['x-total']).toBe(String(all.length));
        }
      }
    },
  );

  it('has every issue once, for who follows its cursors', LONG, async () => {
    const all = expected(holds('heron'), created, 'desc');
    const found: string[] = [];
    const document = `query ($after: String) { issues(first: 100, after: $after, filter: { scope: ALL, search: "heron" }) {
      totalCount pageInfo { hasNextPage endCursor } nodes { title } } }`;
    for (let after: string | null = null, isLast = false; !isLast; ) {
      const { issues }: Json = (await world.graphql(document, { after }, reader)).body.data;
      expect(issues.totalCount).toBe(all.length);
      found.push(...issues.nodes.map(({ title }: { title: string }) => title));
      [after, isLast] = [issues.pageInfo.endCursor, !issues.pageInfo.hasNextPage];
    }
    expect(found).toEqual(all);
  });

  it('is as empty for strangers as it is for visitors', async () => {
    for (const query of ['', 'search=heron', 'order_by=updated_at']) {
      const { body, headers } = await world.api(stranger).get(`/issues?scope=all&${query}`);
      expect([body, headers['x-total']]).toEqual([[], '0']);
    }
  });

  it('leaves out what was deleted, and has what was written a moment ago', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const issue = await world.issue(project, owner, { title: 'A late heron' });
    const first = async () => (await world.api(reader).get('/issues?scope=all&search=heron&per_page=1')).body[0].title;
    expect(await first()).toBe('A late heron');
    await world.api(owner).delete(`/projects/${project.id}/issues/${issue.iid}`);
    expect(await first()).not.toBe('A late heron');
  });
});

describe('The events of what a person is a member of, across hundreds of projects', () => {
  it('are those of its projects, whatever went on in others meanwhile', async () => {
    await world.db
      .$executeRaw`INSERT INTO events (project_id, author_id, action, target_type, target_id, target_title, created_at)
      SELECT i.project_id, i.author_id, 'opened', 'Issue', i.id, i.title, i.created_at FROM issues i WHERE i.title LIKE 'Issue %' ORDER BY i.created_at`;
    const all = expected(() => true, created, 'desc');
    const document = `query ($first: Int, $offset: Int) { events(scope: ALL, first: $first, offset: $offset) { totalCount nodes { targetTitle } } }`;
    for (const offset of [0, 40, all.length - 20]) {
      const { events } = (await world.graphql(document, { first: 20, offset }, reader)).body.data;
      expect(events.nodes.map((event: { targetTitle: string }) => event.targetTitle)).toEqual(
        all.slice(offset, offset + 20),
      );
      expect(events.totalCount).toBe(all.length);
    }
  });
});
