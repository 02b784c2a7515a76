// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { USER_COLUMNS } from '#src/domain/placeholder_users/columns.ts';
import { removeUnusedPlaceholders } from '#src/domain/placeholder_users/remove_unused.ts';
import { takeOver } from '#src/domain/placeholder_users/take_over.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { factsOf } from '#src/platform/records/model.ts';
import type { Json } from '../support/http.ts';
import { moved } from '../support/placeholder_users.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });

const FIELDS = 'id databaseId status namespacePath sourceName reassignToUser { username } placeholderUser { username }';
const inputOf = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}Input`;

/** Calls a mutation of a user of a source; its status, or the code of the error. */
async function change(who: TestUser | undefined, name: string, input: Json): Promise<string> {
  const text = `mutation ($input: ${inputOf(name)}!) { ${name}(input: $input) { importSourceUser { ${FIELDS} } } }`;
  const { body } = await world.graphql(text, { input }, who);
  return body.errors?.[0]?.extensions?.code ?? body.data[name].importSourceUser.status;
}

async function listed(who: TestUser | undefined, namespace: string, filter: Json = {}): Promise<Json> {
  const text = `query ($namespace: NamespaceRef!, $filter: ImportSourceUserFilter) {
    importSourceUsers(namespace: $namespace, filter: $filter, first: 50) { nodes { ${FIELDS} } } }`;
  const { body } = await world.graphql(text, { namespace, filter }, who);
  return body.errors?.[0]?.extensions?.code ?? body.data.importSourceUsers.nodes;
}

/** How many records of each column name a user. */
async function counts(userId: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { model, column } of USER_COLUMNS) {
    const row = alias(model, 'r');
    const [{ count } = { count: 0 }] = await world.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM ${table(row)} WHERE ${Reflect.get(row, column) as Prisma.Sql} = ${userId}`;
    found[`${model}.${column}`] = count;
  }
  return found;
}

const sum = (all: Record<string, number>) => Object.values(all).reduce((one, other) => one + other, 0);

/** What was moved, with the row of Ann, and an account that is asked to take her over. */
async function asked(options?: Parameters<typeof moved>[1]) {
  const place = await moved(world, options);
  const [ann, ben] = [await place.placeholder('71'), await place.placeholder('72')];
  const row = place.rows.find(({ sourceUserIdentifier }) => sourceUserIdentifier === '71');
  const account = await world.user();
  const id = row?.id ?? 0;
  const status = async () => (await world.db.importSourceUser.findUniqueOrThrow({ where: { id } })).status;
  return { ...place, ann, ben, account, id, status };
}

