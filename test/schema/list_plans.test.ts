import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { listStatements, listTokens } from '../bench/lists/dataset.ts';
import { graphqlLists, type List, restLists } from '../bench/lists/lists.ts';
import { everyNth, itEveryNth, LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

/** Enough of everything for PostgreSQL to find indexes worth their while, a hundredth to a tenth of what the bench has. */
const SIZE = { users: 2_000, groups: 60, projects: 200, issues: 20_000, events: 50_000 };

const world = await startWorld();
const client = new pg.Client({ connectionString: world.databaseUrl, options: '-c plan_cache_mode=force_generic_plan' });
await client.connect();
afterAll(() => client.end());
for (const statement of listStatements(SIZE)) await client.query(statement);

/** Tables that grow with what people do. What a server has few of, and is listed whole, may be read whole. */
const LARGE = new Set([
  'audit_events',
  'author_event_counts',
  'award_emoji',
  'board_lists',
  'container_blobs',
  'container_manifests',
  'container_repositories',
  'container_repository_blobs',
  'container_tags',
  'deployments',
  'emails',
  'events',
  'hook_deliveries',
  'hook_events',
  'hooks',
  'issue_assignees',
  'issue_labels',
  'issue_links',
  'issues',
  'jobs',
  'labels',
  'members',
  'merge_request_assignees',
  'merge_request_labels',
  'merge_request_reviewers',
  'merge_request_versions',
  'merge_requests',
  'milestones',
  'notes',
  'notification_settings',
  'personal_access_tokens',
  'package_files',
  'packages',
  'pipelines',
  'project_deploy_keys',
  'project_event_counts',
  'release_links',
  'release_milestones',
  'releases',
  'snippets',
  'ssh_keys',
  'state_events',
  'timelogs',
  'todos',
]);

/**
 * Lists of the whole server that keep most records or sort them by what other tables have: as all of them are counted, to read
 * these tables whole may be the best plan.
 */
const WHOLE =
  /personal_?access_?tokens.*state|\?scope=all&(order_by=(closed_at|label_priority|milestone_due|popularity|priority)&|labels=(None|Any)$|milestone_id=|not)/i;
const READ_WHOLE = new Set(['award_emoji', 'personal_access_tokens', 'issues', 'merge_requests', 'milestones']);

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Node[];
}

/** All parts of the plans by which the database answers a page of a list, as it plans them for all values. */
async function planOf(list: List, page = 2): Promise<Node[]> {
  const { path, body } = list.page(page);
  const headers = { 'PRIVATE-TOKEN': list.token };
  const statements = await world.statements(async () => {
    const { status } = await world.send(list.method, path, { headers, body: body && JSON.parse(body) });
    expect(status, list.name).toBe(200);
  });
  const nodes: Node[] = [];
  for (const statement of statements)
    if (/^\s*(SELECT|WITH)/i.test(statement)) nodes.push(...parts(await explain(statement)));
  return nodes;
}

