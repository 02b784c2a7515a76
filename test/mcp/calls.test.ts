import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { tools } from '#mcp/tools.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { agent, call, post } from '../support/mcp.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const lines: Record<string, unknown>[] = [];
const world = await startWorld({ log: (line) => lines.push(line) });
const ann = await world.user();
const ben = await world.user();
const stranger = await world.user();
let project: ProjectRow;
let path: string;

const CONFIG = 'unit:\n  script: test\nlint:\n  script: lint\n';

beforeAll(async () => {
  project = await world.project({ owner: ann, visibility: 'private', name: 'wombat' });
  path = `${ann.username}/${project.path}`;
  await world.member(project, ben, 'developer');
  await withTopic(world, project, ann);
});

/** Answers of a tool that must succeed. */
const asked = async (client: Awaited<ReturnType<typeof agent>>, name: string, given: Json = {}): Promise<Json> => {
  const { value, texts, isError } = await call(client, name, given);
  expect([name, isError, isError ? texts : []]).toEqual([name, false, []]);
  expect(JSON.parse(texts[0] ?? '')).toEqual(value);
  return value;
};

describe('An agent', () => {
  it('reads and changes code, issues, merge requests and pipelines, each by a tool of its own', LONG, async () => {
    const { ...own } = await world.project({ owner: ann, visibility: 'private', name: 'quokka' });
    await world.member(own, ben, 'developer');
    const decoy = await world.project({ owner: stranger, visibility: 'private', name: 'quokka decoy' });
    await world.issue(decoy, stranger, { title: 'quokka of somebody else' });
    await withTopic(world, own, ann);
    const place = { project: `${ann.username}/${own.path}` };
    const client = await agent(world, ann.token);
    const called = new Set<string>();
    const ask = (name: string, given: Json = {}) => {
      called.add(name);
      return asked(client, name, given);
    };

    expect(await ask('get_viewer')).toMatchObject({ username: ann.username });
    const { nodes } = await ask('search_projects', { search: 'quokka' });
    expect(nodes.map(({ fullPath }: Json) => fullPath)).toEqual([place.project]);
    expect(await ask('get_project', place)).toMatchObject({ defaultBranch: 'master', viewerCanPush: true });

    const commit = await ask('commit_files', {
      ...place,
      branch: 'feature',
      startBranch: 'master',
      message: 'Add two files',
      actions: [
        { action: 'CREATE', filePath: 'src/one.ts', content: 'first\nthe marsupial jumps\nthird\n' },
        { action: 'CREATE', filePath: '.gitlab-ci.yml', content: CONFIG },
      ],
    });
    expect(commit.title).toBe('Add two files');
    const found = await ask('search_code', { ...place, search: 'marsupial', ref: 'feature' });
    expect(found.nodes).toEqual([expect.objectContaining({ path: 'src/one.ts' })]);
    const tree = await ask('list_files', { ...place, ref: 'feature', recursive: true });
    expect(tree.nodes.map((one: Json) => one.path)).toEqual(expect.arrayContaining(['a.txt', 'src', 'src/one.ts']));
    const file = { ...place, path: 'src/one.ts', ref: 'feature' };
    expect((await ask('read_file', file)).text).toBe('first\nthe marsupial jumps\nthird\n');
    expect((await ask('read_file', { ...file, fromLine: 2, lines: 1 })).text).toBe('the marsupial jumps\n');
    const commits = await ask('list_commits', { ...place, ref: 'feature' });
    expect(commits.nodes.map(({ title }: Json) => title)).toEqual(['Add two files', 'First']);
    const shown = await ask('get_commit', { ...place, ref: commit.sha });
    expect(shown.fileDiffs.nodes.map((one: Json) => one.newPath).sort()).toEqual(['.gitlab-ci.yml', 'src/one.ts']);
    const compared = await ask('compare_refs', { ...place, from: 'master', to: 'topic' });
    expect(compared.fileDiffs.nodes).toEqual([expect.objectContaining({ newPath: 'b.txt', diff: expect.any(String) })]);
    expect(await ask('create_branch', { ...place, name: 'other', ref: 'master' })).toMatchObject({ name: 'other' });
    const branches = await ask('list_branches', place);
    expect(branches.nodes.map(({ name }: Json) => name).sort()).toEqual(['feature', 'master', 'other', 'topic']);

    const { iid } = await ask('create_issue', {
      ...place,
      title: 'A quokka bug',
      description: 'It bites',
      labels: ['bug'],
    });
    await ask('create_issue', { ...place, title: 'Another one' });
    await ask('comment_on_issue', { ...place, iid, body: 'I can see it, too' });
    const issue = await ask('get_issue', { ...place, iid });
    expect(issue).toMatchObject({ title: 'A quokka bug', description: 'It bites', labelTitles: ['bug'] });
    expect(issue.notes.nodes.map(({ body }: Json) => body)).toContain('I can see it, too');
    expect(await ask('update_issue', { ...place, iid, stateEvent: 'CLOSE' })).toMatchObject({ iid, state: 'CLOSED' });
    const listed = await ask('list_issues', place);
    expect(listed.nodes.map(({ title }: Json) => title)).toEqual(['Another one']);
    const issues = await ask('search_issues', { search: 'quokka' });
    expect(issues.nodes.map(({ title }: Json) => title)).toEqual(['A quokka bug']);

    const created = await ask('create_merge_request', {
      ...place,
      sourceBranch: 'feature',
      targetBranch: 'master',
      title: 'Add the quokka',
    });
    const one = { ...place, iid: created.iid };
    expect(await ask('get_merge_request', one)).toMatchObject({ title: 'Add the quokka', sourceBranch: 'feature' });
    const { diffRefs, fileDiffs } = await ask('get_merge_request_diff', { ...one, path: 'src/one.ts' });
    expect(fileDiffs.nodes).toEqual([
      expect.objectContaining({ diff: expect.stringContaining('+the marsupial jumps') }),
    ]);
    const reviewer = await agent(world, ben.token);
    const remark = await asked(reviewer, 'comment_on_merge_request', {
      ...one,
      body: 'Does it?',
      position: { ...diffRefs, positionType: 'TEXT', newPath: 'src/one.ts', oldPath: 'src/one.ts', newLine: 2 },
    });
    const { discussionId } = remark;
    await ask('comment_on_merge_request', { ...one, body: 'It does', discussionId });
    const threads = await ask('list_merge_request_discussions', one);
    const [thread] = threads.nodes.filter(({ resolvable }: Json) => resolvable);
    expect(thread).toMatchObject({ resolved: false, position: { newPath: 'src/one.ts', newLine: 2 } });
    expect(thread.notes.nodes.map(({ body }: Json) => body)).toEqual(['Does it?', 'It does']);
    const resolved = await ask('resolve_merge_request_discussion', { ...one, discussionId: thread.id });
    expect(resolved).toMatchObject({ resolved: true });
    expect(await asked(reviewer, 'approve_merge_request', one)).toMatchObject({ approved: true });
    await asked(reviewer, 'unapprove_merge_request', one);
    for (const name of ['approve_merge_request', 'unapprove_merge_request']) called.add(name);
    expect((await ask('get_merge_request', one)).approvals).toEqual([]);
    await ask('update_merge_request', { ...one, title: 'Add the best quokka' });
    const requests = await ask('list_merge_requests', { ...place, targetBranch: 'master' });
    expect(requests.nodes.map(({ title }: Json) => title)).toEqual(['Add the best quokka']);
    expect((await ask('search_merge_requests', { search: 'best quokka' })).nodes).toHaveLength(1);

    const pipeline = await ask('create_pipeline', { ...place, ref: 'feature' });
    expect(await ask('cancel_pipeline', { ...place, id: pipeline.id })).toMatchObject({ status: 'CANCELED' });
    const { jobs } = await ask('get_pipeline', { ...place, id: pipeline.id });
    expect(jobs.nodes.map(({ name, status }: Json) => `${name} ${status}`).sort()).toEqual([
      'lint CANCELED',
      'unit CANCELED',
    ]);
    await ask('retry_job', { ...place, id: jobs.nodes[0].id });
    expect(await ask('retry_pipeline', { ...place, id: pipeline.id })).toMatchObject({ status: 'PENDING' });
    await asked(client, 'cancel_pipeline', { ...place, id: pipeline.id });
    const pipelines = await ask('list_pipelines', { ...place, ref: 'feature' });
    expect(pipelines.nodes.map(({ id }: Json) => id)).toContain(pipeline.id);
    const job = await takenJob(world, ann, own);
    await writeLog(job, 'compiling\nit failed\n');
    expect(await ask('get_job_log', { ...place, id: job.id })).toMatchObject({
      name: 'unit',
      traceTail: expect.stringContaining('it failed'),
    });

    expect(await ask('merge_merge_request', one)).toMatchObject({
      state: 'MERGED',
      mergeCommitSha: expect.any(String),
    });
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    expect(offered).toHaveLength(tools.length);
    expect([...called].sort()).toEqual([...offered].sort());
  });

  it('reads a list page by page', async () => {
    const client = await agent(world, ann.token);
    const many = await world.project({ owner: ann, visibility: 'private' });
    for (const title of ['one', 'two', 'three']) await world.issue(many, ann, { title });
    const place = { project: many.id, first: 2 };
    const first = await asked(client, 'list_issues', place);
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const next = await asked(client, 'list_issues', { ...place, after: first.pageInfo.endCursor });
    expect([...first.nodes, ...next.nodes].map(({ title }: Json) => title)).toEqual(['three', 'two', 'one']);
  });

  it('is told what is wrong with its arguments, and nothing is changed', async () => {
    const client = await agent(world, ann.token);
    const before = await world.db.issue.count({ where: { projectId: project.id } });
    const wrong: [name: string, given: Json, text: RegExp][] = [
      ['get_issue', { project: path, iid: 'seven' }, /iid/],
      ['get_issue', { project: path }, /iid/],
      ['get_issue', { project: path, iid: 4040 }, /NOT_FOUND/],
      ['get_issue', { project: path, iid: 1, colour: 'red' }, /no argument "colour"; there are project, iid/],
      ['list_issues', { project: path, state: 'half-open' }, /state/],
      ['list_issues', { project: path, first: -1 }, /first/],
      ['create_issue', { project: path, title: ['a', 'list'] }, /title/],
      ['create_issue', { project: path, title: '' }, /title/],
      ['create_issue', { project: path, title: { deep: { deeper: {} } } }, /title/],
      [
        'commit_files',
        { project: path, branch: 'master', message: 'm', actions: [{ action: 'BURN', filePath: 'a' }] },
        /action/,
      ],
      [
        'commit_files',
        {
          project: path,
          branch: 'master',
          message: 'm',
          actions: [{ action: 'CREATE', filePath: '../x', content: '' }],
        },
        /traversal/,
      ],
      ['read_file', { project: path, path: 'a.txt', fromLine: 0 }, /at least 1/],
      ['read_file', { project: path, path: 'missing.txt' }, /NOT_FOUND/],
    ];
    for (const [name, given, text] of wrong) {
      const { isError, texts, value } = await call(client, name, given);
      expect([name, given, isError, value]).toEqual([name, given, true, undefined]);
      expect(texts.join('\n')).toMatch(text);
    }
    expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(before);
  });

  it('is told that there is no such tool', async () => {
    const client = await agent(world, ann.token);
    await expect(client.callTool({ name: 'burn_everything', arguments: {} })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
      message: expect.stringContaining('no tool "burn_everything"'),
    });
    await expect(client.callTool({ name: 'constructor', arguments: {} })).rejects.toThrow('no tool');
  });

  it('finds nothing of projects that its user cannot see', LONG, async () => {
    await commitTo(world, project, ann, 'master', 'hidden.txt', 'bandicoot\n');
    await world.issue(project, ann, { title: 'A bandicoot' });
    await opened(world, project, ann, { title: 'Bandicoots' });
    const client = await agent(world, stranger.token);
    const one = { project: path, iid: 1 };
    for (const [name, given] of [
      ['get_project', { project: path }],
      ['search_code', { project: path, search: 'bandicoot' }],
      ['list_files', { project: path }],
      ['read_file', { project: path, path: 'hidden.txt' }],
      ['list_issues', { project: path }],
      ['get_issue', one],
      ['get_merge_request', one],
      ['get_merge_request_diff', one],
      ['comment_on_issue', { ...one, body: 'Hello' }],
      ['merge_merge_request', one],
    ] as const) {
      const { isError, texts } = await call(client, name, given);
      expect([name, isError, texts]).toEqual([name, true, [expect.stringMatching(/^NOT_FOUND: /)]]);
    }
    expect((await asked(client, 'search_issues', { search: 'bandicoot' })).nodes).toEqual([]);
    expect((await asked(client, 'search_merge_requests', { search: 'Bandicoots' })).nodes).toEqual([]);
    expect((await asked(client, 'search_projects', { search: 'wombat' })).nodes).toEqual([]);
    const member = await agent(world, ben.token);
    expect((await asked(member, 'search_issues', { search: 'bandicoot' })).nodes).toHaveLength(1);
  });

  it('gets a long result shortened, and is told so', async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}`).join('\n');
    await commitTo(world, project, ann, 'master', 'long.txt', text);
    const client = await agent(world, ann.token);
    const { value, texts, isError } = await call(client, 'read_file', { project: path, path: 'long.txt' });
    expect(isError).toBe(false);
    expect(value.text).toMatch(/^line 1\n.*\[… \d+ characters left out …\]\n.*line 20000$/s);
    expect(texts).toEqual([JSON.stringify(value), expect.stringMatching(/^The result was too long/)]);
    expect(texts[0]?.length).toBeLessThanOrEqual(60_000);
    const few = await asked(client, 'read_file', { project: path, path: 'long.txt', fromLine: 19_999 });
    expect(few.text).toBe('line 19999\nline 20000');
  });

  it('leaves one line in the log for each call', async () => {
    const client = await agent(world, ann.token);
    lines.length = 0;
    await call(client, 'get_viewer');
    await call(client, 'get_issue', { project: path, iid: 4040 });
    const told = lines.filter(({ msg }) => msg === 'tool call');
    expect(told).toEqual([
      expect.objectContaining({ tool: 'get_viewer', user: ann.id, failed: false, id: expect.any(String) }),
      expect.objectContaining({ tool: 'get_issue', user: ann.id, failed: true, ms: expect.any(Number) }),
    ]);
    expect(JSON.stringify(told)).not.toContain(path);
  });
});

describe('A token', () => {
  it('with read_api lists and calls the tools that read, and changes nothing', async () => {
    const client = await agent(world, await world.token(ann, ['read_api']));
    const { tools: offered } = await client.listTools();
    expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(['get_issue', 'read_file']));
    expect(offered.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    expect(await asked(client, 'get_project', { project: path })).toMatchObject({ fullPath: path });
    const before = await world.db.issue.count();
    const { isError, texts } = await call(client, 'create_issue', { project: path, title: 'Refused' });
    expect([isError, texts]).toEqual([true, [expect.stringMatching(/^INSUFFICIENT_SCOPE: /)]]);
    expect(await world.db.issue.count()).toBe(before);
  });

  it.each(['read_user', 'read_repository', 'write_repository'])('with %s alone is refused', async (scope) => {
    const token = await world.token(ann, [scope]);
    const { status, headers } = await post(world, ping, { Authorization: `Bearer ${token}` });
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_scope", scope="read_api", resource_metadata=/,
    );
  });

  it('works as a bearer token and in PRIVATE-TOKEN, and nowhere else', async () => {
    const ways: Record<string, string>[] = [{ Authorization: `Bearer ${ann.token}` }, { 'PRIVATE-TOKEN': ann.token }];
    for (const headers of ways) {
      expect(await post(world, ping, headers)).toMatchObject({
        status: 200,
        body: { id: 1, result: {} },
      });
    }
    const there = { headers: { Accept: 'application/json, text/event-stream' }, body: ping };
    expect((await world.send('POST', `/mcp?private_token=${ann.token}`, there)).status).toBe(401);
  });

  it('that was revoked no longer works', async () => {
    const token = await world.token(ann);
    const client = await agent(world, token);
    await asked(client, 'get_viewer');
    await world.api(token).delete('/personal_access_tokens/self');
    await expect(client.callTool({ name: 'get_viewer' })).rejects.toMatchObject({ code: 401 });
  });
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('The endpoint', () => {
  const auth = { Authorization: `Bearer ${ann.token}` };

  it('is closed to anonymous callers, who are told where tokens come from', async () => {
    const { status, headers, body } = await post(world, ping);
    expect([status, body.error.message]).toEqual([401, expect.any(String)]);
    expect(headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    const unknown = await post(world, ping, { Authorization: 'Bearer nonsense' });
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^Bearer error="invalid_token", resource_metadata=/),
    ]);
  });

  it('answers a batch of up to ten messages, each by itself', async () => {
    const get = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    });
    const { status, body } = await post(world, [get(1, 'get_viewer'), get(2, 'nothing'), { ...ping, id: 3 }], auth);
    expect(status).toBe(200);
    expect(body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 1, result: expect.objectContaining({ structuredContent: expect.any(Object) }) }),
        expect.objectContaining({ id: 2, error: expect.objectContaining({ code: ErrorCode.InvalidParams }) }),
        expect.objectContaining({ id: 3, result: {} }),
      ]),
    );
    const eleven = Array.from({ length: 11 }, (_, at) => get(at, 'get_viewer'));
    expect(await post(world, eleven, auth)).toMatchObject({ status: 400, body: { error: { message: /at most 10/ } } });
  });

  it('refuses what is too large, too deep or no message', LONG, async () => {
    const large = await post(world, { ...ping, params: { text: 'x'.repeat(4 * 1024 * 1024) } }, auth);
    expect([large.status, large.body.error.message]).toEqual([413, expect.stringContaining('4194304 bytes')]);
    let deep: Json = {};
    for (let at = 0; at < 200; at++) deep = { deep };
    const nested = await post(world, { ...ping, params: deep }, auth);
    expect([nested.status, nested.body.error.message]).toEqual([413, expect.stringContaining('100 levels deep')]);
    const levels = (count: number): Json => (count === 0 ? 'x' : [levels(count - 1)]);
    const argument = { name: 'create_issue', arguments: { project: path, title: levels(80) } };
    const called = await post(world, { ...ping, method: 'tools/call', params: argument }, auth);
    expect(called).toMatchObject({ status: 200, body: { result: { isError: true } } });
    for (const body of [{ hello: 1 }, [{ hello: 1 }], 'text', null]) {
      expect([body, (await post(world, body, auth)).status]).toEqual([body, 400]);
    }
    expect(await post(world, { ...ping, method: 'resources/list' }, auth)).toMatchObject({
      status: 200,
      body: { error: { code: ErrorCode.MethodNotFound } },
    });
  });

  it('has no sessions and no stream of its own, and lets pages of any origin ask', async () => {
    const get = await world.send('GET', '/mcp', { headers: { ...auth, Accept: 'text/event-stream' } });
    expect([get.status, get.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    const { status, headers } = await world.send('OPTIONS', '/mcp', { headers: { Origin: 'https://agent.example' } });
    expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Mcp-Protocol-Version/);
  });

  it('counts as requests to the API', async () => {
    const admin = await world.user({ admin: true });
    const limits = {
      throttle_authenticated_api_requests_per_period: 2,
      throttle_authenticated_api_period_in_seconds: 3600,
    };
    await world.api(admin).put('/application/settings', { throttle_authenticated_api_enabled: true, ...limits });
    try {
      const busy = { Authorization: `Bearer ${(await world.user()).token}` };
      await world.until(async () => (await post(world, ping, busy)).headers['ratelimit-limit'] !== undefined);
      const statuses = [];
      for (let at = 0; at < 3; at++) statuses.push((await post(world, ping, busy)).status);
      expect(statuses.at(-1)).toBe(429);
    } finally {
      await world.db.$executeRaw`UPDATE application_settings SET throttle_authenticated_api_enabled = false`;
    }
  });
});

/** Sends the log of a job, as its runner does. */
async function writeLog({ id, token }: { id: number; token: string }, text: string): Promise<void> {
  const { status } = await world.send('PATCH', `/api/v4/jobs/${id}/trace`, {
    headers: { 'JOB-TOKEN': token, 'Content-Type': 'text/plain', 'Content-Range': `0-${text.length - 1}` },
    body: text,
  });
  expect(status).toBe(202);
}