describe('Taking over a placeholder', () => {
  it('gives everything to the account that accepts, once the owner asks, and removes the placeholder', async () => {
    const { owner, group, id, ann, ben, account, status, at, api, id: _, ...place } = await asked();
    await world.member(group, account, 'reporter');
    const before = await counts(ann.id);
    const ofBoth = Object.entries(before).map(([name, count]) => [name, count > 0]);
    const ofBen = await counts(ben.id);
    expect(ofBoth.filter(([name, isThere]) => !isThere && ofBen[name as string] === 0)).toEqual([]);
    expect(await change(owner, 'reassignImportSourceUser', { id, userId: account.id })).toBe('AWAITING_APPROVAL');
    expect(sum(await counts(account.id))).toBe(0);
    expect(await change(account, 'acceptImportSourceUserReassignment', { id })).toBe('REASSIGNMENT_IN_PROGRESS');
    await world.idle();
    expect(await status()).toBe('completed');
    // The approval of what is not merged goes.
    const after = { ...before, 'MergeRequestApproval.userId': 1 };
    expect(await counts(account.id)).toEqual(after);
    expect(sum(await counts(ann.id))).toBe(0);
    expect(await world.db.user.count({ where: { id: ann.id } })).toBe(0);
    expect((await counts(ben.id))['Issue.updatedById']).toBe(1);
    const { body: issue } = await api.get(`${at}/issues/1`);
    expect([issue.author.id, issue.assignees.map((one: Json) => one.id), issue.updated_at]).toEqual([
      account.id,
      [account.id, ben.id],
      '2020-01-02T03:04:05.000Z',
    ]);
    expect(await world.db.member.count({ where: { userId: account.id, projectId: { not: null } } })).toBe(0);
    expect(place.rows).toHaveLength(2);
  });

  it('knows every column with users that an import may set', async () => {
    const keys = await world.db.$queryRaw<{ column: string }[]>`
      SELECT c.conrelid::regclass || '.' || a.attname AS "column" FROM pg_constraint c
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      WHERE c.contype = 'f' AND c.confrelid = 'users'::regclass`;
    const known = USER_COLUMNS.map(({ model, column }) => {
      const { table: name, columns } = factsOf(model);
      return `${name}.${columns[column]?.name}`;
    });
    // No import sets these: they are of accounts that somebody has signed in with, or give rights.
    const ofAccounts =
      /^(access_requests|account_tokens|approval_rule_users|audit_events|author_event_counts|avatars|bulk_import_entities|bulk_imports|chat_connections|container_tags|custom_attributes|deploy_keys|deploy_tokens|deployments|draft_notes|emails|events|gpg_keys|group_exports|group_imports|identities|import_source_memberships|import_source_users|invitations|issue_imports|jobs|lfs_locks|mail_deliveries|mail_threads|members|merge_request_committers|namespaces|notification_settings|oauth_applications|oauth_authorizations|oauth_grants|oauth_tokens|passkeys|personal_access_tokens|pipeline_schedules|pipelines|project_archive_imports|project_exports|project_stars|projects|pull_mirrors|reassignment_tables|recovery_codes|remote_imports|remote_updates|runners|sessions|ssh_keys|subscriptions|terraform_state_versions|terraform_states|todos|triggers|two_factors|user_exports|user_follows|user_statuses|users)\./;
    const unknown = keys.map(({ column }) => column.replaceAll('"', '')).filter((one) => !known.includes(one));
    expect(unknown.filter((one) => !ofAccounts.test(one))).toEqual([]);
  });

  it('lets the account see nothing that it may not see: that stays with the placeholder until it may', async () => {
    const { owner, group, id, ann, account, status, at } = await asked();
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await change(account, 'acceptImportSourceUserReassignment', { id });
    await world.idle();
    expect(await status()).toBe('completed');
    const own = world.api(account);
    expect((await own.get(`${at}/issues/2`)).status).toBe(404);
    expect((await own.get(`${at}/issues`)).body.map((one: Json) => one.title)).toEqual(['Open']);
    expect((await own.get(`${at}/issues/1/notes`)).body.map((one: Json) => one.body).sort()).toEqual(['Ripe', 'Sweet']);
    expect((await own.get(`${at}/snippets`)).body.map((one: Json) => one.title)).toEqual(['Recipe']);
    expect(sum(await counts(ann.id))).toBe(5);
    expect(await change(owner, 'reassignImportSourceUser', { id, userId: account.id })).toBe(
      'REASSIGNMENT_IN_PROGRESS',
    );
    await world.idle();
    expect(sum(await counts(ann.id))).toBe(5);
    await world.member(group, account, 'reporter');
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await world.idle();
    expect(sum(await counts(ann.id))).toBe(0);
    expect((await own.get(`${at}/issues/2`)).status).toBe(200);
  });

  it('keeps what both have once, and the order of assignees', async () => {
    const { owner, group, id, account, at, api, ben } = await asked();
    await world.member(group, account, 'developer');
    const record = (await api.get(`${at}/issues/1`)).body;
    await world.db.issueAssignee.create({ data: { issueId: record.id, userId: account.id, position: 2 } });
    await world.api(account).post(`${at}/issues/1/award_emoji`, { name: 'apple' });
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await change(account, 'acceptImportSourceUserReassignment', { id });
    await world.idle();
    const { body: issue } = await api.get(`${at}/issues/1`);
    expect(issue.assignees.map((one: Json) => one.id)).toEqual([account.id, ben.id]);
    expect((await api.get(`${at}/issues/1/award_emoji`)).body.map((one: Json) => one.user.id)).toEqual([account.id]);
  });

  it('goes on where it was stopped, and does nothing twice', async () => {
    const { owner, group, id, account, ann, status } = await asked();
    await world.member(group, account, 'reporter');
    const all = sum(await counts(ann.id));
    const data = { status: 'reassignment_in_progress', reassignToUserId: account.id, acceptedAt: new Date() } as const;
    await world.db.importSourceUser.update({ where: { id }, data: { ...data, reassignedById: owner.id } });
    const dying = Object.create(world.db) as typeof world.db;
    const context = { ...world.as(owner), db: dying } as unknown as Parameters<typeof takeOver>[0];
    for (const steps of [3, 11, 25, 40]) {
      let left = steps;
      Object.defineProperty(dying, '$executeRaw', {
        configurable: true,
        value: (...given: Parameters<typeof world.db.$executeRaw>) => {
          left -= 1;
          if (left < 0) throw new Error('The process was killed');
          return world.db.$executeRaw(...given);
        },
      });
      await expect(takeOver(context, id)).rejects.toThrow('The process was killed');
      expect(await status()).toBe('reassignment_in_progress');
      expect([all, all - 1]).toContain(sum(await counts(ann.id)) + sum(await counts(account.id)));
    }
    const whole = { ...context, db: world.db };
    await Promise.all([takeOver(whole, id), takeOver(whole, id)]);
    await takeOver(whole, id);
    expect([await status(), sum(await counts(account.id))]).toEqual(['completed', all - 1]);
    expect(await world.db.user.count({ where: { id: ann.id } })).toBe(0);
  });

  it('works for later imports of the owner too, and for those of others when the owner says so', async () => {
    const { owner, group, id, account, bring, status } = await asked();
    await world.member(group, account, 'reporter');
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await change(account, 'acceptImportSourceUserReassignment', { id });
    await world.idle();
    const first = (await counts(account.id))['Issue.authorId'];
    await bring();
    await world.idle();
    expect([first, (await counts(account.id))['Issue.authorId'], await status()]).toEqual([2, 4, 'completed']);
    const master = await world.user();
    await world.member(group, master, 'master');
    await bring(master);
    await world.idle();
    expect([(await counts(account.id))['Issue.authorId'], await status()]).toEqual([4, 'pending_reassignment']);
    expect(await change(owner, 'reassignImportSourceUser', { id, userId: account.id })).toBe(
      'REASSIGNMENT_IN_PROGRESS',
    );
    await world.idle();
    expect((await counts(account.id))['Issue.authorId']).toBe(6);
  });

  it('gives everything to the ghost where the owner says so', async () => {
    const { owner, id, ann, at, api } = await asked();
    expect(await change(owner, 'giveImportSourceUserToGhost', { id })).toBe('REASSIGNMENT_IN_PROGRESS');
    await world.idle();
    expect(await world.db.user.count({ where: { id: ann.id } })).toBe(0);
    expect(await world.db.importSourceUser.count({ where: { id } })).toBe(0);
    expect((await api.get(`${at}/issues/1`)).body.author.name).toBe('Ghost User');
  });
});

