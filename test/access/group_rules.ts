import { Readable } from 'node:stream';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { createWikiPage } from '#src/domain/repository/wikis/write.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { createLabel } from '#src/domain/tracking/labels/save.ts';
import { createMilestone } from '#src/domain/tracking/milestones/save.ts';
import { groupExportsStore } from '#src/domain/uploads/archives.ts';
import type { TestUser, World } from '../support/world.ts';
import type { Role, Rule, Stage } from './matrix.ts';
import { keyedHook } from './project_rules/keyed_hook.ts';
import { serviceAccountRules } from './service_account_rules.ts';

const HOOK_URL = 'https://hooks.example.com/told';
/** Placeholders are not there for those who are no members. */
const STRANGERS = { external: 404, outsider: 404 };
const PLACEHOLDER_TABLE = [
  'Source host,Import type,Source user identifier,Source user name,Source username,GitLab username,GitLab public email',
  'git.example.org,github,1,Ann,ann,nobody-here,',
].join('\n');

/** behaviour.md 6 for every route below a group. */
export function groupRules(world: World, users: Record<Role, TestUser | undefined>): Record<string, Rule> {
  const owner = users.owner as TestUser;
  const reading = { success: 200, level: 10, open: 'user' } as const;
  const group = ({ group: { id } }: Stage) => ({ id });
  const nothingCalled = (at: Stage) => ({ ...group(at), package_name: 'nothing' });
  /** A group like that of the stage, for what ends it. */
  const fresh = async (at: Stage) => {
    const made: GroupRow = await world.group({ owner, visibility: at.visibility });
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      await world.member(made, users[role] as TestUser, role);
    }
    return { id: made.id };
  };
  /** A group whose archive there is for each user. */
  const archive = async (at: Stage) => {
    const [groupId, content] = [at.group.id, Buffer.from('an archive')];
    const place = { projectId: groupId, secret: 'b'.repeat(32), fileName: 'group.tar.gz' };
    const store = groupExportsStore(world);
    if (!(await store.has(place))) await store.write(place, Readable.from([content]), content.length);
    for (const { id: userId } of Object.values(users).filter((one) => one !== undefined)) {
      const state = 'finished' as const;
      const made = { secret: place.secret, size: content.length, finishedAt: new Date(), state };
      const where = { groupId_userId: { groupId, userId } };
      await world.db.groupExport.upsert({ where, create: { groupId, userId, ...made }, update: made });
    }
    return group(at);
  };
  // In a group of its own, as a hook of the stage's group would be told of everything else that happens there.
  const testedHook = async (at: Stage) => {
    const { id } = await fresh(at);
    await world.db.signInFailures.deleteMany();
    await world.issue(await world.project({ owner, namespaceId: id }), owner);
    const data = { namespaceId: id, url: 'http://127.0.0.1:9/' };
    return { id, hook_id: (await world.db.hook.create({ data })).id, trigger: 'issues_events' };
  };

  const attributed = async (at: Stage) => {
    await world.db.customAttribute.deleteMany({ where: { namespaceId: at.group.id } });
    await world.db.customAttribute.create({ data: { namespaceId: at.group.id, key: 'place', value: 'a' } });
    return { ...group(at), key: 'place' };
  };
  const hook = async (at: Stage) => {
    await world.db.hook.deleteMany({ where: { namespaceId: at.group.id } });
    const { id } = await world.db.hook.create({ data: { namespaceId: at.group.id, url: HOOK_URL } });
    return { ...group(at), hook_id: id };
  };
  const integration = async (at: Stage) => {
    const place = { groupId: at.group.id, slug: 'external-wiki' };
    await world.db.integration.deleteMany({ where: place });
    await world.db.integration.create({ data: { ...place, properties: { external_wiki_url: 'https://example.org' } } });
    return { ...group(at), slug: place.slug };
  };
  const keyed = async (at: Stage) => {
    await world.db.hook.deleteMany({ where: { namespaceId: at.group.id } });
    return { ...group(at), ...(await keyedHook(world, { namespaceId: at.group.id })) };
  };
  const page = async (at: Stage) => {
    const { id } = await fresh(at);
    await createWikiPage(world.as(owner), { group: id }, { title: 'home', content: 'words' });
    return { id, slug: 'home' };
  };
  const wiki = '/groups/:id/wikis';
  const wikis: Record<string, Rule> = {
    [`GET ${wiki}`]: { ...reading, given: page },
    [`POST ${wiki}`]: {
      success: 201,
      level: 30,
      given: (at) => ({ ...group(at), title: world.unique('page'), content: 'words' }),
    },
    [`POST ${wiki}/attachments`]: {
      success: 201,
      level: 30,
      given: (at) => ({ ...group(at), file: new File(['text'], 'a.txt') }),
    },
    [`GET ${wiki}/:slug`]: { ...reading, given: page },
    [`PUT ${wiki}/:slug`]: { success: 200, level: 30, given: async (at) => ({ ...(await page(at)), content: 'new' }) },
    [`DELETE ${wiki}/:slug`]: { success: 204, level: 30, given: page },
  };
  const unruled = async (at: Stage) => {
    await world.db.pushRule.deleteMany({ where: { groupId: at.group.id } });
    return { ...group(at), member_check: false };
  };
  const ruled = async (at: Stage) => {
    const given = await unruled(at);
    await world.db.pushRule.create({ data: { groupId: at.group.id } });
    return given;
  };
  const openGroup = () => world.group({ owner, visibility: 'public' });
  const member = async (at: Stage) => {
    const user = await world.user();
    await world.member(at.group, user, 'guest');
    return { ...group(at), user_id: user.id };
  };
  /** An access token with a bot of its own. */
  const accessToken = async (at: Stage) => {
    const bot = await world.user();
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    await world.member(at.group, bot, 'reporter');
    const data = { userId: bot.id, namespaceId: at.group.id, name: 'robot', scopes: ['api'] };
    const token = await world.db.personalAccessToken.create({
      data: { ...data, tokenHash: Buffer.from(world.unique('hash')) },
    });
    return { ...group(at), token_id: token.id };
  };
  const administering = { success: 200, level: 50, refusal: 401 } as const;

  const auditEvent = async (at: Stage) => {
    const data = { groupId: at.group.id, action: 'group_updated', targetType: 'Group' };
    return { ...group(at), audit_event_id: (await world.db.auditEvent.create({ data })).id };
  };

  const deployToken = async (at: Stage) => {
    const data = { groupId: at.group.id, name: 'deploy', username: 'robot', scopes: ['read_repository'] };
    const token = await world.db.deployToken.create({
      data: { ...data, tokenHash: Buffer.from(world.unique('hash')) },
    });
    return { ...group(at), token_id: token.id };
  };

  const invitation = async (at: Stage) => {
    const email = `${world.unique('guest')}@example.net`;
    await world.db.invitation.create({
      data: { groupId: at.group.id, email, accessLevel: 10, createdById: owner.id },
    });
    return { ...group(at), email };
  };

  const requester = async (at: Stage) => {
    const user = await world.user();
    await world.db.accessRequest.create({ data: { namespaceId: at.group.id, userId: user.id } });
    return { ...group(at), user_id: user.id };
  };

  const urls = { link_url: 'https://example.org/a', image_url: 'https://example.org/b' };
  const distribution = async ({ group: { id: groupId } }: Stage) => {
    const codename = world.unique('dist').toLowerCase();
    const key = { publicKey: 'x', privateKeyEncrypted: Buffer.from('x') };
    await world.db.debianDistribution.create({ data: { groupId, codename, components: ['main'], ...key } });
    return { id: groupId, codename };
  };
  const badge = async ({ group: { id: groupId } }: Stage) => {
    const data = { groupId, linkUrl: urls.link_url, imageUrl: urls.image_url };
    return { id: groupId, badge_id: (await world.db.badge.create({ data, select: { id: true } })).id };
  };
  const label = async (at: Stage) => {
    const name = world.unique('label');
    const { id } = await createLabel(world.as(owner), { group: at.group.id }, { title: name, color: 'red' });
    return { ...group(at), label_id: id, name };
  };
  const named = (of: typeof label) => async (at: Stage) => {
    const { label_id: _id, ...given } = await of(at);
    return given;
  };
  const blue = (of: (at: Stage) => Promise<object>) => async (at: Stage) => ({ ...(await of(at)), color: 'blue' });

  const milestone = async (at: Stage) => {
    const title = world.unique('milestone');
    return {
      ...group(at),
      milestone_id: (await createMilestone(world.as(owner), { group: at.group.id }, { title })).id,
    };
  };

  const newVariable = (at: Stage) => ({ ...group(at), key: world.unique('KEY_'), value: 'v' });
  const variable = async (at: Stage) => {
    const { id, ...given } = newVariable(at);
    await createVariable(world.as(owner), { group: id, ...given });
    return { id, ...given };
  };

  const board = async (at: Stage) => {
    // A group has a limit of boards.
    await world.db.board.deleteMany({ where: { groupId: at.group.id } });
    return { ...group(at), board_id: (await world.db.board.create({ data: { groupId: at.group.id } })).id };
  };
  const boardList = async (at: Stage) => {
    const given = await board(at);
    const { label_id: labelId } = await label(at);
    const { id } = await createBoardList(world.as(owner), { group: at.group.id }, given.board_id, labelId);
    return { ...given, list_id: id };
  };
  const boards = '/groups/:id/boards';
  const lists = `${boards}/:board_id/lists`;

  return {
    ...wikis,
    'GET /groups/:id/custom_attributes': { success: 200, level: 100, given: attributed },
    'GET /groups/:id/custom_attributes/:key': { success: 200, level: 100, given: attributed },
    'PUT /groups/:id/custom_attributes/:key': {
      success: 200,
      level: 100,
      given: async (at) => ({ ...(await attributed(at)), value: 'b' }),
    },
    'DELETE /groups/:id/custom_attributes/:key': { success: 204, level: 100, given: attributed },
    'GET /groups/:id/-/debian_distributions': { ...reading, given: group },
    'GET /groups/:id/-/debian_distributions/:codename': { ...reading, given: distribution },
    'POST /groups/:id/-/debian_distributions': {
      success: 201,
      level: 30,
      given: (at) => ({ ...group(at), codename: world.unique('dist').toLowerCase() }),
    },
    'PUT /groups/:id/-/debian_distributions/:codename': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await distribution(at)), label: 'x' }),
    },
    'DELETE /groups/:id/-/debian_distributions/:codename': { success: 202, level: 40, given: distribution },
    'GET /groups/:id/badges': { ...reading, given: group },
    'GET /groups/:id/badges/:badge_id': { ...reading, given: badge },
    'GET /groups/:id/badges/render': { success: 200, level: 50, given: (at) => ({ ...group(at), ...urls }) },
    'POST /groups/:id/badges': { success: 201, level: 50, given: (at) => ({ ...group(at), ...urls }) },
    'PUT /groups/:id/badges/:badge_id': {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await badge(at)), name: world.unique('badge') }),
    },
    'DELETE /groups/:id/badges/:badge_id': { success: 204, level: 50, given: badge },
    [`GET ${boards}`]: { ...reading, given: group },
    [`POST ${boards}`]: {
      success: 201,
      level: 20,
      given: async (at) => ({ ...group(at), name: (await board(at)).board_id.toString() }),
    },
    [`GET ${boards}/:board_id`]: { ...reading, given: board },
    [`PUT ${boards}/:board_id`]: {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await board(at)), name: world.unique('board') }),
    },
    [`DELETE ${boards}/:board_id`]: { success: 204, level: 20, given: board },
    [`GET ${lists}`]: { ...reading, given: board },
    [`GET ${lists}/:list_id`]: { ...reading, given: boardList },
    [`POST ${lists}`]: {
      success: 201,
      level: 20,
      given: async (at) => ({ ...(await board(at)), label_id: (await label(at)).label_id }),
    },
    [`PUT ${lists}/:list_id`]: {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await boardList(at)), position: 0 }),
    },
    [`DELETE ${lists}/:list_id`]: { success: 204, level: 20, given: boardList },
    'GET /groups/:id/runners': { success: 200, level: 50, given: group },
    'POST /groups/:id/runners/reset_registration_token': { success: 201, level: 50, given: group },
    'GET /groups/:id/variables': { success: 200, level: 50, given: group },
    'GET /groups/:id/variables/:key': { success: 200, level: 50, given: variable },
    'POST /groups/:id/variables': { success: 201, level: 50, given: newVariable },
    'PUT /groups/:id/variables/:key': { success: 200, level: 50, given: variable },
    'DELETE /groups/:id/variables/:key': {
      success: 204,
      level: 50,
      given: async (at) => {
        const { id, key } = await variable(at);
        return { id, key };
      },
    },
    'GET /groups/:id/milestones': { ...reading, given: group },
    'POST /groups/:id/milestones': {
      success: 201,
      level: 20,
      given: (at) => ({ ...group(at), title: world.unique('milestone') }),
    },
    'GET /groups/:id/milestones/:milestone_id': { ...reading, given: milestone },
    'PUT /groups/:id/milestones/:milestone_id': {
      success: 200,
      level: 20,
      given: async (at) => ({ ...(await milestone(at)), title: world.unique('renamed') }),
    },
    'DELETE /groups/:id/milestones/:milestone_id': { success: 204, level: 20, given: milestone },
    'GET /groups/:id/milestones/:milestone_id/issues': { ...reading, given: milestone },
    'GET /groups/:id/milestones/:milestone_id/merge_requests': { ...reading, given: milestone },
    'GET /groups/:id/labels': { ...reading, given: group },
    'POST /groups/:id/labels': {
      success: 201,
      level: 20,
      given: (at) => ({ ...group(at), name: world.unique('label'), color: 'red' }),
    },
    'PUT /groups/:id/labels': { success: 200, level: 20, given: blue(named(label)) },
    'DELETE /groups/:id/labels': { success: 204, level: 20, given: named(label) },
    'GET /groups/:id/labels/:label_id': { ...reading, given: label },
    'PUT /groups/:id/labels/:label_id': { success: 200, level: 20, given: blue(label) },
    'DELETE /groups/:id/labels/:label_id': { success: 204, level: 20, given: label },
    'POST /groups/:id/labels/:label_id/subscribe': { ...reading, success: 201, given: label },
    'POST /groups/:id/labels/:label_id/unsubscribe': { ...reading, success: 304, given: label },
    'GET /groups/:id': { ...reading, given: group },
    'GET /groups/:id/avatar': {
      ...reading,
      given: async (at) => {
        const [groupId, avatarKey] = [at.group.id, 'a.png'];
        const avatar = { groupId, type: 'image/png', content: Buffer.from('picture') };
        await world.db.groupAvatar.upsert({ where: { groupId }, create: avatar, update: avatar });
        await world.db.namespace.update({ where: { id: groupId }, data: { avatarKey } });
        return group(at);
      },
    },
    'GET /groups/:id/notification_settings': { ...reading, given: group, visitor: 401 },
    'PUT /groups/:id/notification_settings': { ...reading, given: (at) => ({ ...group(at), level: 'watch' }) },
    'GET /groups/:id/projects': { ...reading, given: group },
    'GET /groups/:id/subgroups': { ...reading, given: group },
    'GET /groups/:id/descendant_groups': { ...reading, given: group },
    'GET /groups/:id/groups/shared': { ...reading, given: group },
    'POST /groups/:id/transfer': {
      success: 201,
      level: 50,
      given: async (at) => {
        const { id } = await fresh(at);
        const parent = await world.group({ owner, visibility: 'public' });
        await world.db.namespace.update({ where: { id }, data: { parentId: parent.id, lineage: [parent.id, id] } });
        return { id };
      },
      // Only who may create groups moves one to the top.
    },
    'GET /groups/:id/hooks': { success: 200, level: 50, given: group },
    'GET /groups/:id/hooks/:hook_id': { success: 200, level: 50, given: hook },
    'POST /groups/:id/hooks': { success: 201, level: 50, given: (at) => ({ ...group(at), url: HOOK_URL }) },
    'PUT /groups/:id/hooks/:hook_id': {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await hook(at)), note_events: true }),
    },
    'PUT /groups/:id/hooks/:hook_id/custom_headers/:key': { success: 204, level: 50, given: keyed },
    'DELETE /groups/:id/hooks/:hook_id/custom_headers/:key': { success: 204, level: 50, given: keyed },
    'PUT /groups/:id/hooks/:hook_id/url_variables/:key': { success: 204, level: 50, given: keyed },
    'DELETE /groups/:id/hooks/:hook_id/url_variables/:key': { success: 204, level: 50, given: keyed },
    'DELETE /groups/:id/hooks/:hook_id': { success: 204, level: 50, given: hook },
    // Nothing is sent to it, as its address is not a public one, which is told.
    'POST /groups/:id/hooks/:hook_id/test/:trigger': { success: 422, level: 50, given: testedHook },
    'GET /groups/:id/integrations': { success: 200, level: 50, given: group },
    'GET /groups/:id/integrations/:slug': { success: 200, level: 50, given: integration },
    'PUT /groups/:id/integrations/:slug': {
      success: 200,
      level: 50,
      given: (at) => ({ ...group(at), slug: 'external-wiki', external_wiki_url: 'https://example.org' }),
    },
    'DELETE /groups/:id/integrations/:slug': { success: 204, level: 50, given: integration },
    'GET /groups/:id/push_rule': { success: 200, level: 50, given: ruled },
    'POST /groups/:id/push_rule': { success: 201, level: 50, given: unruled },
    'PUT /groups/:id/push_rule': { success: 200, level: 50, given: ruled },
    'DELETE /groups/:id/push_rule': { success: 204, level: 50, given: ruled },
    'GET /groups/:id/placeholder_reassignments': { success: 200, level: 50, roles: STRANGERS, given: fresh },
    'POST /groups/:id/placeholder_reassignments': {
      success: 201,
      level: 50,
      roles: STRANGERS,
      given: async (at) => ({ ...(await fresh(at)), file: new File([PLACEHOLDER_TABLE], 'placeholders.csv') }),
    },
    'POST /groups/:id/share': {
      success: 201,
      level: 50,
      refusal: 404,
      given: async (at) => ({ ...group(at), group_id: (await openGroup()).id, group_access: 20 }),
    },
    'DELETE /groups/:id/share/:group_id': {
      success: 204,
      level: 50,
      given: async (at) => {
        const invited = await openGroup();
        const data = { namespaceId: at.group.id, groupId: invited.id, groupLineage: invited.lineage, groupAccess: 10 };
        await world.db.groupShare.create({ data });
        return { ...group(at), group_id: invited.id };
      },
    },
    'GET /groups/:id/issues': { ...reading, given: group },
    'GET /groups/:id/packages': { ...reading, given: group },
    'GET /groups/:id/registry/repositories': { ...reading, given: group },
    // No package is called so: those who see the group are told that.
    'GET /groups/:id/-/packages/npm/:package_name': { ...reading, success: 404, given: nothingCalled },
    'GET /groups/:id/-/packages/npm/-/package/:package_name/dist-tags': {
      ...reading,
      success: 404,
      given: nothingCalled,
    },
    'GET /groups/:id/issues_statistics': { ...reading, given: group },
    'GET /groups/:id/merge_requests': { ...reading, given: group },
    ...Object.fromEntries(
      ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'blobs', 'notes', 'commits', 'wiki_blobs'].map(
        (scope) => [
          `GET /groups/:id/search?scope=${scope}`,
          { ...reading, given: (at: Stage) => ({ ...group(at), search: 'text' }) },
        ],
      ),
    ),
    'PUT /groups/:id': {
      success: 200,
      level: 50,
      given: (at) => ({ ...group(at), description: world.unique('about ') }),
    },
    'DELETE /groups/:id': { success: 204, level: 50, given: fresh },
    'POST /groups/:id/projects/:project_id': {
      success: 201,
      level: 100,
      adminFirst: true,
      given: async (at) => ({ ...group(at), project_id: (await world.project({ owner })).id }),
    },
    'GET /groups/:id/access_tokens': { ...administering, given: group },
    // The tokens of these callers are those of people.
    'GET /groups/:id/access_tokens/self': { ...reading, success: 400, given: group, visitor: 401 },
    'POST /groups/:id/access_tokens/self/rotate': { ...reading, success: 405, given: group },
    'GET /groups/:id/access_tokens/:token_id': { ...administering, given: accessToken },
    'POST /groups/:id/access_tokens': {
      success: 201,
      level: 50,
      refusal: 400,
      given: (at) => ({ ...group(at), name: 'robot', scopes: ['api'], access_level: 20 }),
    },
    'POST /groups/:id/access_tokens/:token_id/rotate': { ...administering, given: accessToken },
    'DELETE /groups/:id/access_tokens/:token_id': { success: 204, level: 50, refusal: 400, given: accessToken },
    'GET /groups/:id/audit_events': { success: 200, level: 50, given: group },
    'GET /groups/:id/audit_events/:audit_event_id': { success: 200, level: 50, given: auditEvent },
    ...serviceAccountRules(world, owner, 'group'),
    'POST /groups/:id/export': { success: 202, level: 50, given: group },
    'GET /groups/:id/export/download': { success: 200, level: 50, given: archive },
    'GET /groups/:id/deploy_tokens': { success: 200, level: 50, given: group },
    'GET /groups/:id/deploy_tokens/:token_id': { success: 200, level: 50, given: deployToken },
    'POST /groups/:id/deploy_tokens': {
      success: 201,
      level: 50,
      given: (at) => ({ ...group(at), name: 'deploy', scopes: ['read_repository'] }),
    },
    'DELETE /groups/:id/deploy_tokens/:token_id': { success: 204, level: 50, given: deployToken },
    'GET /groups/:id/invitations': { success: 200, level: 50, given: group },
    'POST /groups/:id/invitations': {
      success: 201,
      level: 50,
      given: async (at) => ({ ...group(at), user_id: [(await world.user()).id], access_level: 10 }),
    },
    'PUT /groups/:id/invitations/:email': {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await invitation(at)), access_level: 20 }),
    },
    'DELETE /groups/:id/invitations/:email': { success: 204, level: 50, given: invitation },
    'GET /groups/:id/members': { ...reading, given: group },
    'GET /groups/:id/members/:user_id': { ...reading, given: member },
    'GET /groups/:id/members/all': { ...reading, given: group },
    'GET /groups/:id/members/all/:user_id': { ...reading, given: member },
    'POST /groups/:id/members': {
      success: 201,
      level: 50,
      given: async (at) => ({ ...group(at), user_id: (await world.user()).id, access_level: 20 }),
    },
    'PUT /groups/:id/members/:user_id': {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await member(at)), access_level: 30 }),
    },
    'DELETE /groups/:id/members/:user_id': { success: 204, level: 50, given: member },
    'GET /groups/:id/access_requests': { success: 200, level: 50, given: group },
    'POST /groups/:id/access_requests': {
      success: 201,
      level: 0,
      // Who has access already asks for none.
      roles: {
        external: 201,
        outsider: 201,
        guest: 403,
        reporter: 403,
        developer: 403,
        master: 403,
        owner: 403,
        admin: 201,
      },
      inPrivate: { admin: 403 },
      given: async (at) => {
        await world.db.accessRequest.deleteMany({ where: { namespaceId: at.group.id } });
        return group(at);
      },
    },
    'PUT /groups/:id/access_requests/:user_id/approve': { success: 201, level: 50, given: requester },
    'DELETE /groups/:id/access_requests/:user_id': { success: 204, level: 50, given: requester },
  };
}
