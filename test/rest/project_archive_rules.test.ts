import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { exported, imported, packed, records, richProject, unpacked } from '../support/project_archives.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const admin = await world.user({ admin: true });
const stranger = await world.user();

let source: { id: number };
let archive: Buffer;

beforeAll(async () => {
  source = await richProject(world, { owner, developer });
  archive = await exported(world, world.api(admin), admin, source);
});

/** The rules of a project, without what is another's there. */
async function rulesOf(id: number): Promise<Json> {
  const at = `/projects/${id}`;
  const api = world.api(admin);
  const get = async (rest: string) => (await api.get(`${at}${rest}`)).body;
  const project = await get('');
  const { next_run_at: _next, ...policy } = project.container_expiration_policy;
  const protectedBranches = await get('/protected_branches');
  return {
    approvals: (await get('/approval_rules')).map((rule: Json) => ({
      name: rule.name,
      type: rule.rule_type,
      required: rule.approvals_required,
      users: rule.users.map(({ username }: Json) => username),
      branches: rule.protected_branches.map(({ name }: Json) => name),
    })),
    codeOwners: protectedBranches.map((one: Json) => [one.name, one.code_owner_approval_required]),
    push: Object.fromEntries(
      Object.entries(await get('/push_rule')).filter(([name]) => !/^(id|project_id|created_at)$/.test(name)),
    ),
    tags: (await get('/registry/protection/tag/rules')).map(({ id: _id, project_id: _project, ...rule }: Json) => rule),
    policy,
    pages: project.pages_access_level,
  };
}

describe('An archive of a project', () => {
  it('brings its rules along: of approvals, pushes, images and sites', async () => {
    const { id, ...record } = await imported(world, admin, { archive, path: world.unique('ruled') });
    expect(record.import_status).toBe('finished');
    const rules = await rulesOf(id);
    expect(rules).toEqual(await rulesOf(source.id));
    expect(rules).toMatchObject({
      approvals: [
        { name: 'Developers', users: [developer.username], branches: ['stable-*'], required: 1 },
        { name: 'Anybody', type: 'any_approver', users: [], branches: [], required: 2 },
      ],
      push: { commit_message_regex: 'JIRA-\\d+', max_file_size: 7 },
      tags: [{ tag_name_pattern: 'v.+' }],
      policy: { enabled: true, cadence: '7d', keep_n: 5, name_regex_keep: 'v.+' },
      pages: 'private',
    });
    const settings = await world.db.pagesSettings.findUniqueOrThrow({ where: { projectId: id } });
    expect(settings).toMatchObject({ httpsOnly: false, uniqueDomainEnabled: true });
    expect(settings.uniqueDomain).not.toBe(`unique-${source.id}`);
    const domains = await world.db.pagesDomain.findMany({ where: { projectId: id } });
    expect(domains).toMatchObject([
      { domain: 'fruit.example.net', autoSslEnabled: false, verifiedAt: null, enabledUntil: null },
    ]);
    expect(domains[0]?.verificationCode).toMatch(/^[0-9a-f]{32}$/);
  });

  it('names integrations, and has none of their secrets', LONG, async () => {
    const directory = unpacked(archive);
    expect(records(directory, 'integrations')).toEqual([{ id: expect.any(Number), slug: 'slack' }]);
    rmSync(directory, { recursive: true });
    const record = await imported(world, admin, { archive, path: world.unique('named') });
    expect(record.failed_relations).toMatchObject([
      { relation_name: 'integrations', exception_message: expect.stringContaining('slack') },
    ]);
    expect(await world.db.integration.count({ where: { projectId: record.id } })).toBe(0);
  });

  it('leaves out approval rules of users without an account here, and says so', LONG, async () => {
    const own = await exported(world, world.api(owner), owner, source);
    const record = await imported(world, stranger, { archive: own, path: world.unique('nobodys') });
    expect(record).toMatchObject({
      import_status: 'finished',
      failed_relations: expect.arrayContaining([
        expect.objectContaining({
          relation_name: 'approval_rules',
          exception_message: expect.stringMatching(/account/),
        }),
      ]),
    });
    expect((await rulesOf(record.id)).approvals.map(({ name }: Json) => name)).toEqual(['Anybody']);
  });

  itEveryNth(4, [
    ['push_rules', { commit_message_regex: '(' }, /commit_message_regex/],
    ['push_rules', { max_file_size: -1 }, /max_file_size/],
    ['container_tag_rules', { tag_name_pattern: '(' }, /./],
    ['container_policies', { cadence: '1 second' }, /./],
    ['approval_rules', { approvals_required: 101 }, /approvals_required/],
    ['approval_rules', { rule_type: 'code_owner' }, /rule_type/],
  ])('is refused with %s that are %o', async (kind, change, message) => {
    const directory = unpacked(archive);
    const file = path.join(directory, 'tree', `${kind}.ndjson`);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    writeFileSync(file, `${lines.map((line) => JSON.stringify({ ...JSON.parse(line), ...change })).join('\n')}\n`);
    const record = await imported(world, admin, { archive: packed(directory), path: world.unique('evil') });
    rmSync(directory, { recursive: true });
    expect(record).toMatchObject({ import_status: 'failed', import_error: expect.stringMatching(message) });
  });

  it('is refused with more protection rules for tags than a project can have', LONG, async () => {
    const directory = unpacked(archive);
    const [rule] = records(directory, 'container_tag_rules');
    const many = Array.from({ length: 6 }, (_, at) =>
      JSON.stringify({ ...rule, id: at + 1, tag_name_pattern: `v${at}` }),
    );
    writeFileSync(path.join(directory, 'tree', 'container_tag_rules.ndjson'), many.join('\n'));
    const record = await imported(world, admin, { archive: packed(directory), path: world.unique('many') });
    rmSync(directory, { recursive: true });
    expect(record.import_error).toMatch(/at most 5 protection rules/);
  });

  it('has no domain of this server', LONG, async () => {
    const directory = unpacked(archive);
    const [domain] = records(directory, 'site_domains');
    const file = path.join(directory, 'tree', 'site_domains.ndjson');
    writeFileSync(file, `${JSON.stringify({ ...domain, domain: '127.0.0.1' })}\n`);
    const record = await imported(world, admin, { archive: packed(directory), path: world.unique('domains') });
    rmSync(directory, { recursive: true });
    expect(record.failed_relations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ relation_name: 'site_domains', exception_message: expect.stringMatching(/must be/) }),
      ]),
    );
    expect(await world.db.pagesDomain.count({ where: { projectId: record.id } })).toBe(0);
  });
});
