import pg from 'pg';
import { tokenHash } from '#src/platform/secrets.ts';
import { generateLoad, send } from '../load.ts';
import type { BenchServer } from '../server.ts';

/** Sessions of the member and the administrator of `listTokens`. */
const SESSIONS = { member: 'large-member-session', admin: 'large-admin-session' };

/** What is typed and searched for: a word that many records have, one that few have, and one that none has. */
const TEXTS = ['server', 'quaternion', 'zyxxyz'];

/** A page or a part of one, and for whom besides visitors. */
type Visited = [path: string, who: readonly string[]];

/** Pages that show something of the whole server, of a project and a group with much in them, and what completes texts. */
function pagesAt(project: string, group: string): Visited[] {
  const [everybody, people] = [
    ['member', 'admin', 'visitor'],
    ['member', 'admin'],
  ];
  const scopes = ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'groups'];
  const searches = ['', ...scopes.map((scope) => `&scope=${scope}`)];
  const marks = ['@', '#', '!', '~', '%'];
  return [
    ...[
      '/',
      '/dashboard/issues',
      '/dashboard/issues?state=closed',
      '/dashboard/merge_requests',
      '/dashboard/todos',
    ].map((path): Visited => [path, people]),
    ...['/explore', '/explore/groups', `/${group}`, `/groups/${group}/-/activity`, '/user1', '/user1.atom'].map(
      (path): Visited => [path, everybody],
    ),
    ...['issues', 'issues?sort=due_date', 'issues?label_name=label-03', 'merge_requests', 'milestones', 'labels'].map(
      (path): Visited => [`/groups/${group}/-/${path}`, people],
    ),
    ...[
      '',
      '.atom',
      ...['issues', 'issues?state=all', 'issues?sort=popularity', 'issues?search=server', 'issues?label_name=label-03'],
      ...['issues/1', 'issues/new', 'boards', 'merge_requests', 'labels', 'milestones', 'project_members', 'pipelines'],
      'jobs',
    ].map(
      (path): Visited => [path === '' || path === '.atom' ? `/${project}${path}` : `/${project}/-/${path}`, people],
    ),
    ...['users', 'groups', 'projects', 'users?search=user77', 'projects?search=project-77'].map(
      (path): Visited => [`/admin/${path}`, ['admin']],
    ),
    ...TEXTS.flatMap((text) => searches.map((scope): Visited => [`/search?search=${text}${scope}`, everybody])),
    ...['', ...TEXTS, '12'].flatMap((text): Visited[] => [
      [`/-/palette?text=${text}`, people],
      [`/-/palette?text=${text}&project=${encodeURIComponent(project)}`, people],
      ...['project', 'group', 'namespace', 'user'].map(
        (kind): Visited => [`/-/choices?kind=${kind}&text=${text}`, people],
      ),
      ...marks.map(
        (mark): Visited => [
          `/${project}/-/completion?mark=${encodeURIComponent(mark)}&text=${text}&on=Issue&iid=1`,
          people,
        ],
      ),
    ]),
  ];
}

/**
 * Loads pages and what completes texts, one after another, as a member, an administrator and a visitor.
 *
 * @param target milliseconds (p50) that are not reported
 * @returns who, the page, and p50 and the longest in ms, of each that takes longer or is refused, and how many there were
 */
export async function measureLargePages(
  server: BenchServer,
  databaseUrl: string,
  target: number,
  wanted: RegExp,
): Promise<{ slow: string[][]; count: number }> {
  const slow: string[][] = [];
  let count = 0;
  const { project, group } = await prepare(databaseUrl);
  for (const [path, all] of pagesAt(project, group).filter(([path]) => wanted.test(path))) {
    for (const who of all) {
      count += 1;
      const session = SESSIONS[who as keyof typeof SESSIONS];
      const cookie: Record<string, string> = session === undefined ? {} : { Cookie: `gantry_session=${session}` };
      const call = { path, headers: { ...cookie, Accept: 'text/html, application/json' } };
      const { status } = await send(server.url, call);
      if (status === 302) continue;
      if (status !== 200) {
        slow.push([who, path, String(status), '']);
        continue;
      }
      const load = { url: server.url, call: () => call, connections: 1 };
      await generateLoad({ ...load, milliseconds: 600, count: 3 });
      const { p50, p99 } = await generateLoad({ ...load, milliseconds: 1_000, count: 15 });
      if (p50 > target) slow.push([who, path, p50.toFixed(0), p99.toFixed(0)]);
    }
  }
  return { slow, count };
}

/** Signs the member and the administrator in. */
async function prepare(databaseUrl: string): Promise<{ project: string; group: string }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [index, session] of Object.values(SESSIONS).entries()) {
      await client.query('INSERT INTO sessions (user_id, token_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        index + 1,
        tokenHash(session),
      ]);
    }
    const { rows } = await client.query<{ project: string; group: string }>(
      `SELECT n.full_path || '/' || p.path AS project, (SELECT full_path FROM namespaces WHERE id = 1) AS group
       FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = 1`,
    );
    if (rows[0] === undefined) throw new Error('The data have no project');
    return rows[0];
  } finally {
    await client.end();
  }
}
