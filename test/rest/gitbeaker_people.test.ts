// Each test takes long: the long run has them all.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { describe, expect, it } from 'vitest';
import { gpgFixtures } from '../support/gpg.ts';
import { PNG } from '../support/project_archives.ts';
import { SAMPLES } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

/** What people-and-projects.md adds, as the client of today's v4 that most programs for Node use asks for it. */
const world = await startWorld();
const owner = await world.user();
const other = await world.user();
const admin = await world.user({ admin: true });
const host = world.url;
const as = ({ token }: { token: string }) => new Gitlab({ host, token });
const [mine, theirs, administrator] = [as(owner), as(other), as(admin)];
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const ids = (records: readonly { id?: unknown }[]) => records.map(({ id }) => id);

describe('The client gitbeaker', () => {
  it('lists, creates, rotates and revokes tokens of people', async () => {
    const { id, token } = await administrator.Users.createPersonalAccessToken(owner.id, 'script', ['api'], {
      expiresAt: day(30),
    });
    const decoy = await administrator.Users.createPersonalAccessToken(other.id, 'decoy', ['api']);
    expect(await mine.PersonalAccessTokens.all()).toMatchObject([
      { id, name: 'script', active: true, revoked: false, scopes: ['api'], user_id: owner.id, expires_at: day(30) },
    ]);
    expect(ids(await administrator.PersonalAccessTokens.all({ userId: other.id }))).toEqual([decoy.id]);
    await expect(mine.PersonalAccessTokens.show({ tokenId: decoy.id })).rejects.toMatchObject({
      cause: { response: { status: 401 } },
    });
    const script = as({ token: token as string });
    expect(await script.PersonalAccessTokens.show({ tokenId: 'self' })).toMatchObject({ id });
    const rotated = await script.PersonalAccessTokens.rotate('self', { expiresAt: day(10) });
    expect(rotated).toMatchObject({ name: 'script', active: true, expires_at: day(10), token: expect.any(String) });
    await expect(script.Users.showCurrentUser()).rejects.toMatchObject({ cause: { response: { status: 401 } } });
    const renewed = as({ token: rotated.token as string });
    expect(await renewed.Users.showCurrentUser()).toMatchObject({ id: owner.id });
    expect(ids(await mine.PersonalAccessTokens.all({ state: 'active' }))).toEqual([rotated.id]);
    expect(ids(await mine.PersonalAccessTokens.all({ revoked: true }))).toEqual([id]);
    await mine.PersonalAccessTokens.remove({ tokenId: rotated.id });
    expect(await mine.PersonalAccessTokens.all({ state: 'active' })).toEqual([]);
    expect(await theirs.PersonalAccessTokens.all({ state: 'active' })).toMatchObject([{ id: decoy.id }]);
  });

  it('manages access tokens and deploy tokens of projects and groups', async () => {
    const group = await mine.Groups.create('Tokens', world.unique('tokens'));
    const project = await mine.Projects.create({ name: 'Tokens', namespaceId: group.id });
    const made = await mine.ProjectAccessTokens.create(project.id, 'robot', ['api'], day(20), { accessLevel: 30 });
    expect(made).toMatchObject({ name: 'robot', access_level: 30, scopes: ['api'], expires_at: day(20) });
    expect(await as({ token: made.token }).Projects.show(project.id)).toMatchObject({ id: project.id });
    const decoy = await mine.Projects.create({ name: 'Decoy' });
    await expect(as({ token: made.token }).Projects.show(decoy.id)).rejects.toThrow(/404/);
    const rotated = await mine.ProjectAccessTokens.rotate(project.id, made.id);
    expect(rotated).toMatchObject({ access_level: 30, expires_at: day(7) });
    expect(await mine.ProjectAccessTokens.show(project.id, rotated.id)).toMatchObject({ active: true, name: 'robot' });
    const active = (await mine.ProjectAccessTokens.all(project.id)).filter((token) => token.active);
    expect(ids(active)).toEqual([rotated.id]);
    await mine.ProjectAccessTokens.revoke(project.id, rotated.id);
    await expect(as({ token: rotated.token }).Users.showCurrentUser()).rejects.toThrow(/401/);

    const ofGroup = await mine.GroupAccessTokens.create(group.id, 'fleet', ['read_api'], day(20), { accessLevel: 20 });
    expect(await as({ token: ofGroup.token }).Groups.allProjects(group.id)).toMatchObject([{ id: project.id }]);
    expect(ids(await mine.GroupAccessTokens.all(group.id))).toEqual([ofGroup.id]);
    await mine.GroupAccessTokens.revoke(group.id, ofGroup.id);

    const deploy = await mine.DeployTokens.create('pull', ['read_repository'], { projectId: project.id });
    expect(deploy).toMatchObject({ name: 'pull', revoked: false, expired: false, token: expect.any(String) });
    await mine.DeployTokens.create('decoy', ['read_registry'], { groupId: group.id, username: 'puller' });
    expect(await mine.DeployTokens.all({ projectId: project.id })).toMatchObject([{ id: deploy.id, name: 'pull' }]);
    expect(await mine.DeployTokens.all({ groupId: group.id })).toMatchObject([{ username: 'puller' }]);
    await mine.DeployTokens.remove(deploy.id, { projectId: project.id });
    expect(await mine.DeployTokens.all({ projectId: project.id })).toEqual([]);
    expect(await administrator.DeployTokens.all()).toMatchObject([{ name: 'decoy' }]);
  });

  it('reads and changes what users are and have', async () => {
    await mine.Users.editStatus({ emoji: 'coffee', message: 'Back soon' });
    expect(await theirs.Users.showStatus({ iDOrUsername: owner.username })).toMatchObject({
      emoji: 'coffee',
      message: 'Back soon',
    });
    expect(await mine.Users.showStatus({ iDOrUsername: other.id })).toMatchObject({ emoji: null, message: null });
    await mine.Users.editCurrentUserPreferences(true, false);
    expect(await mine.Users.showCurrentUserPreferences()).toMatchObject({
      user_id: owner.id,
      view_diffs_file_by_file: true,
      show_whitespace_in_diffs: false,
    });
    expect(await theirs.Users.showCurrentUserPreferences()).toMatchObject({ view_diffs_file_by_file: false });

    const key = SAMPLES.at(-1)?.key ?? '';
    const ssh = await mine.UserSSHKeys.create('laptop', key, {
      usageType: 'signing',
      expiresAt: `${day(90)}T00:00:00Z`,
    });
    expect(await mine.UserSSHKeys.all()).toMatchObject([{ id: ssh.id, title: 'laptop', usage_type: 'signing' }]);
    expect(await theirs.UserSSHKeys.all()).toEqual([]);
    await mine.UserSSHKeys.remove(ssh.id);
    expect(await mine.UserSSHKeys.all()).toEqual([]);
    const { ann, bob } = gpgFixtures;
    const gpg = await mine.UserGPGKeys.create(ann.key);
    await theirs.UserGPGKeys.create(bob.key);
    expect(await theirs.UserGPGKeys.all({ userId: owner.id })).toMatchObject([{ id: gpg.id, key: ann.key.trim() }]);
    await mine.UserGPGKeys.remove(gpg.id);
    expect(await mine.UserGPGKeys.all()).toEqual([]);

    const group = await mine.Groups.create('Belong', world.unique('belong'));
    const project = await mine.Projects.create({ name: 'Alone', visibility: 'public' });
    await mine.ProjectMembers.add(project.id, 20, { userId: other.id });
    await mine.GroupMembers.add(group.id, 30, { userId: other.id });
    const memberships = await administrator.Users.allMemberships(other.id);
    expect(
      memberships.map(({ source_id, source_type, access_level }) => [source_type, source_id, access_level]),
    ).toEqual(
      expect.arrayContaining([
        ['Project', project.id, 20],
        ['Namespace', group.id, 30],
      ]),
    );
    expect(memberships).toHaveLength(2);
    expect(await administrator.Users.allMemberships(other.id, { type: 'Project' })).toMatchObject([
      { source_id: project.id },
    ]);
    await theirs.Users.follow(owner.id);
    expect(ids(await mine.Users.allFollowers(owner.id))).toEqual([other.id]);
    expect(ids(await mine.Users.allFollowing(other.id))).toEqual([owner.id]);
    expect(await theirs.Users.show(owner.id)).toMatchObject({ followers: 1, following: 0, is_followed: true });
    await theirs.Users.unfollow(owner.id);
    await theirs.Projects.star(project.id);
    const paging = { pagination: 'offset' } as const;
    expect(ids(await mine.Users.allStarredProjects(other.id, paging))).toEqual([project.id]);
    expect(ids(await theirs.Users.allProjects(owner.username, { ...paging, search: 'Alone' }))).toEqual([project.id]);
    const foreign = await theirs.Projects.create({ name: 'Foreign', visibility: 'public' });
    const contributed = ids(await theirs.Users.allContributedProjects(owner.id, paging));
    expect([contributed.includes(project.id), contributed.includes(foreign.id)]).toEqual([true, false]);

    const mark = world.unique('state');
    const person = await administrator.Users.create({
      email: `${mark}@example.org`,
      username: mark,
      name: 'State',
      forceRandomPassword: true,
      skipConfirmation: true,
    });
    expect(await administrator.Users.all({ search: mark, active: true })).toMatchObject([{ id: person.id }]);
    await administrator.Users.ban(person.id);
    expect(await administrator.Users.show(person.id)).toMatchObject({ state: 'banned' });
    expect(await administrator.Users.all({ search: mark, active: true })).toEqual([]);
    await administrator.Users.unban(person.id);
    await administrator.Users.deactivate(person.id);
    expect(await administrator.Users.show(person.id)).toMatchObject({ state: 'deactivated' });
    await administrator.Users.activate(person.id);
    expect(await administrator.Users.show(person.id)).toMatchObject({ state: 'active' });
    expect(await administrator.Users.showAssociationsCount(owner.id)).toMatchObject({ issues_count: 0 });
  });

  it('walks groups: below one another, shared, moved, with members, invitations and a picture', async () => {
    const path = world.unique('above');
    const above = await mine.Groups.create('Above', path);
    const middle = await mine.Groups.create('Middle', 'middle', { parentId: above.id });
    const below = await mine.Groups.create('Below', 'below', { parentId: middle.id });
    const beside = await mine.Groups.create('Beside', world.unique('beside'));
    expect(ids(await mine.Groups.allSubgroups(above.id))).toEqual([middle.id]);
    expect(ids(await mine.Groups.allDescendantGroups(path, {})).toSorted()).toEqual([middle.id, below.id].toSorted());
    const tops = await mine.Groups.all({ topLevelOnly: true, pagination: 'offset' });
    expect(ids(tops)).toEqual(expect.arrayContaining([above.id, beside.id]));
    expect(ids(tops)).not.toContain(below.id);

    await mine.GroupMembers.add(above.id, 20, { userId: other.id });
    expect(await mine.GroupMembers.all(below.id)).toMatchObject([{ id: owner.id }]);
    const all = await mine.GroupMembers.all(below.id, { includeInherited: true });
    expect(all.map(({ id, access_level }) => [id, access_level]).toSorted()).toEqual(
      [
        [owner.id, 50],
        [other.id, 20],
      ].toSorted(),
    );
    const guest = await world.user();
    await mine.GroupMembers.add(beside.id, 40, { userId: guest.id });
    await mine.Groups.share(above.id, beside.id, 30, { expiresAt: day(9) });
    expect(await mine.Groups.show(above.id)).toMatchObject({
      shared_with_groups: [{ group_id: beside.id, group_access_level: 30, expires_at: day(9) }],
    });
    expect(await mine.GroupMembers.show(below.id, guest.id, { includeInherited: true })).toMatchObject({
      access_level: 30,
    });
    await mine.Groups.unshare(above.id, beside.id, {});
    await expect(mine.GroupMembers.show(below.id, guest.id, { includeInherited: true })).rejects.toThrow(/404/);

    await mine.Groups.transfer(below.id, { groupId: beside.id });
    expect(await mine.Groups.show(below.id)).toMatchObject({ parent_id: beside.id, full_path: `${beside.path}/below` });
    await mine.Groups.transfer(below.id);
    expect(await mine.Groups.show(below.id)).toMatchObject({ parent_id: null, full_path: 'below' });

    expect(await mine.GroupInvitations.add(above.id, 30, { email: `${guest.username}@example.org` })).toEqual({
      status: 'success',
    });
    expect(await mine.GroupMembers.show(above.id, guest.id)).toMatchObject({ access_level: 30 });
    expect(await mine.GroupInvitations.all(above.id)).toEqual([]);

    expect(await mine.Groups.edit(above.id, { description: 'High up' })).toMatchObject({ description: 'High up' });
    const avatar = { content: new Blob([PNG]), filename: 'logo.png' };
    const pictured = await mine.Groups.create('Pictured', world.unique('pictured'), { avatar });
    expect(pictured).toMatchObject({ avatar_url: expect.stringMatching(/\/avatar\/\d+\/\w+\.png$/) });
    const picture = await mine.Groups.downloadAvatar(pictured.id);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG);
  });

  it('creates projects with settings, and finds them by what they are', async () => {
    const mark = world.unique('wanted');
    const project = await mine.Projects.create({
      name: mark,
      description: 'All of it',
      visibility: 'public',
      initializeWithReadme: true,
      topics: ['Rust', 'cli'],
      mergeMethod: 'ff',
      squashOption: 'always',
      removeSourceBranchAfterMerge: false,
      onlyAllowMergeIfPipelineSucceeds: true,
      ciConfigPath: 'ci/main.yml',
      issuesAccessLevel: 'disabled',
      buildTimeout: 1200,
    });
    const decoy = await mine.Projects.create({ name: world.unique('decoy'), topics: ['Go'] });
    const shown = await mine.Projects.show(project.id);
    expect(shown).toMatchObject({
      description: 'All of it',
      topics: ['Rust', 'cli'],
      tag_list: ['Rust', 'cli'],
      merge_method: 'ff',
      squash_option: 'always',
      remove_source_branch_after_merge: false,
      only_allow_merge_if_pipeline_succeeds: true,
      ci_config_path: 'ci/main.yml',
      issues_access_level: 'disabled',
      issues_enabled: false,
      build_timeout: 1200,
      empty_repo: false,
    });
    const offset = { pagination: 'offset' } as const;
    const found = async (filter: object) => ids(await mine.Projects.all({ ...offset, ...filter } as never));
    expect(await found({ topic: 'Rust' })).toEqual([project.id]);
    expect(await found({ search: mark, minAccessLevel: 50 })).toEqual([project.id]);
    expect(await found({ idAfter: project.id - 1, idBefore: decoy.id })).toEqual([project.id]);
    expect(await found({ withIssuesEnabled: true, owned: true })).not.toContain(project.id);
    expect(await found({ lastActivityAfter: '2099-01-01T00:00:00Z' })).toEqual([]);

    for (const name of ['further', 'last']) await mine.Projects.create({ name: world.unique(name) });
    const keyset = { pagination: 'keyset', orderBy: 'id', sort: 'asc', owned: true, perPage: 2 } as const;
    const expected = await found({ owned: true, orderBy: 'id', sort: 'asc', perPage: 100 });
    expect(expected.length).toBeGreaterThan(3);
    expect(ids(await mine.Projects.all(keyset))).toEqual(expected);

    await mine.RepositoryFiles.create(project.id, 'a.ts', 'master', 'export {};\n', 'Write it');
    await world.idle();
    expect(await mine.Projects.showLanguages(project.id)).toEqual({ TypeScript: 100 });
    expect(await found({ withProgrammingLanguage: 'TypeScript' })).toEqual([project.id]);
    const topics = await mine.Topics.all({ search: 'rust' });
    expect(topics).toMatchObject([{ name: 'Rust', total_projects_count: 1 }]);

    await theirs.Projects.star(project.id);
    expect(await mine.Projects.allStarrers(project.id)).toMatchObject([{ user: { id: other.id } }]);
    const fork = await theirs.Projects.fork(project.id);
    await world.idle();
    expect(ids(await mine.Projects.allForks(project.id))).toEqual([fork.id]);
    expect(await mine.Projects.show(project.id)).toMatchObject({ forks_count: 1, star_count: 1 });

    const badge = await mine.ProjectBadges.add(
      project.id,
      'https://example.org/%{project_path}',
      'https://example.org/%{default_branch}.svg',
      { name: 'build' },
    );
    expect(badge).toMatchObject({ name: 'build', rendered_image_url: 'https://example.org/master.svg' });
    expect(
      await mine.ProjectBadges.preview(project.id, 'https://e.org/%{project_id}', 'https://e.org/a'),
    ).toMatchObject({
      rendered_link_url: `https://e.org/${project.id}`,
    });
    expect(ids(await mine.ProjectBadges.all(project.id))).toEqual([badge.id]);
    await mine.ProjectBadges.remove(project.id, badge.id);
    expect(await mine.ProjectBadges.all(project.id)).toEqual([]);

    const file = { content: new Blob(['attached\n']), filename: 'notes.txt' };
    const upload = await mine.Projects.uploadForReference(project.id, file);
    expect(upload).toMatchObject({ id: expect.any(Number), full_path: expect.stringContaining('/notes.txt') });
    const bytes = await fetch(`${host}${upload.full_path}`);
    expect([bytes.status, await bytes.text()]).toEqual([200, 'attached\n']);
    expect((await mine.ProjectTemplates.all(project.id, 'licenses')).map(({ key }) => key)).toContain('mit');
    expect(await mine.ProjectTemplates.show(project.id, 'gitignores', 'Node')).toMatchObject({
      name: 'Node',
      content: expect.stringContaining('node_modules'),
    });
  });

  it('exports a project and imports it again with all that it had', async () => {
    const project = await mine.Projects.create({ name: world.unique('Exported'), topics: ['kept'] });
    await mine.Commits.create(project.id, 'main', 'First', [{ action: 'create', filePath: 'a.txt', content: 'a' }]);
    await mine.ProjectLabels.create(project.id, 'bug', '#ff0000');
    await mine.Issues.create(project.id, 'Falls', { labels: 'bug' });
    const elsewhere = await mine.Projects.create({ name: world.unique('Elsewhere') });
    await mine.Issues.create(elsewhere.id, 'Decoy');
    await mine.ProjectImportExports.scheduleExport(project.id, undefined as never);
    // The client itself asks for this six times a minute at most.
    const api = world.api(owner);
    const state = async (what: 'export' | 'import', id: number) =>
      (await api.get(`/projects/${id}/${what}`)).body[`${what}_status`];
    await world.until(async () => ['finished', 'failed'].includes(await state('export', project.id)));
    expect(await mine.ProjectImportExports.showExportStatus(project.id)).toMatchObject({ export_status: 'finished' });
    const archive = await mine.ProjectImportExports.download(project.id);
    const path = world.unique('imported');
    const started = await mine.ProjectImportExports.import({ content: archive, filename: 'project.tar.gz' }, path);
    const id = started.id as number;
    await world.until(async () => ['finished', 'failed'].includes(await state('import', id)));
    expect(await mine.ProjectImportExports.showImportStatus(id)).toMatchObject({ import_status: 'finished' });
    expect(await mine.Projects.show(id)).toMatchObject({ path, topics: ['kept'], default_branch: 'main' });
    expect(await mine.Issues.all({ projectId: id })).toMatchObject([{ title: 'Falls', labels: ['bug'] }]);
    expect(await mine.Commits.all(id)).toMatchObject([{ title: 'First' }]);
  });

  it('registers applications, and reads events by their filters', async () => {
    const made = await administrator.Applications.create('Console', 'https://console.example/back', 'read_api openid', {
      confidential: true,
    });
    expect(made).toMatchObject({ application_name: 'Console', confidential: true, secret: expect.any(String) });
    expect(await administrator.Applications.all()).toMatchObject([
      { id: made.id, callback_url: 'https://console.example/back' },
    ]);
    await expect(mine.Applications.all()).rejects.toThrow(/403/);
    await administrator.Applications.remove(made.id as number);
    expect(await administrator.Applications.all()).toEqual([]);

    const project = await mine.Projects.create({ name: world.unique('Events') });
    const { iid } = await mine.Issues.create(project.id, 'Opened, then closed');
    await mine.Issues.create(project.id, 'Decoy');
    await mine.Issues.edit(project.id, iid, { stateEvent: 'close' });
    await mine.IssueNotes.create(project.id, iid, 'Why?');
    const all = async (filter: object) =>
      (await mine.Events.all({ projectId: project.id, ...filter } as never)).map(
        ({ action_name, target_type, target_iid }) => [action_name, target_type, target_iid],
      );
    expect(await all({ action: 'closed' })).toEqual([['closed', 'Issue', iid]]);
    expect(await all({ targetType: 'note' })).toMatchObject([['commented on', 'Note', expect.any(Number)]]);
    expect(await all({ after: day(1) })).toEqual([]);
    expect(await mine.Users.allEvents(owner.id, { action: 'closed' })).toMatchObject([{ project_id: project.id }]);
  });
});