async function explain(statement: string): Promise<Node> {
  const count = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const values = Array.from({ length: count }, () => 'NULL').join(', ');
  await client.query(`PREPARE wanted AS ${statement}`);
  try {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE wanted${count > 0 ? ` (${values})` : ''}`);
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('DEALLOCATE wanted');
  }
}

function parts(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(parts)];
}

const lists = [...restLists(), ...graphqlLists()];

describe('Of a large table', () => {
  const named = lists.map((list) => [list.name, list] as const);

  for (const [options, some] of everyNth(36, named)) {
    it.each(some)('%s reads what it finds by an index', options, async (_, list) => {
      const scans = (await planOf(list)).filter((node) => node['Node Type'] === 'Seq Scan');
      const scanned = scans.map((node) => node['Relation Name'] ?? '');
      const { name } = list;
      // Where what was found may have most reactions, or most closings, these are read whole.
      const isVoted = (table: string) =>
        (table === 'award_emoji' && name.includes('order_by=popularity')) ||
        (table === 'state_events' && name.includes('order_by=closed_at'));
      const mayBe = (table: string) =>
        !LARGE.has(table) || isVoted(table) || (WHOLE.test(name) && READ_WHOLE.has(table));
      expect(scanned.filter((table) => !mayBe(table))).toEqual([]);
    });
  }
});

describe('Each order of', () => {
  // What other tables have no index orders: what the filter keeps is sorted.
  const KEYED = /order_by=(closed_at|label_priority|milestone_due|popularity|priority)&/;
  const ordered = restLists().filter(
    ({ name }) =>
      /^GET \/projects\/:id\/(issues|merge_requests|pipelines)\?order_by=(?!id)/.test(name) && !KEYED.test(name),
  );
  /** Those of columns that may be null, which are last in both directions. */
  const DOWNWARDS: Record<string, string> = {
    'order_by=due_date&sort=desc': 'issues_live_due_date_desc',
    'order_by=merged_at&sort=desc': 'merge_requests_merged_desc',
  };

  itEveryNth(
    6,
    ordered.map((list) => [list.name, list] as const),
  )('%s is that of an index', async (name, list) => {
    const column = /order_by=(\w+)/.exec(name)?.[1] ?? '';
    const used = (await planOf(list)).flatMap((node) => node['Index Name'] ?? []);
    const ownIndex = name.includes('issues')
      ? `issues_live_${column.replace('_at', '')}`
      : name.includes('merge_requests')
        ? `merge_requests_target_project_id_${column}_id_idx`
        : `pipelines_project_id_${column}_id_idx`;
    expect(used).toContain(DOWNWARDS[name.slice(name.indexOf('?') + 1)] ?? ownIndex);
  });

  const ofUsers = ['author', 'assignee'].flatMap((role) => ['created_at', 'updated_at'].map((by) => [role, by]));

  it.each(ofUsers)('User.issues (%s) by %s is that of an index', async (role = '', by = '') => {
    const query = `{ viewer { issues(role: ${role.toUpperCase()}, orderBy: ${by.toUpperCase()}) { nodes { id } } } }`;
    const page = () => ({ path: '/graphql', body: JSON.stringify({ query }) });
    const nodes = await planOf({ name: query, token: listTokens.member, method: 'POST', page, total: () => 0 });
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toContain(`issues_${role}_id_${by}_id_idx`);
  });
});

/** The filters of merge requests that name a person, with the index that finds those of the person wherever they are. */
const OF_PEOPLE: [filter: string, index: string][] = [
  ['author_id=3', 'merge_requests_author_id_'],
  ['author_username=user3', 'merge_requests_author_id_'],
  ['scope=created_by_me', 'merge_requests_author_id_'],
  ['assignee_id=3', 'merge_requests_assignee_id_'],
  ['assignee_username=user3', 'merge_requests_assignee_id_'],
  ['scope=assigned_to_me', 'merge_requests_assignee_id_'],
  ['reviewer_id=3', 'merge_request_reviewers_user_id_'],
  ['reviewer_username=user3', 'merge_request_reviewers_user_id_'],
  ['scope=reviews_for_me', 'merge_request_reviewers_user_id_'],
  ['merge_user_id=3', 'merge_requests_merge_user_id_'],
];

/** The other ones, with the index that finds them in each project, as a regular expression. */
const OF_PROJECTS: [filter: string, index: string][] = [
  ['state=opened', 'merge_requests_target_project_id_state_'],
  ['state=merged', 'merge_requests_target_project_id_state_'],
  ['source_branch=topic-1', 'merge_requests_target_project_id_source_branch_'],
  ['target_branch=main', 'merge_requests_(target_project_id_|merged_desc)'],
  ['labels=label-03', 'merge_request_labels_label_id_'],
  ['labels=label-03,label-07', 'merge_request_labels_label_id_'],
  ['labels=label-03&not[labels]=label-07&milestone=milestone-3&state=opened', 'merge_request_labels_label_id_'],
  ['environment=place-1', 'deployments_project_id_sha_'],
  ['deployed_after=2026-01-01', 'deployments_project_id_sha_'],
];

describe('Merge requests of a member', () => {
  const plan = async (place: string, filter: string) => {
    const scope = filter.startsWith('scope=') ? '' : 'scope=all&';
    const path = `/api/v4${place}/merge_requests?${scope}${filter}&per_page=20`;
    const nodes = await planOf({
      name: path,
      token: listTokens.member,
      method: 'GET',
      page: () => ({ path }),
      total: () => 0,
    });
    const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? '');
    expect(scanned.filter((table) => /^merge_request/.test(table))).toEqual([]);
    return nodes.flatMap((node) => node['Index Name'] ?? []);
  };
  const anywhere = (filters: [string, string][], places: string[]) =>
    filters.flatMap(([filter, index]) => places.map((place) => [filter, place, index] as const));

  itEveryNth(6, anywhere(OF_PEOPLE, ['', '/groups/1']))(
    'by %s at %s/merge_requests are found by what is of the person, not project by project',
    async (filter, place, index) => {
      const used = await plan(place, filter);
      expect(used.filter((name) => name.startsWith(index))).not.toEqual([]);
      expect(used.filter((name) => name.startsWith('merge_requests_target_project_id_'))).toEqual([]);
    },
  );

  itEveryNth(6, anywhere(OF_PROJECTS, ['', '/groups/1', '/projects/1']))(
    'by %s at %s/merge_requests are found by an index in each project',
    async (filter, place, index) => {
      const used = await plan(place, filter);
      expect(used.filter((name) => new RegExp(`^${index}`).test(name))).not.toEqual([]);
    },
  );
});

describe('A list', () => {
  it('is worked out once, with its total', async () => {
    const users = lists.find(({ name }) => name === 'GET /users');
    const nodes = users ? await planOf(users) : [];
    // That of the page, and the one around it that says how few these are.
    expect(nodes.filter((node) => node['Node Type'] === 'Limit')).toHaveLength(2);
    // Each user of the page has counts besides.
    const aggregates = nodes.filter((node) => node['Node Type'] === 'Aggregate');
    expect(aggregates.filter((node) => node['Parent Relationship'] !== 'SubPlan')).toHaveLength(2);
  });
});

describe('The counts of events', () => {
  const asked = async () => {
    const { rows } = await client.query(`SELECT (SELECT json_agg(c ORDER BY c.project_id, c.author_id, c.kind) FROM
         (SELECT * FROM author_event_counts WHERE count <> 0) c)::text AS authors,
        (SELECT json_agg(c ORDER BY c.project_id, c.kind, c.slot) FROM (SELECT * FROM project_event_counts WHERE count <> 0) c)::text
          AS projects`);
    return rows[0];
  };

  it('are what there is to count, after everything that changes them', LONG, async () => {
    const asked = async () => {
      const { rows } = await client.query(`SELECT (SELECT json_agg(c ORDER BY c.project_id, c.author_id, c.kind) FROM
          (SELECT * FROM author_event_counts WHERE count <> 0) c)::text AS authors,
        (SELECT json_agg(c ORDER BY c.project_id, c.kind, c.slot) FROM (SELECT * FROM project_event_counts WHERE count <> 0) c)::text
          AS projects`);
      return rows[0];
    };
    await client.query(`UPDATE issues SET confidential = NOT confidential WHERE id % 50 = 0`);
    await client.query(`UPDATE issues SET deleted_at = now() WHERE id % 70 = 0 AND deleted_at IS NULL`);
    await client.query(`INSERT INTO events (project_id, author_id, action, target_type, target_id, data)
      SELECT i.project_id, 1 + i.id % 9, 'destroyed', 'Issue', i.id, NULL::jsonb FROM issues i WHERE i.id % 70 = 0
      UNION ALL SELECT 3, 4, 'pushed to', NULL, NULL, '{}' UNION ALL SELECT 3, 4, 'commented on', 'Note', 1, NULL
      UNION ALL SELECT 3, 4, 'of a kind that nobody knows', 'Wiki', 1, NULL`);
    await client.query('UPDATE events SET author_id = 5 WHERE author_id = 6');
    await client.query('DELETE FROM events WHERE id % 60 = 0');
    await client.query('DELETE FROM project_counters WHERE project_id = 8; DELETE FROM projects WHERE id = 8');
    const kept = await asked();
    await client.query('SELECT count_all_events()');
    expect(kept).toEqual(await asked());
  });

  it(
    'are right when an issue becomes confidential while an event of it is deleted, whichever is first',
    LONG,
    async () => {
      const other = new pg.Client(world.databaseUrl);
      await other.connect();
      const { rows } = await client.query(`SELECT e.target_id AS issue, min(e.id) AS event FROM events e
      JOIN issues i ON e.target_type = 'Issue' AND i.id = e.target_id
      WHERE NOT i.confidential AND i.deleted_at IS NULL GROUP BY 1 LIMIT 2`);
      type Change = [text: string, values: number[]];
      const hide = ({ issue }: { issue: number }): Change => [
        'UPDATE issues SET confidential = TRUE WHERE id = $1',
        [issue],
      ];
      const forget = ({ event }: { event: number }): Change => ['DELETE FROM events WHERE id = $1', [event]];
      const pairs: [Change, Change][] = [
        [hide(rows[0]), forget(rows[0])],
        [forget(rows[1]), hide(rows[1])],
      ];
      for (const [first, second] of pairs) {
        await other.query('BEGIN');
        await other.query(...first);
        const waiting = client.query(...second);
        await Promise.race([waiting, setTimeout(300)]);
        await other.query('COMMIT');
        await waiting;
      }
      await other.end();
      const kept = await asked();
      await client.query('SELECT count_all_events()');
      expect(kept).toEqual(await asked());
    },
  );
});