describe('Who says who a placeholder is', () => {
  it('is the owner of the namespace, and nobody else sees the list', async () => {
    const { owner, group, id, account, status } = await asked({ visibility: 'private' });
    const master = await world.user();
    await world.member(group, master, 'master');
    const stranger = await world.user();
    for (const [who, code] of [
      [master, 'FORBIDDEN'],
      [stranger, 'NOT_FOUND'],
      [account, 'NOT_FOUND'],
      [undefined, 'UNAUTHENTICATED'],
    ] as const) {
      expect(await listed(who, group.fullPath)).toBe(code);
      for (const name of [
        'cancelImportSourceUserReassignment',
        'keepImportSourceUserAsPlaceholder',
        'giveImportSourceUserToGhost',
      ])
        expect(['NOT_FOUND', 'UNAUTHENTICATED']).toContain(await change(who, name, { id }));
      const reassigned = await change(who, 'reassignImportSourceUser', { id, userId: stranger.id });
      expect(['NOT_FOUND', 'UNAUTHENTICATED']).toContain(reassigned);
      const found = await world.graphql(
        `query ($id: ID!) { importSourceUser(id: $id) { id } node(id: $id) { id } }`,
        { id: `${id}` },
        who,
      );
      expect(found.body.data?.importSourceUser ?? null).toBeNull();
    }
    expect(await status()).toBe('pending_reassignment');
    for (const who of [owner, admin])
      expect((await listed(who, group.fullPath)).map((one: Json) => one.sourceName)).toEqual([
        'Ann <b>Apple</b>',
        'Ben',
      ]);
    expect(await listed(owner, group.fullPath, { search: 'BEN' })).toHaveLength(1);
    expect(await listed(owner, group.fullPath, { statuses: ['COMPLETED'] })).toEqual([]);
    expect(await listed(owner, group.fullPath, { hostname: 'git.example.org' })).toHaveLength(2);
    const below = await world.group({ owner, parentId: group.id });
    expect(await listed(owner, below.fullPath)).toBe('VALIDATION_FAILED');
  });

  it('asks an active person, who alone accepts or refuses', async () => {
    const { owner, id, account, status } = await asked();
    const other = await world.user();
    const request = `query ($filter: PlaceholderRequestFilter) {
      placeholderRequests(first: 5, filter: $filter, sort: DESC) { nodes { databaseId namespacePath sourceName } } }`;
    const requests = async (who: TestUser, filter: Json = {}) =>
      (await world.graphql(request, { filter }, who)).body.data.placeholderRequests.nodes.length;
    for (const userId of [
      0,
      (await world.db.importSourceUser.findUniqueOrThrow({ where: { id } })).placeholderUserId ?? 0,
    ])
      expect(await change(owner, 'reassignImportSourceUser', { id, userId })).toBe('VALIDATION_FAILED');
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    expect([await requests(account), await requests(other), await requests(owner)]).toEqual([1, 0, 0]);
    const { sourceName, sourceHostname: hostname } = await world.db.importSourceUser.findUniqueOrThrow({
      where: { id },
    });
    expect(await requests(account, { search: sourceName.toUpperCase(), hostname })).toBe(1);
    expect([await requests(account, { search: 'nobody' }), await requests(account, { hostname: 'other' })]).toEqual([
      0, 0,
    ]);
    for (const who of [other, owner])
      expect(await change(who, 'acceptImportSourceUserReassignment', { id })).toBe('NOT_FOUND');
    expect(await change(account, 'rejectImportSourceUserReassignment', { id })).toBe('REJECTED');
    expect(await change(account, 'acceptImportSourceUserReassignment', { id })).toBe('NOT_FOUND');
    expect(await change(owner, 'cancelImportSourceUserReassignment', { id })).toBe('PENDING_REASSIGNMENT');
    expect(await change(owner, 'keepImportSourceUserAsPlaceholder', { id })).toBe('KEEP_AS_PLACEHOLDER');
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await world.db.user.update({ where: { id: account.id }, data: { state: 'blocked' } });
    expect(await change(account, 'acceptImportSourceUserReassignment', { id })).not.toBe('REASSIGNMENT_IN_PROGRESS');
    expect(await status()).toBe('awaiting_approval');
  });

  it('is refused where who asked is no owner any more, and forgotten with the account', async () => {
    const { group, id, account, status } = await asked();
    const second = await world.user();
    await world.member(group, second, 'owner');
    await change(second, 'reassignImportSourceUser', { id, userId: account.id });
    await world.db.member.updateMany({ where: { userId: second.id }, data: { accessLevel: 40 } });
    expect(await change(account, 'acceptImportSourceUserReassignment', { id })).toBe('CONFLICT');
    expect(await status()).toBe('awaiting_approval');
    expect((await world.api(admin).delete(`/users/${account.id}`)).status).toBe(200);
    expect(await status()).toBe('pending_reassignment');
  });
});

describe('Placeholders that nothing names', () => {
  it('are removed after a day, and no others', async () => {
    const { group, ann, ben } = await asked();
    const old = { createdAt: new Date(Date.now() - 2 * 24 * 60 * 60_000) };
    await world.db.user.updateMany({ where: { id: { in: [ann.id, ben.id] } }, data: old });
    const there = () => world.db.user.count({ where: { id: { in: [ann.id, ben.id] } } });
    await removeUnusedPlaceholders(world);
    expect(await there()).toBe(2);
    await world.api(admin).delete(`/groups/${group.id}`);
    await world.idle();
    await removeUnusedPlaceholders(world);
    expect(await there()).toBe(0);
  });
});
