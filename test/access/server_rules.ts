import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import type { User, UserState } from '#src/generated/prisma/client.ts';
import { recordedImage } from '../support/container_records.ts';
import { emptyGitea, GITEA_TOKEN } from '../support/gitea_server.ts';
import { emptyGithub, TOKEN } from '../support/github_server.ts';
import { emptyGitlab } from '../support/gitlab_group.ts';
import { gpgFixtures } from '../support/gpg.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { application } from '../support/oauth.ts';
import { PASSWORD, type TestUser, type World } from '../support/world.ts';
import type { Role, Rule } from './matrix.ts';
import { keyedHook } from './project_rules/keyed_hook.ts';

/** behaviour.md 6 for every route that belongs to no project and no group. */
export function serverRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const named = () => {
    const name = world.unique('name');
    return { name, path: name };
  };
  const anybody = { success: 200, level: 0, open: 'anyone' } as const;
  const reading = { success: 200, level: 0 } as const;
  /** What the API marks as for signed-in callers, and GraphQL and pages show to everyone. */
  const open = { ...reading, visitor: 200 };
  const administrating = { success: 200, level: 100 } as const;
  const topic = async () => {
    const data = { name: world.unique('topic'), title: 'Topic' };
    return { id: (await world.db.topic.create({ data, select: { id: true } })).id };
  };
  const person = async () => ({ id: (await world.user()).id });
  /** Nobody sees it on a page any more. */
  const ENDED = { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
  const broadcast = async () => {
    const data = { message: 'Old', startsAt: new Date('2020-01-01'), endsAt: new Date('2020-01-02') };
    return { id: (await world.db.broadcastMessage.create({ data })).id };
  };
  const attributed = async () => {
    const { id } = await person();
    await world.db.customAttribute.create({ data: { userId: id, key: 'place', value: 'a' } });
    return { id, key: 'place' };
  };
  const changed = async (data: Partial<User>) => {
    const { id } = await person();
    await world.db.user.update({ where: { id }, data });
    return { id };
  };
  const foreignApplication = async () => {
    const { id } = await application(world, await world.user());
    return { id };
  };
  const inState = (state: UserState) => changed({ state });
  const dormant = () => changed({ lastActivityOn: new Date('2020-01-01') });
  const withSecondFactor = () => changed({ twoFactorEnabled: true });
  const address = () => ({ email: `${world.unique('more')}@example.org` });
  const created = () => ({ ...address(), username: world.unique('made'), name: 'Made', password: PASSWORD });
  /** A key of the person who asks; what nobody owns is looked for in vain. */
  const keyOf = async (userId: number | undefined) => {
    if (userId === undefined) return { key_id: 0 };
    const fingerprint = world.unique('fingerprint');
    const data = { userId, title: 'key', key: 'ssh-ed25519 AAAA', fingerprint, fingerprintSha256: fingerprint };
    return { key_id: (await world.db.sshKey.create({ data })).id };
  };
  const emailOf = async (userId: number | undefined) => {
    if (userId === undefined) return { email_id: 0 };
    return { email_id: (await world.db.email.create({ data: { userId, ...address() } })).id };
  };
  /** An import of the person who asks that has not ended; what is nobody's is looked for in vain. */
  const bulkImportOf = async (userId: number | undefined) => {
    if (userId === undefined) return { id: 0, entity_id: 0 };
    const { id } = await world.db.bulkImport.create({
      data: { userId, url: 'https://gitlab.example', token: Buffer.from('x') },
    });
    const places = { sourceFullPath: 'a', destinationSlug: 'b', destinationNamespace: 'c', correlationId: 'd' };
    const part = { ...places, userId, bulkImportId: id, kind: 'group' } as const;
    return { id, entity_id: (await world.db.bulkImportEntity.create({ data: part })).id };
  };
  const personWithIdentity = async () => {
    const { id } = await person();
    await world.db.identity.create({ data: { userId: id, provider: 'company', externUid: world.unique('sub') } });
    return { id, provider: 'company' };
  };
  const personWithKey = async () => {
    const { id } = await person();
    return { id, ...(await keyOf(id)) };
  };
  const gpgKeyOf = async (userId: number | undefined) => {
    if (userId === undefined) return { key_id: 0 };
    const fingerprint = randomBytes(20).toString('hex').toUpperCase();
    const data = { userId, key: 'key', fingerprint, primaryKeyId: fingerprint.slice(-16), names: [], emails: [] };
    return { key_id: (await world.db.gpgKey.create({ data })).id };
  };
  const personWithGpgKey = async () => {
    const { id } = await person();
    return { id, ...(await gpgKeyOf(id)) };
  };
  /** The same key each time, which nobody has any more. */
  const newGpgKey = async () => {
    await world.db.gpgKey.deleteMany({ where: { fingerprint: gpgFixtures.ann.fingerprint } });
    return { key: gpgFixtures.ann.key };
  };
  const storedFingerprint = async () => {
    const fingerprint = createHash('sha256').update(world.unique('key')).digest('base64').slice(0, 43);
    const data = { userId: (await person()).id, title: 'key', key: 'ssh-ed25519 AAAA', fingerprint };
    await world.db.sshKey.create({ data: { ...data, fingerprintSha256: fingerprint } });
    return fingerprint;
  };
  const personWithEmail = async () => {
    const { id } = await person();
    return { id, ...(await emailOf(id)) };
  };
  const impersonation = async () => {
    const { id: userId } = await person();
    const data = { userId, name: 'bot', scopes: ['api'], impersonation: true };
    const token = await world.db.personalAccessToken.create({
      data: { ...data, tokenHash: Buffer.from(world.unique('hash')) },
    });
    return { user_id: userId, impersonation_token_id: token.id };
  };
  /** A personal access token of the person who asks; what is nobody's is looked for in vain. */
  const tokenOf = async (userId: number | undefined) => {
    if (userId === undefined) return { id: 0 };
    const data = { userId, name: 'script', scopes: ['api'], tokenHash: Buffer.from(world.unique('hash')) };
    return { id: (await world.db.personalAccessToken.create({ data })).id };
  };
  /** For callers whose credential is no personal access token. */
  const noPersonalToken = { success: 400, level: 0 } as const;
  /** A repository of images in a public project of somebody who has no role. */
  const images = async () => {
    const project = await world.project({ owner: await world.user(), visibility: 'public' });
    return { repository_id: await recordedImage(world, project) };
  };
  const newSnippet = () => ({ title: 'New', file_name: 'new.txt', content: 'text' });
  /** A public snippet of somebody who has no role. */
  const snippet = async () => {
    const data = { title: 'Old', fileName: 'old.txt', content: 'text', visibility: 'public' } as const;
    return { snippet_id: (await createSnippet(world.as(await world.user()), data)).id, title: 'Other' };
  };
  /** A todo of the person who asks; what is nobody's is looked for in vain. */
  const todoOf = async (userId: number | undefined) => {
    if (userId === undefined) return { id: 0 };
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'public' });
    const { id: issueId } = await world.issue(project, owner);
    const data = { userId, authorId: owner.id, projectId: project.id, issueId, action: 'marked' } as const;
    return { id: (await world.db.todo.create({ data })).id };
  };
  const makeReviewed = async () => {
    const owner = await world.user();
    const project = await world.project({ owner, visibility: 'private' });
    await withTopic(world, project, owner);
    return { owner, project };
  };
  let reviewed: ReturnType<typeof makeReviewed> | null = null;
  /** A suggestion in a project where the person who asks is a developer. */
  const suggestionOf = async (who: TestUser | undefined) => {
    if (!who) return { id: 0, ids: [0] };
    reviewed ??= makeReviewed();
    const { owner, project } = await reviewed;
    await world.db.member.deleteMany({ where: { projectId: project.id, userId: who.id } });
    await world.member(project, who, 'developer');
    const sourceBranch = world.unique('topic');
    await createBranch(world.as(owner), project.id, sourceBranch, 'topic');
    const { id: mergeRequestId } = await opened(world, project, owner, { sourceBranch });
    const version = await world.db.mergeRequestVersion.findFirstOrThrow({ where: { mergeRequestId } });
    const { headCommitSha: headSha, startCommitSha: startSha, baseCommitSha: baseSha } = version;
    const lines = { oldPath: 'b.txt', newPath: 'b.txt', oldLine: null, newLine: 1, positionType: 'text' };
    const position = { headSha, startSha, baseSha, ...lines };
    const note = { subjectType: 'MergeRequest', subjectId: mergeRequestId, authorId: owner.id, body: 'Better' };
    const { id: noteId } = await world.db.note.create({ data: note });
    const thread = { id: noteId, noteId, mergeRequestId, position, originalPosition: position, versionId: version.id };
    await world.db.discussion.create({ data: thread });
    const suggestion = { linesAbove: 0, linesBelow: 0, fromContent: 'b.txt\n', toContent: 'better\n' };
    const { id } = await world.db.suggestion.create({ data: { noteId, ...suggestion } });
    return { id, ids: [id] };
  };
  /** A shared runner, which everybody sees and administrators change. */
  const sharedRunner = async () => {
    const data = { description: 'shared', isShared: true, tokenHash: Buffer.from(world.unique('runner')) };
    return { id: (await world.db.runner.create({ data })).id };
  };
  const keyed = async () => {
    const { hook_id: id, ...given } = await keyedHook(world, {});
    return { id, ...given };
  };
  const systemHook = async () => {
    await world.db.signInFailures.deleteMany();
    return { id: (await world.db.hook.create({ data: { url: 'http://127.0.0.1:9/', disabledAt: new Date() } })).id };
  };
  const newVariable = () => ({ key: world.unique('KEY_'), value: 'v' });
  const variable = async () => {
    const given = newVariable();
    await createVariable(world.as(users.admin as TestUser), given);
    return given;
  };
  const namedVariable = async () => ({ key: (await variable()).key });

  return {
    'GET /registry/repositories/:repository_id': { ...reading, given: images, visitor: 200 },
    'GET /user': reading,
    'GET /metadata': reading,
    'GET /avatar': { ...anybody, given: address },
    'GET /users/:id/status': { ...anybody, given: person },
    'GET /user/status': reading,
    'PUT /user/status': { ...reading, given: () => ({ emoji: 'coffee' }) },
    'PATCH /user/status': { ...reading, given: () => ({ emoji: 'tea' }) },
    'GET /user/preferences': reading,
    'PUT /user/preferences': { ...reading, given: () => ({ view_diffs_file_by_file: false }) },
    'GET /user_counts': reading,
    'GET /users/:id/memberships': { ...administrating, given: person },
    'GET /users/:id/associations_count': { ...administrating, given: person },
    'POST /users/:id/activate': { success: 201, level: 100, given: () => inState('deactivated') },
    'POST /users/:id/deactivate': { success: 201, level: 100, given: dormant },
    'POST /users/:id/ban': { success: 201, level: 100, given: person },
    'POST /users/:id/unban': { success: 201, level: 100, given: () => inState('banned') },
    'POST /users/:id/approve': { success: 201, level: 100, given: () => inState('blocked_pending_approval') },
    'POST /users/:id/reject': { ...administrating, given: () => inState('blocked_pending_approval') },
    'DELETE /users/:id/identities/:provider': { success: 204, level: 100, given: personWithIdentity },
    'PATCH /users/:id/disable_two_factor': { success: 204, level: 100, given: withSecondFactor },
    'GET /version': reading,
    'GET /issues': reading,
    'GET /issues_statistics': reading,
    'GET /merge_requests': reading,
    'GET /groups': open,
    'GET /namespaces': reading,
    'GET /namespaces/:namespace/exists': { ...reading, given: () => ({ namespace: 'nothing-has-this' }) },
    'GET /namespaces/:id': {
      success: 404,
      level: 0,
      roles: { admin: 200 },
      given: async () => ({ id: (await world.user()).username }),
    },
    'GET /projects': anybody,
    'POST /session': { ...anybody, success: 201, given: () => ({ login: 'the-reporter', password: PASSWORD }) },
    'POST /groups': { success: 201, level: 0, roles: { external: 403 }, given: named },
    'POST /projects': { success: 201, level: 0, roles: { external: 403 }, given: named },
    'POST /groups/import': {
      success: 202,
      level: 0,
      roles: { external: 403 },
      given: () => ({ ...named(), file: new File([gzipSync('')], 'group.tar.gz') }),
    },
    'POST /projects/import': {
      success: 201,
      level: 0,
      roles: { external: 403 },
      given: () => ({ path: world.unique('imported'), file: new File([gzipSync('')], 'project.tar.gz') }),
    },
    'POST /import/github': {
      success: 201,
      level: 0,
      roles: { external: 403 },
      given: async (_place, who) => {
        const github = await emptyGithub(world);
        const name = world.unique('imported');
        const to = { target_namespace: who?.username ?? 'nobody', new_name: name };
        return { personal_access_token: TOKEN, repo_id: 1, github_hostname: `http://${github.host}`, ...to };
      },
    },
    'POST /import/gitea': {
      success: 201,
      level: 0,
      roles: { external: 403 },
      given: async (_place, who) => {
        const gitea = await emptyGitea(world);
        const name = world.unique('imported');
        const to = { target_namespace: who?.username ?? 'nobody', new_name: name };
        return { personal_access_token: GITEA_TOKEN, repo_id: 1, gitea_host_url: `http://${gitea.host}`, ...to };
      },
    },
    'POST /bulk_imports': {
      success: 201,
      level: 0,
      roles: { external: 400 },
      given: async () => ({
        configuration: { url: await emptyGitlab(world), access_token: 'word' },
        entities: [
          {
            ...{ source_type: 'group_entity', source_full_path: 'team' },
            ...{ destination_slug: world.unique('imported'), destination_namespace: '' },
          },
        ],
      }),
    },
    'GET /bulk_imports': reading,
    'GET /bulk_imports/entities': reading,
    'GET /bulk_imports/:id': { ...reading, given: (_place, who) => bulkImportOf(who?.id) },
    'GET /bulk_imports/:id/entities': { ...reading, given: (_place, who) => bulkImportOf(who?.id) },
    'GET /bulk_imports/:id/entities/:entity_id': { ...reading, given: (_place, who) => bulkImportOf(who?.id) },
    'GET /bulk_imports/:id/entities/:entity_id/failures': { ...reading, given: (_place, who) => bulkImportOf(who?.id) },
    'POST /bulk_imports/:id/cancel': { ...reading, given: (_place, who) => bulkImportOf(who?.id) },
    'POST /import/github/cancel': {
      success: 200,
      level: 0,
      given: async (_place, who) => {
        const project = await world.project({ owner: await world.user() });
        if (who) await world.member(project, who, 'master');
        const data = {
          provider: 'github',
          url: 'https://github.com',
          path: 'a/b',
          source: Buffer.from('x'),
          parts: [],
        };
        await world.db.remoteImport.create({ data: { projectId: project.id, ...data } });
        return { project_id: project.id };
      },
    },
    'POST /projects/user/:user_id': {
      success: 201,
      level: 100,
      given: async () => ({ ...named(), user_id: (await person()).id }),
    },
    'GET /users': reading,
    'GET /users/:id': { ...open, given: person },
    'GET /users/:id/events': { ...open, given: person },
    'GET /topics': anybody,
    'GET /topics/:id': { ...anybody, given: topic },
    'POST /topics': { success: 201, level: 100, given: () => ({ name: world.unique('topic'), title: 'New' }) },
    'PUT /topics/:id': { ...administrating, given: async () => ({ ...(await topic()), title: 'Changed' }) },
    'DELETE /topics/:id': { success: 204, level: 100, given: topic },
    'GET /users/:id/projects': { ...open, given: person },
    'GET /users/:id/starred_projects': { ...open, given: person },
    'GET /users/:id/followers': { ...open, given: person },
    'GET /users/:id/following': { ...open, given: person },
    'POST /users/:id/follow': { ...reading, success: 201, given: person },
    'POST /users/:id/unfollow': {
      ...reading,
      success: 201,
      given: async () => {
        const { id } = await person();
        const followers = Object.values(users).flatMap((one) => (one ? [{ followerId: one.id, followedId: id }] : []));
        await world.db.userFollow.createMany({ data: followers });
        return { id };
      },
    },
    'GET /users/:id/contributed_projects': { ...open, given: person },
    'GET /events': reading,
    ...Object.fromEntries(
      [
        'projects',
        'issues',
        'merge_requests',
        'milestones',
        'snippet_titles',
        'users',
        'blobs',
        'notes',
        'commits',
        'wiki_blobs',
      ].map((scope) => [
        `GET /search?scope=${scope}`,
        { ...(scope === 'users' ? reading : open), given: () => ({ search: 'text' }) },
      ]),
    ),
    'POST /users': { success: 201, level: 100, given: created },
    'PUT /users/:id': { ...administrating, given: async () => ({ ...(await person()), bio: 'changed' }) },
    'DELETE /users/:id': { ...administrating, given: person },
    'POST /users/:id/block': { success: 201, level: 100, given: person },
    'POST /users/:id/unblock': { success: 201, level: 100, given: person },
    'GET /user/activities': administrating,
    'GET /user/keys': reading,
    'GET /user/keys/:key_id': { ...reading, given: (_at, who) => keyOf(who?.id) },
    'POST /user/keys': { success: 201, level: 0, given: () => ({ title: 'key', key: newKey() }) },
    'DELETE /user/keys/:key_id': { ...reading, given: (_at, who) => keyOf(who?.id) },
    'GET /users/:id/keys': { ...administrating, given: person },
    'POST /users/:id/keys': {
      success: 201,
      level: 100,
      given: async () => ({ ...(await person()), title: 'key', key: newKey() }),
    },
    'DELETE /users/:id/keys/:key_id': { ...administrating, given: personWithKey },
    'GET /user/gpg_keys': reading,
    'GET /user/gpg_keys/:key_id': { ...reading, given: (_at, who) => gpgKeyOf(who?.id) },
    'POST /user/gpg_keys': { success: 201, level: 0, given: () => newGpgKey() },
    'DELETE /user/gpg_keys/:key_id': { success: 204, level: 0, given: (_at, who) => gpgKeyOf(who?.id) },
    'POST /user/gpg_keys/:key_id/revoke': { success: 202, level: 0, given: (_at, who) => gpgKeyOf(who?.id) },
    'GET /users/:id/gpg_keys': { ...reading, given: person },
    'GET /users/:id/gpg_keys/:key_id': { ...reading, given: personWithGpgKey },
    'POST /users/:id/gpg_keys': {
      success: 201,
      level: 100,
      given: async () => ({ ...(await person()), ...(await newGpgKey()) }),
    },
    'DELETE /users/:id/gpg_keys/:key_id': { success: 204, level: 100, given: personWithGpgKey },
    'POST /users/:id/gpg_keys/:key_id/revoke': { success: 202, level: 100, given: personWithGpgKey },
    'GET /users/:id/keys/:key_id': { ...administrating, given: personWithKey },
    'GET /keys': {
      ...administrating,
      given: async () => ({ fingerprint: `SHA256:${await storedFingerprint()}` }),
    },
    'GET /deploy_keys': administrating,
    'POST /deploy_keys': { success: 201, level: 100, given: () => ({ title: 'key', key: newKey() }) },
    'GET /keys/:id': { ...administrating, given: async () => ({ id: (await personWithKey()).key_id }) },
    'GET /user/emails': reading,
    'GET /user/emails/:email_id': { ...reading, given: (_at, who) => emailOf(who?.id) },
    'POST /user/emails': { success: 201, level: 0, given: address },
    'DELETE /user/emails/:email_id': { ...reading, given: (_at, who) => emailOf(who?.id) },
    'GET /users/:id/emails': { ...administrating, given: person },
    'POST /users/:id/emails': { success: 201, level: 100, given: async () => ({ ...(await person()), ...address() }) },
    'DELETE /users/:id/emails/:email_id': { ...administrating, given: personWithEmail },
    'GET /users/:user_id/impersonation_tokens': { ...administrating, given: impersonation },
    'GET /users/:user_id/impersonation_tokens/:impersonation_token_id': { ...administrating, given: impersonation },
    'POST /users/:user_id/impersonation_tokens': {
      success: 201,
      level: 100,
      given: async () => ({ ...(await impersonation()), name: 'bot', scopes: ['api'] }),
    },
    'DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id': {
      success: 204,
      level: 100,
      given: impersonation,
    },
    'GET /deploy_tokens': administrating,
    'GET /service_accounts': administrating,
    'POST /service_accounts': { success: 201, level: 100 },
    'PATCH /service_accounts/:id': {
      ...administrating,
      given: async () => ({ ...(await changed({ bot: true, serviceAccount: 'server' })), name: 'Robot' }),
    },
    'GET /audit_events': administrating,
    'GET /audit_events/:audit_event_id': {
      ...administrating,
      given: async () => {
        const data = { action: 'settings_updated', targetType: 'Settings' };
        return { audit_event_id: (await world.db.auditEvent.create({ data })).id };
      },
    },
    // The credentials of these callers are no tokens of jobs.
    'GET /job': { success: 404, level: 0 },
    'GET /personal_access_tokens': reading,
    'GET /personal_access_tokens/self': noPersonalToken,
    'GET /personal_access_tokens/:id': { ...reading, given: (_at, who) => tokenOf(who?.id) },
    'POST /personal_access_tokens/self/rotate': { ...noPersonalToken, success: 405 },
    'POST /personal_access_tokens/:id/rotate': { ...reading, given: (_at, who) => tokenOf(who?.id) },
    'DELETE /personal_access_tokens/self': noPersonalToken,
    'DELETE /personal_access_tokens/:id': { success: 204, level: 0, given: (_at, who) => tokenOf(who?.id) },
    'POST /user/personal_access_tokens': {
      success: 201,
      level: 0,
      given: () => ({ name: 'script', scopes: ['self_rotate'] }),
    },
    'POST /users/:user_id/personal_access_tokens': {
      success: 201,
      level: 100,
      given: async () => ({ user_id: (await person()).id, name: 'script', scopes: ['api'] }),
    },
    'GET /applications': administrating,
    'POST /applications': {
      success: 201,
      level: 100,
      restOnly: true,
      given: () => ({ name: 'Robot', redirect_uri: 'https://a.example/', scopes: 'api' }),
    },
    'DELETE /applications/:id': { success: 204, level: 100, restOnly: true, given: foreignApplication },
    'POST /applications/:id/renew-secret': { success: 201, level: 100, restOnly: true, given: foreignApplication },
    'GET /snippets': reading,
    'GET /snippets/public': open,
    'GET /snippets/:snippet_id': { ...anybody, given: snippet },
    'GET /snippets/:snippet_id/raw': { ...anybody, given: snippet },
    'GET /snippets/:snippet_id/files/:ref/:file_path/raw': {
      ...anybody,
      given: async () => ({ ...(await snippet()), ref: 'main', file_path: 'old.txt' }),
    },
    'POST /snippets': { success: 201, level: 0, given: newSnippet },
    'PUT /snippets/:snippet_id': { ...administrating, given: snippet },
    'DELETE /snippets/:snippet_id': { success: 204, level: 100, given: snippet },
    'GET /notification_settings': reading,
    'PUT /notification_settings': { ...reading, given: () => ({ level: 'watch' }) },
    'GET /todos': reading,
    'POST /todos/mark_as_done': { success: 204, level: 0 },
    'POST /todos/:id/mark_as_done': { success: 201, level: 0, given: (_at, who) => todoOf(who?.id) },
    'PUT /suggestions/:id/apply': {
      ...reading,
      given: async (_at, who) => ({ id: (await suggestionOf(who)).id }),
    },
    'PUT /suggestions/batch_apply': {
      ...reading,
      given: async (_at, who) => ({ ids: (await suggestionOf(who)).ids }),
    },
    'GET /runners': reading,
    'GET /runners/all': administrating,
    'GET /runners/:id': { ...reading, given: sharedRunner },
    'PUT /runners/:id': { ...administrating, given: async () => ({ ...(await sharedRunner()), description: 'new' }) },
    'DELETE /runners/:id': { success: 204, level: 100, given: sharedRunner },
    'GET /runners/:id/jobs': { ...reading, given: sharedRunner },
    'GET /runners/:id/managers': { ...reading, given: sharedRunner },
    'POST /runners/:id/reset_authentication_token': { success: 201, level: 100, given: sharedRunner },
    'POST /runners/reset_registration_token': { success: 201, level: 100 },
    'POST /user/runners': { success: 201, level: 100, given: () => ({ runner_type: 'instance_type' }) },
    'POST /ci/lint': { ...anybody, given: () => ({ content: 'a: {script: x}' }) },
    'POST /markdown': { success: 201, level: 0, given: () => ({ text: '*a*' }) },
    'GET /templates/licenses': anybody,
    'GET /templates/licenses/:name': { ...anybody, given: () => ({ name: 'mit' }) },
    'GET /templates/gitignores': anybody,
    'GET /templates/gitignores/:name': { ...anybody, given: () => ({ name: 'Node' }) },
    'GET /templates/gitlab_ci_ymls': anybody,
    'GET /templates/gitlab_ci_ymls/:name': { ...anybody, given: () => ({ name: 'Nodejs' }) },
    'GET /templates/dockerfiles': anybody,
    'GET /templates/dockerfiles/:name': { ...anybody, given: () => ({ name: 'Node' }) },
    'GET /admin/ci/variables': administrating,
    'GET /admin/ci/variables/:key': { ...administrating, given: namedVariable },
    'POST /admin/ci/variables': { success: 201, level: 100, given: newVariable },
    'PUT /admin/ci/variables/:key': { ...administrating, given: variable },
    'DELETE /admin/ci/variables/:key': { success: 204, level: 100, given: namedVariable },
    'GET /packages/npm/:package_name': { success: 404, level: 0, given: () => ({ package_name: 'nothing' }) },
    'GET /packages/npm/-/package/:package_name/dist-tags': {
      success: 404,
      level: 0,
      given: () => ({ package_name: 'nothing' }),
    },
    'GET /broadcast_messages': anybody,
    'GET /broadcast_messages/:id': { ...anybody, given: broadcast },
    'POST /broadcast_messages': { success: 201, level: 100, given: () => ({ message: 'News', ...ENDED }) },
    'PUT /broadcast_messages/:id': {
      ...administrating,
      given: async () => ({ ...(await broadcast()), message: 'Other news' }),
    },
    'DELETE /broadcast_messages/:id': { success: 204, level: 100, given: broadcast },
    'GET /application/appearance': { ...administrating, restOnly: true },
    'PUT /application/appearance': { ...administrating, given: () => ({ pwa_description: 'Ours' }) },
    'GET /users/:id/custom_attributes': { ...administrating, given: attributed },
    'GET /users/:id/custom_attributes/:key': { ...administrating, given: attributed },
    'PUT /users/:id/custom_attributes/:key': {
      ...administrating,
      given: async () => ({ ...(await attributed()), value: 'b' }),
    },
    'DELETE /users/:id/custom_attributes/:key': { success: 204, level: 100, given: attributed },
    'GET /features': administrating,
    'GET /pages/domains': administrating,
    'POST /features/:name': {
      success: 201,
      level: 100,
      given: () => ({ name: world.unique('toggle'), value: 'true' }),
    },
    'DELETE /features/:name': { success: 204, level: 100, given: () => ({ name: 'nothing' }) },
    'GET /application/statistics': administrating,
    'POST /topics/merge': {
      success: 201,
      level: 100,
      given: async () => ({ source_topic_id: (await topic()).id, target_topic_id: (await topic()).id }),
    },
    'GET /hooks': administrating,
    'POST /hooks': {
      success: 201,
      level: 100,
      given: async () => {
        await world.db.hook.deleteMany();
        return { url: 'https://hooks.invalid/' };
      },
    },
    'GET /hooks/:id': { ...administrating, given: systemHook },
    'POST /hooks/:id': { success: 201, level: 100, given: systemHook },
    'PUT /hooks/:id': { ...administrating, given: async () => ({ ...(await systemHook()), tag_push_events: true }) },
    'PUT /hooks/:id/custom_headers/:key': { success: 204, level: 100, given: keyed },
    'DELETE /hooks/:id/custom_headers/:key': { success: 204, level: 100, given: keyed },
    'PUT /hooks/:id/url_variables/:key': { success: 204, level: 100, given: keyed },
    'DELETE /hooks/:id/url_variables/:key': { success: 204, level: 100, given: keyed },
    'DELETE /hooks/:id': { success: 204, level: 100, given: systemHook },
    'GET /bgjobs/queue_metrics': administrating,
    'GET /bgjobs/process_metrics': administrating,
    'GET /bgjobs/job_stats': administrating,
    'GET /bgjobs/compound_metrics': administrating,
    'GET /application/settings': administrating,
    'PUT /application/settings': { ...administrating, given: () => ({ sign_in_text: world.unique('text ') }) },
  };
}

/** A new Ed25519 key as OpenSSH writes it. */
function newKey(): string {
  const type = Buffer.from('ssh-ed25519');
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([part(type), part(randomBytes(32))]).toString('base64')} somebody@somewhere`;
}
